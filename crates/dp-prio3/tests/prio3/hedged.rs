//! Noise at both ends: the errors add up as predicted, and together the noises guarantee more than
//! each alone. And batches that fall short: the aggregators add the bits that are missing, and the
//! collector corrects for all of them.

use dp_prio3::Remark;
use dp_prio3::randomizers::Rappor;

use crate::support::*;

/// The Internet-Draft's setting: 0.297 by the clients and 0.317 by an aggregator, 0.211 together.
/// The k-ary answers of 1000 clients guarantee 0.7507 and the noise less than 1; together 0.5164.
#[test]
fn clients_and_noise_together_guarantee_more_than_each_alone() {
    let (flips, answers) = (one_hot_rappor(100, "5", "1e-15"), kary_response(5, "3"));
    let (draft, thousand) = (among(100_000, "1e-9"), among(1_000, "1e-6"));
    for (clients, noise, circumstances, of_clients, of_noise, of_both) in [
        (&flips, ("0.317", "1e-9"), &draft, 0.2974..0.2980, 0.30..=0.317, 0.2105..0.2120),
        (&answers, ("1", "1e-6"), &thousand, 0.7503..0.7510, 0.7510..=1.0, 0.51..0.52),
    ] {
        let alone = policy_of(clients.clone()).guarantee(OAMC, circumstances).bound;
        assert!(of_clients.contains(&epsilon_of(&alone)), "{alone}");
        let hedged = policy_of(with_noise(clients, gaussian(epsilon_delta(noise.0, noise.1))));
        let noise = hedged.guarantee(OAOC, circumstances).bound;
        assert!(of_noise.contains(&epsilon_of(&noise)), "{noise}");
        let together = hedged.guarantee(OAMC, circumstances);
        assert!(of_both.contains(&epsilon_of(&together.bound)), "{together}");
        assert_eq!(together.carried_over_from, None);
    }
    // Against everybody the flips guarantee what they do without noise.
    let hedged = policy_of(with_noise(&flips, gaussian(epsilon_delta("0.317", "1e-9"))));
    assert!((epsilon_of(&hedged.guarantee(OC, &draft).bound) - 10.0).abs() < 1e-12);
    // With discrete Laplace noise the better of two is guaranteed: all answers, or the noise and
    // the own answer, which together guarantee more than the noise alone.
    let hedged = policy_of(with_noise(&answers, laplace(pure("1"))));
    let of = |trust| epsilon_of(&hedged.guarantee(trust, &thousand).bound);
    assert!((of(OAMC) - 0.750_676).abs() < 1e-5 && (0.81..0.83).contains(&of(OAOC)));
}

/// At δ = 0 bits and Laplace noise have the closed form of one count, twice; where a report may be
/// dropped with a probability far above δ, bits and Gaussian noise still count together.
#[test]
fn bits_and_noise_count_together_without_delta_and_with_frequent_drops() {
    let laplace = with_noise(&one_hot_rappor(40, "0.5", "0"), laplace(pure("1")));
    let bound = policy_of(laplace).guarantee(OAOC, &among(250_000, "0")).bound;
    assert!((0.2402..0.2403).contains(&epsilon_of(&bound)), "{bound}");
    let noise = gaussian(epsilon_delta("2.046", "1e-3"));
    let dropping = policy_of(with_noise(&one_hot_rappor(3, "2", "0.02"), noise));
    let bound = dropping.guarantee(OAMC, &among(2, "1e-3")).bound;
    assert!((1.3..1.44).contains(&epsilon_of(&bound)), "{bound}");
}

/// Whether a report is sent shows under deletion: two or three ones among three bits are more
/// frequent for a one-hot vector than for the vector without a one.
#[test]
fn a_drop_that_only_one_neighbour_meets_is_part_of_a_guarantee_under_deletion() {
    let p = 1.0 / (3.0_f64.exp() + 1.0);
    let of_none = 3.0 * p * p * (1.0 - p) + p * p * p;
    // The own one stays and another comes, or it goes and both others come.
    let of_one = (1.0 - p) * (1.0 - (1.0 - p).powi(2)) + p * p * p;
    for (budget, delta) in [(pure("0.2"), "0"), (pure("0.2"), "1e-2"), (pure("1"), "1e-3")] {
        let policy = policy_of(with_noise(&one_hot_rappor(3, "3", "0.2"), laplace(budget)));
        let circumstances = among(1, delta).with_adjacency(Adjacency::Deletion);
        let bound = policy.guarantee(OAOC, &circumstances).bound;
        let least = of_one - epsilon_of(&bound).exp() * of_none;
        assert!(least <= delta.parse::<f64>().unwrap() + 1e-12, "{bound}: {least}");
    }
}

/// Of two measurements one may be dropped for its weight: that leaves less of δ for the noise.
/// Flips and noise together are beyond the range of the joint bound.
#[test]
fn unequal_weights_at_the_bound_take_from_delta() {
    let randomizer = Rappor::new(30, [0, 2], epsilon("120"), &rational("1e-11")).unwrap();
    let achieved = &randomizer.weight_bound.rate;
    let policy = policy_of(with_noise(&rappor(30, 2, "120", "1e-11"), laplace(pure("1"))));
    let budget = |delta| policy.guarantee(OAOC, &among(1, delta)).budget().cloned();
    let Some(Budget::Approximate { epsilon, delta }) = budget("1e-6") else {
        panic!("{:?}", budget("1e-6"));
    };
    assert_eq!(epsilon.to_string(), "1");
    // Twice what the bound achieves, which is less than what was asked for.
    let twice = achieved.upper().to_rational().unwrap() * rational("2");
    assert!(*delta.value() >= twice && *delta.value() < &twice * &rational("1.0001"));
    assert!(*delta.value() < rational("2e-11"));
    // At a smaller δ a dropped report alone exceeds it, and the clients' own flips answer.
    assert_eq!(budget("1e-99"), Some(pure("480")));
}

/// Beyond the range of the joint bound the single bounds still hold.
#[test]
fn a_failed_computation_is_a_remark() {
    let policy = policy_of(with_noise(&one_hot_rappor(4, "120", "0"), laplace(pure("1"))));
    let guarantee = policy.guarantee(OAOC, &alone());
    assert!((epsilon_of(&guarantee.bound) - 1.0).abs() < 1e-12);
    let is_said = |remark: &Remark| matches!(remark, Remark::NotComputed { .. });
    assert!(guarantee.remarks.iter().any(is_said), "{guarantee}");
    assert!(guarantee.to_string().contains("could not be computed"), "{guarantee}");
}

/// The clients' parts, for batches of `fewest` to `most` reports, with 12 buckets.
fn clients([fewest, most]: [u64; 2], epsilon0: &str) -> Parts {
    limited_parts(&one_hot_rappor(12, epsilon0, "1e-18"), fewest, most)
}

/// The policy that fills these clients' batches up to `target` honest clients.
fn filled(clients: &Parts, target: u64, malicious: u64) -> Policy {
    policy_of(with_noise(clients, compensation(target, malicious)))
}

#[test]
fn a_batch_that_is_made_up_for_is_unbiased_and_errs_as_predicted() {
    let policy = filled(&one_hot_rappor(40, "2", "1e-18"), 1_000, 0);
    let (mut bits, mut truth) = ([false; 40], [0.0; 40]);
    (bits[0], truth[0]) = (true, 10.0);
    assert_errs_as_predicted(policy.parts().clone(), Bits(&bits), &truth, [25, 10]);
}

/// ε₀ = 5, δ = 10⁻⁹: 100 000 wanted, at most 50 000 there, all of them honest.
#[test]
fn what_is_added_restores_the_guarantee_and_protects_without_other_clients() {
    let unfilled = clients([1, 50_000], "5");
    let policy = filled(&unfilled, 100_000, 0);
    let half = among(50_000, "1e-9");
    let plain = epsilon_of(&policy_of(unfilled).guarantee(OAMC, &half).bound);
    let restored = epsilon_of(&policy.guarantee(OAMC, &half).bound);
    assert!(plain > 0.42 && (0.2850..0.2980).contains(&restored), "{plain}, {restored}");
    let alone = epsilon_of(&policy.guarantee(OAOC, &half).bound);
    assert!((0.40..0.45).contains(&alone), "{alone}");
    assert!((epsilon_of(&policy.guarantee(OC, &half).bound) - 10.0).abs() < 1e-12);
}

/// With one honest client for certain, ε is the one of any number up to the target: of 1000 honest
/// reports nothing is added, and 9.9993 is refuted.
#[test]
fn the_guarantee_is_that_of_the_worst_number_of_honest_clients() {
    let policy = filled(&clients([101, 100_000], "5"), 1_000, 100);
    let epsilon = epsilon_of(&policy.guarantee(OAMC, &among(1, "1e-9")).bound);
    assert!((9.9993..=10.0).contains(&epsilon), "{epsilon}");

    // As in examples/tasks/compensated.toml: 5100 reports, 5000 of them honest, refute 0.493026.
    let policy = filled(&clients([1_000, 100_000], "3"), 5_000, 100);
    let epsilon = epsilon_of(&policy.guarantee(OAMC, &among(900, "1e-9")).bound);
    assert!((0.493_026..0.4945).contains(&epsilon), "{epsilon}");
}

/// Otherwise a batch without an honest report would be released.
#[test]
fn a_compensation_whose_smallest_batch_may_be_all_malicious_is_refused() {
    let parts = |malicious| with_noise(&clients([5, 10], "2"), compensation(100, malicious));
    Policy::new(parts(4)).unwrap();
    let refused = Policy::new(parts(5)).unwrap_err().to_string();
    let path = "aggregator_noise.assumed_malicious_clients";
    assert_eq!(refused, format!("{path} is 5: expected below batch.min_reports, 5"));
}

#[test]
fn a_batch_outside_the_policys_bounds_is_not_released() {
    let policy = filled(&clients([5, 10], "2"), 100, 0);
    for (reports, released) in [(4, false), (5, true), (10, true), (11, false)] {
        assert_eq!(policy.noise(reports, &mut rng(1)).is_ok(), released, "{reports}");
    }
}

/// A batch of 60 reports, 10 of them possibly malicious, has 50 honest ones, and not 60.
#[test]
fn a_release_is_charged_for_batches_that_have_the_honest_reports_that_it_counts_on() {
    let policy = filled(&clients([11, 200], "2"), 100, 10);
    for (honest, minimum_batch) in [(50, 60), (1, 11)] {
        let circumstances = among(honest, "1e-6");
        let cost = dp_prio3::spending::cost_of_a_release(&policy, OAMC, &circumstances).unwrap();
        assert_eq!(cost.minimum_batch, minimum_batch);
    }
}
