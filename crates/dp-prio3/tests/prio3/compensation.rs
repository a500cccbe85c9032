//! A batch that falls short: the aggregators add the bits that are missing, and the collector
//! corrects for all of them.

use crate::support::{OAMC, OAOC, OC, epsilon, epsilon_of, errs_as_predicted, rational, rng};
use dp_prio3::{Circumstances, DpPolicy, MultihotRappor, PolicyDescription};
use prio::field::Field128;

#[test]
fn a_batch_that_is_made_up_for_is_unbiased_and_errs_as_predicted() {
    let clients = MultihotRappor::one_hot(2, 40, epsilon("2"), &rational("1e-18")).unwrap();
    let policy = clients.with_compensation(1_000, 0).unwrap();
    let (mut bits, mut truth) = ([false; 40], [0.0; 40]);
    (bits[0], truth[0]) = (true, 10.0);
    errs_as_predicted(policy, &bits[..], &truth, [25, 10]);
}

/// ε₀ = 5, δ = 10⁻⁹: 100 000 wanted, at most 50 000 there, all of them honest.
#[test]
fn what_is_added_restores_the_guarantee_and_protects_without_other_clients() {
    let policy = at_most(50_000, "5", 100_000, 0);
    let half = Circumstances::new(50_000, "1e-9".parse().unwrap());
    let plain = epsilon_of(&clients([1, 50_000], "5").guarantee(OAMC, &half).bound);
    let restored = epsilon_of(&policy.guarantee(OAMC, &half).bound);
    assert!(plain > 0.42 && (0.2850..0.2980).contains(&restored), "{plain}, {restored}");
    let alone = epsilon_of(&policy.guarantee(OAOC, &half).bound);
    assert!((0.40..0.45).contains(&alone), "{alone}");
    assert!((epsilon_of(&policy.guarantee(OC, &half).bound) - 10.0).abs() < 1e-12);
}

fn at_most(reports: u64, epsilon0: &str, wanted: u64, malicious: u64) -> MultihotRappor {
    between([1, reports], epsilon0, wanted, malicious)
}

/// Batches of `fewest` to `most` reports.
fn between(limits: [u64; 2], epsilon0: &str, wanted: u64, malicious: u64) -> MultihotRappor {
    clients(limits, epsilon0).with_compensation(wanted, malicious).expect("valid")
}

/// The clients alone.
fn clients([fewest, most]: [u64; 2], epsilon0: &str) -> MultihotRappor {
    let rate = rational("1e-18");
    let clients = MultihotRappor::one_hot(2, 12, epsilon(epsilon0), &rate).expect("valid");
    let clients = clients.with_max_reports(most).expect("valid");
    clients.with_min_reports(fewest).expect("valid")
}

/// With one honest client for certain, ε is the one of any number up to the target: of 1000 honest
/// reports nothing is added, and 9.9993 is refuted.
#[test]
fn the_guarantee_is_that_of_the_worst_number_of_honest_clients() {
    let policy = between([101, 100_000], "5", 1_000, 100);
    let one = Circumstances::new(1, "1e-9".parse().unwrap());
    let epsilon = epsilon_of(&policy.guarantee(OAMC, &one).bound);
    assert!((9.9993..=10.0).contains(&epsilon), "{epsilon}");

    // As in examples/tasks/compensated.toml: 5100 reports, 5000 of them honest, refute 0.493026.
    let policy = between([1_000, 100_000], "3", 5_000, 100);
    let some = Circumstances::new(900, "1e-9".parse().unwrap());
    let epsilon = epsilon_of(&policy.guarantee(OAMC, &some).bound);
    assert!((0.493_026..0.4945).contains(&epsilon), "{epsilon}");
}

#[test]
fn a_batch_outside_the_policys_bounds_is_not_released() {
    let policy = between([5, 10], "2", 100, 0);
    let mut share = vec![Field128::from(0u128); 12];
    for (reports, released) in [(4, false), (5, true), (10, true), (11, false)] {
        let result = policy.add_noise(&mut share, reports, &mut rng(1));
        assert_eq!(result.is_ok(), released, "{reports}");
    }
}

/// A batch of 60 reports, 10 of them possibly malicious, has 50 honest ones, and not 60.
#[test]
fn a_release_is_charged_for_batches_that_have_the_honest_reports_that_it_counts_on() {
    let policy = at_most(200, "2", 100, 10);
    let cost = |honest, model| {
        let circumstances = Circumstances::new(honest, "1e-6".parse().unwrap());
        dp_prio3::spending::cost_of_a_release(&policy, model, &circumstances).unwrap()
    };
    assert_eq!(cost(50, OAMC).minimum_batch, 60);
    assert_eq!(cost(1, OAMC).minimum_batch, 11);
}
