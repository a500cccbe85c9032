//! Proposals that the first comparison leaves undecided, with U as near to e^−γ as is wanted.

use num_bigint::BigInt;

use super::super::*;
use crate::enclosure;
use crate::gaussian_buckets::tests::{buckets, exact_gamma, variances};
use crate::script::Script;

/// U to 64 bits as a batch has it: 16 in a lane, and 48 that come with a slot. The last 16 bits of that
/// word are not used.
fn halves(uniform: u64) -> (u16, u64) {
    let lane = u16::try_from(uniform >> 48).expect("16 bits");
    (lane, (uniform << 16) | 0x5a5a)
}

/// A batch of proposals that the first comparison accepts, which have other words below their places.
fn quiet() -> Batch {
    let mut batch = Batch::new();
    batch.uniform.fill(1000);
    for (byte, value) in batch.bytes[DRAWN..].iter_mut().zip((0..=250).cycle()) {
        *byte = value;
    }
    batch
}

fn decide_by_width(law: &Buckets, batch: &mut Batch, script: &mut Script) -> u64 {
    match law.shape.width_bits {
        ..=16 => law.decide::<_, 0>(script, batch),
        17..=64 => law.decide::<_, 1>(script, batch),
        _ => law.decide::<_, 2>(script, batch),
    }
}

fn place_by_width(law: &Buckets, batch: &Batch, index: usize) -> Place {
    match law.shape.width_bits {
        ..=16 => law.place::<0>(batch, index),
        17..=64 => law.place::<1>(batch, index),
        _ => law.place::<2>(batch, index),
    }
}

/// Puts a proposal in the batch and gives the first 128 bits of its e^−γ.
fn propose_at(law: &Buckets, batch: &mut Batch, index: usize) -> BigInt {
    let place = (0xc3a5_u16).wrapping_add(u16::try_from(index).expect("few") << 5);
    let kept = u16::MAX << (16 - law.shape.width_bits.min(16));
    batch.buckets[index] = 30 + u16::try_from(index).expect("few") / 8;
    batch.places[index] = place & kept | (1 << (16 - law.shape.width_bits.min(16)));
    let bucket = batch.buckets[index].into();
    let place = place_by_width(law, batch, index);
    let exact = enclosure::exp_minus(&exact_gamma(law, bucket, place), 256);
    exact.lower().floor_shifted(128)
}

/// Puts U at these 128 bits; the last 64 of them are for the generator.
fn put(batch: &mut Batch, (index, rank): (usize, usize), uniform: &BigInt) -> [u64; 2] {
    let first = u64::try_from(uniform >> 64).expect("below 1");
    let last = u64::try_from(uniform & BigInt::from(u64::MAX)).expect("64 bits");
    let (lane, more) = halves(first);
    batch.uniform[index] = lane;
    if rank < SLOTS {
        let start = memory::MORE_OF_U + 8 * rank;
        batch.bytes[start..start + 8].copy_from_slice(&more.to_le_bytes());
    }
    [more, last]
}

#[test]
fn a_slot_that_is_undecided_is_decided_by_the_exact_exponential() {
    for variance in variances() {
        let law = buckets(&variance);
        for pattern in 0..8_u64 {
            let mut batch = quiet();
            let mut words = Vec::new();
            for (rank, index) in [3, 77, 200].into_iter().enumerate() {
                let threshold = propose_at(&law, &mut batch, index);
                // By one unit in 2^128 below the threshold, or above it.
                let below = pattern >> rank & 1 == 1;
                let uniform = threshold + if below { -1 } else { 1 };
                words.push(put(&mut batch, (index, rank), &uniform)[1]);
            }
            let mut script = Script::new(words);
            let decided = decide_by_width(&law, &mut batch, &mut script);
            assert_eq!((decided & 7, script.left()), (pattern, 0), "{variance}");
            assert_eq!(batch.undecided().count(), 3);
        }
    }
}

#[test]
fn a_slot_draws_more_words_within_the_margin_and_nowhere_else() {
    for variance in variances() {
        let law = buckets(&variance);
        for (index, rank) in [(0, 0), (200, 0)] {
            let mut batch = quiet();
            propose_at(&law, &mut batch, index);
            let place = place_by_width(&law, &batch, index);
            let threshold = exp_minus(law.shape.gamma(batch.buckets[index].into(), place));
            for (low, accepted, decided) in [
                (threshold - MARGIN - 1, true, true),
                (threshold - MARGIN, true, false),
                (threshold + MARGIN - 1, false, false),
                (threshold + MARGIN, false, true),
            ] {
                put(&mut batch, (index, rank), &(BigInt::from(low) << 65));
                let mut script = Script::new([0; 2]);
                let accepts = decide_by_width(&law, &mut batch, &mut script) & 1 == 1;
                assert_eq!(script.left() == 2, decided, "{variance}");
                // Within the margin the exact exponential decides, which may lie anywhere there.
                assert!(!decided || accepts == accepted);
            }
        }
    }
}

#[test]
fn proposals_without_a_slot_are_decided_by_words_of_their_own_from_the_last_on() {
    for variance in variances() {
        let law = buckets(&variance);
        for pattern in [0b01_0110_0101_u64, 0b10_1001_1010, 0b11_0000_0000] {
            let (mut batch, mut own) = (quiet(), Vec::new());
            let undecided: Vec<usize> = (0..SLOTS + 2).map(|rank| 5 + 21 * rank).collect();
            for (rank, &index) in undecided.iter().enumerate() {
                let threshold = propose_at(&law, &mut batch, index);
                // What has a slot is decided there.
                let far: BigInt = BigInt::from(1) << if rank < SLOTS { 80 } else { 0 };
                let below = pattern >> rank & 1 == 1;
                let uniform = threshold + if below { -far } else { far };
                own.push(put(&mut batch, (index, rank), &uniform));
            }
            let mut script = Script::new(own.into_iter().skip(SLOTS).rev().flatten());
            let decided = decide_by_width(&law, &mut batch, &mut script);
            assert_eq!((decided, script.left()), (pattern & 0xff, 0), "{variance}");
            for (rank, &index) in undecided.iter().enumerate() {
                let expected = if rank < SLOTS {
                    lanes::UNDECIDED
                } else {
                    lanes::ACCEPTED * u16::from(pattern >> rank & 1 == 1)
                };
                assert_eq!(batch.states[index], expected);
            }
        }
    }
}
