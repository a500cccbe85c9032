//! What the parties run is what the policy's mechanism draws: no more, no less, in the same order.
//!
//! With this, the exact probabilities that `privacy_by_enumeration.rs` and
//! `rappor_by_enumeration.rs` check are those of the code that runs.

use crate::support::{
    histogram_gaussian, histogram_laplace, multihot_rappor, rng, sum_vec_laplace,
};
use dp_prio3::{DpPolicy, PolicyDescription, SignedField, VdafKind};
use prio::field::Field128;

/// Longer than the buffer through which the noise passes.
const LENGTH: usize = 700;

fn added_noise(policy: &impl DpPolicy<Flp: prio::flp::Flp<Field = Field128>>) -> Vec<i128> {
    let share: Vec<Field128> = (0..LENGTH as u128).map(|x| Field128::from(x * x)).collect();
    let mut noisy = share.clone();
    policy
        .add_noise(&mut noisy, 10, &mut rng(5))
        .expect("the noise fits");
    noisy
        .into_iter()
        .zip(share)
        .map(|(noisy, share)| (noisy - share).to_signed())
        .collect()
}

#[test]
fn an_aggregator_adds_the_draws_of_its_sampler_and_nothing_else() {
    let mut draws = vec![0_i128; LENGTH];

    let policy = histogram_gaussian(2, LENGTH);
    let sampler = policy.mechanism().sampler().expect("a sampler");
    assert_eq!(sampler.variance(), policy.mechanism().variance_parameter());
    sampler.fill(&mut rng(5), &mut draws).unwrap();
    assert_eq!(added_noise(&policy), draws);
    assert!(draws.iter().any(|draw| *draw < 0) && draws.iter().any(|draw| *draw > 0));

    let policy = histogram_laplace(2, LENGTH);
    let sampler = policy.mechanism().sampler().expect("a sampler");
    assert_eq!(sampler.scale(), policy.mechanism().scale());
    sampler.fill(&mut rng(5), &mut draws).unwrap();
    assert_eq!(added_noise(&policy), draws);

    let policy = sum_vec_laplace(2, LENGTH, 3);
    let sampler = policy.mechanism().sampler().expect("a sampler");
    sampler.fill(&mut rng(5), &mut draws).unwrap();
    assert_eq!(added_noise(&policy), draws);
}

#[test]
fn an_aggregator_of_the_rappor_policy_adds_nothing() {
    let policy = multihot_rappor(2, LENGTH, 1);
    assert_eq!(added_noise(&policy), vec![0; LENGTH]);
}

#[test]
fn a_rappor_client_reports_what_its_randomizer_draws() {
    let policy = multihot_rappor(2, 50, 3);
    let mut bits = vec![false; 50];
    bits[3] = true;
    bits[40] = true;
    let reported = policy.randomize(&bits[..], &mut rng(5)).unwrap();
    policy.randomizer().bits().randomize(&mut rng(5), &mut bits);
    assert_eq!(reported, bits);
}

#[test]
fn a_client_without_randomization_reports_its_measurement() {
    let policy = histogram_gaussian(2, 5);
    assert_eq!(policy.randomize(&4, &mut rng(5)).unwrap(), 4);
    let policy = sum_vec_laplace(2, 2, 9);
    assert_eq!(policy.randomize(&[9, 0], &mut rng(5)).unwrap(), [9, 0]);
}

/// (y·(e^ε₀ + 1) − n)/(e^ε₀ − 1) and √(n·e^ε₀)/(e^ε₀ − 1) at ε₀ = 2.
#[test]
fn rappor_totals_are_debiased() {
    let policy = multihot_rappor(3, 2, 1);
    let odds = 2.0_f64.exp();
    let estimates = policy.estimate(&[30, 0], 100);
    for (estimate, count) in estimates.iter().zip([30.0, 0.0]) {
        let expected = (count * (odds + 1.0) - 100.0) / (odds - 1.0);
        assert!((estimate.value - expected).abs() < 1e-9);
        let expected = (100.0 * odds).sqrt() / (odds - 1.0);
        assert!((estimate.standard_error - expected).abs() < 1e-9);
    }
}

#[test]
fn noisy_totals_are_their_own_estimates_with_the_noise_of_all_aggregators() {
    // 2q/(1 − q)² with q = e^(−1/4), three times.
    let q = (-0.25_f64).exp();
    let variance = 3.0 * 2.0 * q / (1.0 - q).powi(2);
    let estimates = histogram_laplace(3, 2).estimate(&[-7, 12], 5);
    for (estimate, total) in estimates.iter().zip([-7.0, 12.0]) {
        assert!((estimate.value - total).abs() < 1e-12);
        assert!((estimate.standard_error - variance.sqrt()).abs() < 1e-9);
    }
}

#[test]
fn a_collector_and_a_planner_need_not_know_the_type_of_a_policy() {
    let policies: [Box<dyn PolicyDescription>; 3] = [
        Box::new(histogram_laplace(3, 2)),
        Box::new(sum_vec_laplace(2, 4, 3)),
        Box::new(multihot_rappor(2, 5, 1)),
    ];
    let described = policies.map(|policy| {
        let name = policy.name();
        assert!(name.starts_with(policy.vdaf_kind().name()), "{name}");
        assert!(policy.total_range(10).contains(&0));
        (policy.vdaf_kind(), policy.aggregators())
    });
    let expected = [
        (VdafKind::Histogram, 3),
        (VdafKind::SumVec, 2),
        (VdafKind::MultihotCountVec, 2),
    ];
    assert_eq!(described, expected);
}
