//! What the parties run is what the policy's mechanism draws: no more, no less, in the same order.
//!
//! With this, the exact probabilities that `privacy_by_enumeration.rs` and
//! `rappor_by_enumeration.rs` check are those of the code that runs.

use crate::support::{
    histogram_gaussian, histogram_laplace, multihot_rappor, rng, sum_vec_laplace,
};
use dp_prio3::{DpPolicy, SignedField};
use prio::field::Field128;

/// The buffer through which the noise passes.
const BUFFER: usize = 256;

/// Longer than that.
const LENGTH: usize = 700;

fn added_noise(policy: &impl DpPolicy<Flp: prio::flp::Flp<Field = Field128>>) -> Vec<i128> {
    let share: Vec<Field128> = (0..LENGTH as u128).map(|x| Field128::from(x * x)).collect();
    let mut noisy = share.clone();
    policy.add_noise(&mut noisy, 10, &mut rng(5)).expect("the noise fits");
    noisy.into_iter().zip(share).map(|(noisy, share)| (noisy - share).to_signed()).collect()
}

/// Draws of a sampler in parts of the buffer's length.
macro_rules! fill {
    ($sampler:expr, $draws:expr) => {{
        let mut rng = rng(5);
        for part in $draws.chunks_mut(BUFFER) {
            $sampler.fill(&mut rng, part).unwrap();
        }
    }};
}

#[test]
fn an_aggregator_adds_the_draws_of_its_sampler_and_nothing_else() {
    let mut draws = vec![0_i128; LENGTH];

    let policy = histogram_gaussian(2, LENGTH);
    let sampler = policy.mechanism().sampler().expect("a sampler");
    assert_eq!(sampler.variance(), policy.mechanism().variance_parameter());
    fill!(sampler, draws);
    assert_eq!(added_noise(&policy), draws);
    assert!(draws.iter().any(|draw| *draw < 0) && draws.iter().any(|draw| *draw > 0));

    let policy = histogram_laplace(2, LENGTH);
    let sampler = policy.mechanism().sampler().expect("a sampler");
    assert_eq!(sampler.scale(), policy.mechanism().scale());
    fill!(sampler, draws);
    assert_eq!(added_noise(&policy), draws);

    let policy = sum_vec_laplace(2, LENGTH, 3);
    let sampler = policy.mechanism().sampler().expect("a sampler");
    fill!(sampler, draws);
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
