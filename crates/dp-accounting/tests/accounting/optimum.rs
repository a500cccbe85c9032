//! The noise of a schedule among its neighbours: no share moved makes the error less, no budget is left over, and
//! the certificate says what the noise rests on.

use dp_accounting::schedule::{Mechanism, Shares, schedule};
use dp_accounting::{Budget, NoiseLaw};
use dp_calibration::BigInt;
use dp_calibration::utility::Noise;
use dp_exact::Rational;

use crate::common::{approximate, line, number};

fn pure(epsilon: &str) -> Budget {
    let epsilon = epsilon.parse().expect("positive");
    Budget::Pure { epsilon }
}

fn concentrated(rho: &str) -> Budget {
    let rho = rho.parse().expect("positive");
    Budget::ZeroConcentrated { rho }
}

fn parameter(law: &NoiseLaw) -> &Rational {
    match law {
        NoiseLaw::DiscreteGaussian { variance } => variance,
        NoiseLaw::DiscreteLaplace { scale } => scale,
    }
}

/// Σ weight·variance
fn error(noises: &[NoiseLaw], weights: &[Rational]) -> f64 {
    let each = noises.iter().zip(weights).map(|(law, weight)| {
        let noise = match law.clone() {
            NoiseLaw::DiscreteGaussian { variance } => Noise::gaussian(variance),
            NoiseLaw::DiscreteLaplace { scale } => Noise::laplace(scale),
        };
        let deviation = noise.expect("in range").standard_deviation();
        weight.to_f64() * deviation * deviation
    });
    each.sum()
}

#[test]
fn no_share_moved_by_two_in_a_hundred_makes_the_error_less() {
    use Mechanism::{Gaussian, Laplace};
    let lines = [line(2, 1, 50), line(1, 20, 4), line(6, 3, 9)];
    let weights = [number("1"), number("1/9"), number("2.5")];
    for (mechanism, budget) in [
        (Gaussian, concentrated("1/8")),
        (Gaussian, approximate("1", "1e-6")),
        (Laplace, pure("3")),
        (Laplace, concentrated("1/8")),
        (Laplace, concentrated("40")),
    ] {
        let find = |shares: &Shares| {
            let found = schedule(&lines, mechanism, shares, &budget);
            found.expect("a schedule").noises
        };
        let best = find(&Shares::Weighted(weights.to_vec()));
        let least = error(&best, &weights);
        // nΔ₂²/σ² or nΔ₁/t.
        let shares: Vec<Rational> = lines
            .iter()
            .zip(&best)
            .map(|(line, law)| {
                let norm = match mechanism {
                    Gaussian => line.corner.l2_squared(),
                    Laplace => line.corner.l1(),
                };
                let spent =
                    Rational::integer(BigInt::from(norm)) * Rational::from(u64::from(line.times));
                spent.checked_div(parameter(law)).expect("positive")
            })
            .collect();
        let same = error(&find(&Shares::Given(shares.clone())), &weights);
        assert!(
            (same / least - 1.0).abs() < 1e-6,
            "{mechanism} {budget} {same} {least}"
        );
        for place in 0..lines.len() {
            for factor in ["51/50", "50/51"] {
                if mechanism == Gaussian && budget == approximate("1", "1e-6") && place > 0 {
                    // Slower, and of the same proportions as those of a ρ.
                    continue;
                }
                let mut moved = shares.clone();
                moved[place] = &moved[place] * &number(factor);
                let other = error(&find(&Shares::Given(moved)), &weights);
                assert!(
                    other > least,
                    "{mechanism} {budget} {place} {factor}: {other} {least}"
                );
            }
        }
    }
}

#[test]
fn laplace_noise_leaves_nothing_of_a_rho() {
    let lines = [line(2, 1, 36), line(1, 80, 3), line(16, 5, 1)];
    for rho in ["1e-6", "0.01", "0.5", "30", "2000"] {
        for shares in [
            Shares::Weighted(Vec::new()),
            Shares::Given(vec![number("1"), number("5"), number("0.1")]),
        ] {
            let found = schedule(&lines, Mechanism::Laplace, &shares, &concentrated(rho));
            let found = found.expect("noise");
            let each = lines.iter().zip(&found.noises).map(|(line, law)| {
                let step = line
                    .corner
                    .step()
                    .to_string()
                    .parse::<f64>()
                    .expect("short");
                let loss = step / parameter(law).to_f64();
                let parts =
                    f64::from(line.times) * Rational::from(line.corner.coordinates()).to_f64();
                parts * loss * (loss / 2.0).tanh()
            });
            let (spent, all) = (each.sum::<f64>(), number(rho).to_f64());
            assert!(spent <= all * (1.0 + 1e-12), "{rho} {spent}");
            assert!(spent > all * (1.0 - 1e-8), "{rho} {spent}");
            assert!(found.refuted.is_none() && found.gap.is_none() && found.delta.is_none());
        }
    }
}

#[test]
fn a_certificate_says_what_the_noise_rests_on() {
    let two = [line(1, 1, 3), line(2, 1, 2)];
    let one = [line(2, 1, 7)];
    let equal = Shares::Weighted(Vec::new());
    for (lines, mechanism, budget, begins) in [
        (
            &two[..],
            Mechanism::Laplace,
            pure("1"),
            "The largest privacy losses of all releases add up to epsilon, exactly. They are attained",
        ),
        (
            &two,
            Mechanism::Laplace,
            approximate("1", "1e-40"),
            "The largest privacy losses of all releases add up to epsilon, exactly, so that no delta",
        ),
        (
            &two,
            Mechanism::Gaussian,
            concentrated("1"),
            "Zero-concentrated privacy adds up",
        ),
        (
            &one,
            Mechanism::Gaussian,
            approximate("1", "1e-6"),
            "Equal releases are one release",
        ),
        (
            &one,
            Mechanism::Laplace,
            approximate("1", "1e-6"),
            "Equal releases are one release",
        ),
        (
            &two,
            Mechanism::Gaussian,
            approximate("1", "1e-6"),
            "The law of the sum of all privacy losses",
        ),
    ] {
        let found = schedule(lines, mechanism, &equal, &budget).expect("noise");
        let certificate = found.certificate();
        assert!(certificate.starts_with(begins), "{certificate}");
        assert!(
            certificate.ends_with("the schedule is fixed beforehand."),
            "{certificate}"
        );
        let broken = certificate.contains("certainly broken");
        assert_eq!(broken, found.refuted.is_some(), "{certificate}");
    }
}
