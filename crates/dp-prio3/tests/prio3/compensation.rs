//! A batch that falls short: the aggregators add the bits that are missing, and the collector
//! corrects for all of them.

use dp_prio3::Measurement::Bits;
use dp_prio3::{AggregatorNoise, Parts, Policy};

use crate::support::{
    OAMC, OAOC, OC, among, assert_errs_as_predicted, epsilon_of, limited_parts, one_hot_rappor,
    policy_of, rng, with_noise,
};

/// The clients' parts, for batches of `fewest` to `most` reports, with 12 buckets.
fn clients([fewest, most]: [u64; 2], epsilon0: &str) -> Parts {
    limited_parts(&one_hot_rappor(12, epsilon0, "1e-18"), fewest, most)
}

/// The policy that fills these clients' batches up to `target` honest clients.
fn filled(clients: &Parts, target: u64, malicious: u64) -> Policy {
    let (target_honest_clients, assumed_malicious_clients) = (target, malicious);
    let noise = AggregatorNoise::Compensation { target_honest_clients, assumed_malicious_clients };
    policy_of(with_noise(clients, noise))
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
    let policy = filled(&clients([1, 200], "2"), 100, 10);
    for (honest, minimum_batch) in [(50, 60), (1, 11)] {
        let circumstances = among(honest, "1e-6");
        let cost = dp_prio3::spending::cost_of_a_release(&policy, OAMC, &circumstances).unwrap();
        assert_eq!(cost.minimum_batch, minimum_batch);
    }
}
