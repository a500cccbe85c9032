//! Every proposal of a batch against its exact acceptance, in slots and without one.

use alloc::vec;
use alloc::vec::Vec;

use core::iter::zip;

use num_bigint::BigInt;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use super::super::lanes::{ACCEPTED, UNDECIDED};
use super::super::tests::{acceptance, all, value};
use super::*;
use crate::scripted_rng::ScriptedRng;

/// Proposal number `index` of a batch, with its true bucket even where that is far.
fn whole(distribution: &Rounds, batch: &Batch, index: usize) -> Proposal {
    let proposal = distribution.proposal(batch, index);
    let far = batch.far.iter().find(|(other, _)| *other == index);
    Proposal { bucket: far.map_or(proposal.bucket, |(_, bucket)| *bucket), ..proposal }
}

/// The draws that the proposals of a batch make by exact acceptance. U is known by the words of the
/// batch, which decide unless U lies within 2^−60 of the threshold.
fn expected(distribution: &Rounds, batch: &Batch) -> Vec<BigInt> {
    let mut draws = Vec::new();
    for index in 0..LANES {
        let mut uniform = BigInt::from(batch.uniform[index]) << 48;
        if batch.states[index] == UNDECIDED {
            uniform += batch.more(usize::from(batch.ranks[index].unsigned_abs()) - 1) >> 16;
        }
        let proposal = whole(distribution, batch, index);
        if uniform < acceptance(distribution, proposal).lower().floor_shifted(64) {
            draws.extend(value(distribution, proposal));
        }
    }
    draws
}

/// The draws that the engine makes of a batch, and the batch. `change` alters the proposals before
/// they are decided.
fn made(
    distribution: &Rounds,
    change: &dyn Fn(&Rounds, &mut Batch),
    rng: &mut ChaCha20Rng,
) -> (Vec<BigInt>, Batch) {
    let mut batch = Batch::default();
    distribution.propose(rng, &mut batch);
    change(distribution, &mut batch);
    let decided = distribution.decide(rng, &mut batch);
    let mut out = vec![BigInt::from(7); LANES];
    let taken = distribution.take(rng, &mut batch, decided, &mut out);
    out.truncate(taken.expect("big integers hold all"));
    (out, batch)
}

#[test]
fn batches_are_what_exact_acceptance_makes_of_them() {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    for distribution in all() {
        let (out, batch) = made(&distribution, &|_, _| {}, &mut rng);
        assert_eq!(out, expected(&distribution, &batch));
        // All but one in seven are accepted; 160 is more than 10 deviations below.
        assert!(out.len() > 160);
    }
}

/// A change of a batch: every `every`-th proposal gets a U near the threshold of the first
/// comparison.
fn near(every: usize) -> impl Fn(&Rounds, &mut Batch) {
    move |distribution, batch| {
        for index in (0..LANES).step_by(every) {
            let bounds = distribution.slope.bounds(batch.buckets[index], batch.offsets[index]);
            let middle = (bounds[0] + bounds[1]) / 2 + i64::try_from(index % 7).expect("small") - 3;
            batch.uniform[index] = u16::try_from(middle.min(65_535)).expect("positive");
        }
    }
}

#[test]
fn slots_decide_what_the_first_comparison_does_not() {
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    for distribution in all() {
        let (out, batch) = made(&distribution, &near(40), &mut rng);
        let undecided = batch.ranks.iter().filter(|rank| **rank > 0).count();
        assert!((5..=distribution.slots).contains(&undecided), "{undecided}");
        assert_eq!(out, expected(&distribution, &batch));
    }
}

#[test]
fn what_has_no_slot_is_decided_by_words_of_its_own() {
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    for distribution in all().into_iter().step_by(3) {
        let (out, batch) = made(&distribution, &near(2), &mut rng);
        let left = |state: &i16| *state == UNDECIDED;
        assert_eq!(batch.states.iter().filter(|state| left(state)).count(), distribution.slots);
        assert!(out.len() > 60);
    }
    // As often as its probability says: 7 deviations.
    let distribution = &all()[3];
    let (mut accepted, mut mean, mut variance) = (0.0, 0.0, 0.0);
    for _ in 0..40 {
        let (_, batch) = made(
            distribution,
            &|distribution, batch| {
                batch.buckets.fill(40);
                batch.outcomes.fill(40);
                batch.offsets.fill(0x8000);
                let lane = distribution.slope.bounds(40, 0x8000)[0] + 12;
                batch.uniform.fill(u16::try_from(lane).unwrap());
            },
            &mut rng,
        );
        let exact = acceptance(distribution, whole(distribution, &batch, 0)).shifted(16).midpoint();
        let p = (exact - f64::from(batch.uniform[0])).clamp(0.0, 1.0);
        for (state, rank) in zip(&batch.states, &batch.ranks) {
            if usize::from(rank.unsigned_abs()) > distribution.slots {
                accepted += f64::from(*state);
                mean += p;
                variance += p * (1.0 - p);
            }
        }
    }
    assert!((accepted - mean).abs() <= 7.0 * variance.sqrt() + 1e-6, "{accepted} {mean}");
}

#[test]
fn the_zero_with_a_negative_sign_does_not_count() {
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    for distribution in all().into_iter().filter(|distribution| distribution.is_fair) {
        let zero = |_: &Rounds, batch: &mut Batch| {
            batch.buckets.fill(0);
            batch.outcomes = core::array::from_fn(|lane| if lane % 3 == 0 { u16::MAX } else { 0 });
            batch.offsets.fill(0);
            batch.uppers.fill(0);
            batch.lower = [[0; _]; _];
            batch.uniform.fill(0);
            batch.bytes.fill(0);
        };
        let (out, _) = made(&distribution, &zero, &mut rng);
        assert_eq!(out, vec![BigInt::ZERO; LANES - LANES.div_ceil(3)]);
    }
}

#[test]
fn far_buckets_are_taken_with_their_exact_probability() {
    let mut rng = ChaCha20Rng::seed_from_u64(6);
    for mut distribution in all().into_iter().filter(|distribution| distribution.is_fair) {
        // Enclosures are exact for any bucket: buckets beyond two deviations are called far.
        distribution.last = distribution.last.min(12);
        let (out, batch) = made(&distribution, &|_, _| {}, &mut rng);
        assert_eq!(out, expected(&distribution, &batch));
        assert!(batch.far.len() > 4 && batch.far.iter().all(|(_, bucket)| *bucket > 12));
    }
}

#[test]
fn a_batch_takes_the_same_words_whatever_comes_out() {
    for distribution in all() {
        let used = |seed| {
            let mut source = ChaCha20Rng::seed_from_u64(seed);
            let mut script = ScriptedRng::new((0..2000).map(|_| source.next_u64()));
            distribution.fill(&mut script, &mut [0_i128; SHORT]).expect("128 bits");
            8 * (2000 - script.left())
        };
        let first = used(0);
        assert!((1..20).all(|seed| used(seed) == first));
        // 16 bits of a bucket and of U, the bits of the offset, and the slots.
        let least = LANES * (32 + distribution.width_bits as usize) / 8 + 8 * distribution.slots;
        assert!(first >= least && first < least + LANES * 11);
    }
}

#[test]
fn a_rejected_proposal_need_not_fit_and_an_accepted_one_has_to() {
    for exponent in [80, 136, 200] {
        let variance = dp_exact::Rational::integer(BigInt::from(1) << exponent);
        let distribution = Rounds::gaussian(&variance).unwrap();
        let mut batch = Batch::default();
        batch.buckets.fill(40);
        batch.outcomes.fill(40);
        for index in [10, 255] {
            (batch.buckets[index], batch.outcomes[index]) = (0, 0);
            batch.states[index] = ACCEPTED;
        }
        let take = |batch: &mut Batch| {
            let mut out = [7_i32; LANES];
            let rng = &mut ChaCha20Rng::seed_from_u64(1);
            let taken = distribution.take(rng, batch, 1 << ALWAYS, &mut out);
            (taken, out[0], out[1])
        };
        // Two zeros, and what is between them is beyond 2^41.
        assert_eq!(take(&mut batch), (Ok(2), 0, 0));
        batch.states[100] = ACCEPTED;
        assert_eq!(take(&mut batch).0, Err(1));
    }
}
