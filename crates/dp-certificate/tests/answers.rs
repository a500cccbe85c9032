//! Answers of all kinds: their certificates are verified, and what the answers do not say is refused.

use dp_accounting::{Corner, NoiseLaw, Release as Released, compose};
use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_amplification::compensation::{Batch, Compensation};
use dp_amplification::hedged::Hedged;
use dp_calibration::{Adjacency, KnownSensitivity, TrustModel, discrete_gaussian, noise_sum};
use dp_certificate::{
    Candidates, Certificate, Claim, Draws, Mechanism, Noise, Release, Steering, Unverified,
};
use dp_exact::{Delta, Epsilon, Rational};

const BOTH: [Adjacency; 2] = [Adjacency::Replacement, Adjacency::Deletion];

fn number(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("an epsilon")
}

fn delta(text: &str) -> Delta {
    text.parse().expect("a delta")
}

fn claim(of: (&Rational, &Delta), adjacency: Adjacency, model: &str, what: Vec<Release>) -> Claim {
    Claim {
        epsilon: of.0.clone(),
        delta: of.1.value().clone(),
        adjacency,
        trust_model: model.parse::<TrustModel>().expect("a trust model"),
        releases: what,
        every_larger_variance: false,
    }
}

/// The ε of the certificate is above that of the answer by at most this part, and the same certificate of a
/// smaller ε than any that holds is refused.
fn certified(candidates: &Candidates, answer: &Rational, part: f64, fails: &Rational) {
    let certificate = candidates.checked().expect("a certificate");
    let claimed = certificate.epsilon().expect("a claim about releases");
    assert!(claimed >= answer, "{claimed} {answer}");
    let most = answer.to_f64() * (1.0 + part) * (1.0 + 1e-12);
    assert!(claimed.to_f64() <= most, "{claimed} {answer}");
    let written = |epsilon: &Rational| format!("\"epsilon\":\"{epsilon}\",\"delta\"");
    let text = certificate.to_string();
    assert_eq!(text.matches(&written(claimed)).count(), 1, "{text}");
    let smaller = text.replace(&written(claimed), &written(fails));
    assert!(dp_check::check(&smaller).is_err(), "{smaller}");
}

#[test]
fn sums_of_reports_alone_and_with_what_is_added_are_certified() {
    let (epsilon0, delta) = (epsilon("2"), delta("1e-6"));
    for adjacency in BOTH {
        let model = "OAMC";
        let all = |answer: &Rational, what| claim((answer, &delta), adjacency, model, vec![what]);

        let sum = AggregatedRappor::new(epsilon0.clone(), 3_000).expect("accepted");
        let bounds = sum.epsilon(&delta, adjacency).expect("bounds");
        let what = Release::once(Mechanism::rappor(epsilon0.clone(), 3_000));
        let candidates = Candidates::of(&all(&bounds.upper, what));
        certified(
            &candidates,
            &bounds.upper,
            1e-3,
            &(&bounds.lower * &number("0.999")),
        );

        let batch = Batch {
            reports: 400,
            malicious: 100,
        };
        let plan = Compensation::new(epsilon0.clone(), batch, 3_000, 2).expect("accepted");
        let bounds = plan.epsilon(&delta, adjacency).expect("bounds");
        let bits = Mechanism::compensated(epsilon0.clone(), 300, plan.added_zeros());
        let candidates = Candidates::of(&all(&bounds.upper, Release::once(bits)));
        certified(
            &candidates,
            &bounds.upper,
            0.05,
            &(&bounds.lower * &number("0.999")),
        );

        for noise in [
            NoiseLaw::DiscreteGaussian {
                variance: number("20"),
            },
            NoiseLaw::DiscreteLaplace { scale: number("3") },
        ] {
            let policy = Hedged::new(epsilon0.clone(), 200, noise.clone(), 1).expect("accepted");
            let bounds = policy.epsilon(&delta, adjacency).expect("bounds");
            let what = Release::once(Mechanism::hedged(epsilon0.clone(), 200, noise));
            let candidates = Candidates::of(&all(&bounds.upper, what));
            certified(
                &candidates,
                &bounds.upper,
                0.1,
                &(&bounds.lower * &number("0.99")),
            );
        }
    }
}

#[test]
fn noise_of_one_and_of_several_aggregators_is_certified() {
    let (epsilon, delta) = (epsilon("0.5"), delta("1e-6"));
    let corner = Corner::one_hot();
    let fails = number("0.49999");
    let noise = |law, count| {
        let what = Release::once(Mechanism::noises(law, "histogram:24", count));
        claim(
            (epsilon.value(), &delta),
            Adjacency::Replacement,
            "OAOC",
            vec![what],
        )
    };

    let sensitivity = KnownSensitivity::WorstDifference(corner.clone());
    let least = discrete_gaussian::least(&epsilon, &delta, &sensitivity).expect("noise");
    let variance = least.noise.variance.clone();
    let of_one = noise(NoiseLaw::DiscreteGaussian { variance }, 1);
    let every = Candidates::of_larger_variances(&of_one, &least.noise.cover, &sensitivity);
    certified(&every, epsilon.value(), 0.0, &fails);
    let certificate = every.checked().expect("a certificate");
    assert!(
        certificate
            .claim()
            .is_some_and(|claim| claim.every_larger_variance)
    );
    assert!(!certificate.steering().cuts.is_empty());
    certified(&Candidates::of(&of_one), epsilon.value(), 0.0, &fails);

    let least = noise_sum::least_gaussian(&epsilon, &delta, &corner, 2).expect("noise");
    let variance = least.noise.variance.clone();
    let of_two = noise(NoiseLaw::DiscreteGaussian { variance }, 2);
    certified(
        &Candidates::of_several(&of_two, &corner),
        epsilon.value(),
        1e-3,
        &fails,
    );
}

#[test]
fn compositions_are_certified() {
    let (delta, none) = (delta("1e-6"), delta("0"));
    let variance = number("900");
    let law = NoiseLaw::DiscreteGaussian { variance };
    let response = Released::RandomizedResponse {
        epsilon: epsilon("0.1"),
        delta: none.clone(),
    };
    let noise = Released::Noise {
        law: law.clone(),
        corner: Corner::one_hot(),
    };
    let composed = compose(&[(noise, 30), (response, 5)], &delta).expect("an answer");
    let releases = vec![
        Release {
            mechanism: Mechanism::noise(law, "histogram"),
            times: 30,
        },
        Release {
            mechanism: Mechanism::private(epsilon("0.1"), none.clone()),
            times: 5,
        },
    ];
    let all = claim(
        (&composed.upper, &delta),
        Adjacency::Replacement,
        "OAOC",
        releases,
    );
    let fails = &composed.lower.expect("bounds") * &number("0.999");
    certified(&Candidates::of(&all), &composed.upper, 1e-3, &fails);
}

#[test]
fn guarantees_by_divergences_and_bounds_on_draws_are_certified() {
    // ρ + 2√(ρ·ln(1/δ)) (Bun, Steinke 2016, Proposition 1.3)
    let (rho, delta) = ("0.1", delta("1e-6"));
    let classical = number("2.4508");
    let what = Release::once(Mechanism::concentrated(rho.parse().expect("a rho")));
    let of = claim(
        (&classical, &delta),
        Adjacency::Replacement,
        "OC",
        vec![what],
    );
    let mut candidates = Candidates::default();
    candidates.add(
        of.clone(),
        Steering::concentrated(&rho.parse().expect("a rho"), &classical),
    );
    // The checker's own bound is better than the classical one, by a fifth at most.
    certified(&candidates, &classical, 0.0, &number("1.9"));
    let mut elsewhere = Candidates::default();
    elsewhere.add(of, Steering::at(number("50")));
    assert!(matches!(elsewhere.checked(), Err(Unverified::Refused(_))));

    let scale = number("2");
    let noise = Noise(NoiseLaw::DiscreteLaplace { scale });
    for (bound, holds) in [(40u64, true), (10, false), (0, false)] {
        let draws = Draws::Noise {
            noise: noise.clone(),
            aggregators: 1,
            numbers: 10,
        };
        let candidates = Candidates::exceeded(draws, bound, number("1e-6"));
        let found = candidates.checked();
        assert_eq!(found.is_ok(), holds, "{bound}");
        assert!(found.ok().is_none_or(|found| found.epsilon().is_none()));
    }
    for (bound, holds) in [(40u64, true), (12, false)] {
        let draws = Draws::weight(epsilon("2"), 64, 1);
        let candidates = Candidates::exceeded(draws, bound, number("1e-9"));
        assert_eq!(candidates.checked().is_ok(), holds, "{bound}");
    }
}

#[test]
fn what_the_checker_does_not_verify_is_said() {
    let none = Candidates::outside("reports that are dropped for their weight");
    let refused = none
        .checked()
        .map(Certificate::epsilon)
        .expect_err("nothing to verify");
    assert_eq!(
        refused.to_string(),
        "dp-check does not verify reports that are dropped for their weight"
    );
}

#[test]
fn no_claim_is_too_odd_for_an_answer() {
    let (one, half) = (epsilon("1"), number("1/2"));
    let law = NoiseLaw::DiscreteLaplace { scale: number("1") };
    for what in [
        Mechanism::rappor(one.clone(), 0),
        Mechanism::rappor(one.clone(), u64::MAX),
        Mechanism::compensated(one.clone(), u64::MAX, u64::MAX),
        Mechanism::rappor(epsilon("1e300"), 3),
        Mechanism::hedged(epsilon("1e-300"), 3, law.clone()),
        Mechanism::noises(law.clone(), "sum", 0),
        Mechanism::noises(law, "no query", u32::MAX),
    ] {
        for slack in ["0", "1e-300", "1e-6"] {
            for times in [0, 1, u32::MAX] {
                let release = Release {
                    mechanism: what.clone(),
                    times,
                };
                let all = claim(
                    (&half, &delta(slack)),
                    Adjacency::Deletion,
                    "OAMC",
                    vec![release],
                );
                for candidates in [
                    Candidates::of(&all),
                    Candidates::of_several(&all, &Corner::one()),
                ] {
                    assert!(candidates.checked().is_err(), "{all:?}");
                }
            }
        }
    }
    let nothing = claim(
        (&half, &delta("1e-6")),
        Adjacency::Deletion,
        "OC",
        Vec::new(),
    );
    assert!(Candidates::of(&nothing).checked().is_err());
}
