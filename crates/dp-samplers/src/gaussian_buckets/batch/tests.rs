//! Every proposal of a batch against its exact acceptance, slots and what is beyond them included.

mod slots;

use num_bigint::BigInt;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::super::tests::{buckets, exact_gamma, variances};
use super::*;
use crate::enclosure;
use crate::script::Script;

/// The draws that the proposals of a batch make by exact acceptance, from the words of the batch, which
/// decide unless U lies within 2^−60 of the threshold.
fn expected(law: &Buckets, batch: &Batch) -> Vec<BigInt> {
    let mut rank = 0;
    let mut draws = Vec::new();
    for index in 0..LANES {
        let mut uniform = BigInt::from(batch.uniform[index]) << 48;
        if batch.states[index] == lanes::UNDECIDED {
            uniform += batch.more(rank) >> 16;
            rank += 1;
        }
        let place = match law.shape.width_bits {
            ..=16 => law.place::<0>(batch, index),
            17..=64 => law.place::<1>(batch, index),
            _ => law.place::<2>(batch, index),
        };
        let bucket = batch.drawn[index];
        let exact = enclosure::exp_minus(&exact_gamma(law, bucket, place), 192);
        let y = (BigInt::from(bucket) << law.shape.width_bits) + law.offset(place);
        let negative = batch.word(SIGNS, index / 64) >> (index % 64) & 1 == 1;
        if uniform < exact.lower().floor_shifted(64) && !(negative && y == BigInt::ZERO) {
            draws.push(if negative { -y } else { y });
        }
    }
    draws
}

/// What the engine makes of a batch, whose words are drawn and then changed.
fn made<const MORE_WORDS: usize>(
    law: &Buckets,
    change: impl Fn(&Buckets, &mut Batch),
    rng: &mut ChaCha20Rng,
) -> (Vec<BigInt>, Vec<BigInt>, Batch) {
    let mut batch = Batch::new();
    law.propose::<_, MORE_WORDS>(rng, &mut batch);
    change(law, &mut batch);
    let decided = law.decide::<_, MORE_WORDS>(rng, &mut batch);
    let mut out = vec![BigInt::from(7); LANES];
    let taken = law.take::<_, _, MORE_WORDS>(rng, (&batch, decided), &mut out);
    out.truncate(taken.expect("big integers hold all"));
    (out, expected(law, &batch), batch)
}

fn made_by_width(
    law: &Buckets,
    change: impl Fn(&Buckets, &mut Batch),
    rng: &mut ChaCha20Rng,
) -> (Vec<BigInt>, Vec<BigInt>, Batch) {
    match law.shape.width_bits {
        ..=16 => made::<0>(law, change, rng),
        17..=64 => made::<1>(law, change, rng),
        _ => made::<2>(law, change, rng),
    }
}

#[test]
fn batches_are_what_exact_acceptance_makes_of_them() {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    for variance in variances() {
        let law = buckets(&variance);
        for _ in 0..4 {
            let (out, expected, _) = made_by_width(&law, |_, _| {}, &mut rng);
            assert_eq!(out, expected);
            // All but one in twenty are accepted; 200 is more than 10 deviations below.
            assert!(out.len() > 200);
        }
    }
}

/// Puts lane U of some proposals around the threshold of the first comparison.
fn near(every: usize) -> impl Fn(&Buckets, &mut Batch) {
    move |law, batch| {
        for index in (0..LANES).step_by(every) {
            let (bucket, place) = (batch.buckets[index], batch.places[index]);
            let exact = law.slope.threshold(bucket, place);
            let offset = u16::try_from(index / every % 27).expect("small");
            batch.uniform[index] = exact.saturating_sub(19).saturating_add(offset);
        }
    }
}

#[test]
fn slots_decide_what_the_first_comparison_does_not() {
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    let mut most = 0;
    for variance in variances() {
        let law = buckets(&variance);
        // At most 8 of every 256/32 are undecided.
        for _ in 0..40 {
            let (out, expected, batch) = made_by_width(&law, near(32), &mut rng);
            assert_eq!(out, expected);
            most = most.max(batch.undecided().count());
        }
    }
    assert!((6..=SLOTS).contains(&most), "{most}");
}

#[test]
fn what_has_no_slot_is_decided_all_the_same() {
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    for variance in variances().into_iter().step_by(3) {
        let law = buckets(&variance);
        let (out, decided, batch) = made_by_width(&law, near(2), &mut rng);
        assert!(batch.states.iter().all(|&state| state <= lanes::UNDECIDED));
        assert_eq!(batch.undecided().count(), SLOTS);
        // Those without a slot were decided by words of their own; 16 bits of U bound them.
        assert!(out.len().abs_diff(decided.len()) <= LANES / 2);
        assert!(out.len() > 60);
    }
}

/// The frequency with which a proposal without a slot is accepted is its probability.
#[test]
fn proposals_without_a_slot_are_accepted_as_often_as_others() {
    let mut rng = ChaCha20Rng::seed_from_u64(4);
    let law = buckets(&dp_exact::Rational::integer(1_000_000_000_000_u64));
    let (mut accepted, mut mean, mut variance) = (0.0, 0.0, 0.0);
    for _ in 0..40 {
        let (_, _, batch) = made::<0>(
            &law,
            |law, batch| {
                batch.buckets.fill(40);
                batch.drawn.fill(40);
                batch.places.fill(0x8123);
                let lane = law.slope.threshold(40, 0x8123) - 4;
                batch.uniform.fill(lane);
            },
            &mut rng,
        );
        let lane = batch.uniform[0];
        let place = law.place::<0>(&batch, 0);
        let exact = enclosure::exp_minus(&exact_gamma(&law, 40, place), 96).shifted(16);
        let p = (exact.midpoint() - f64::from(lane)).clamp(0.0, 1.0);
        for &state in &batch.states[SLOTS..] {
            accepted += f64::from(state);
            mean += p;
            variance += p * (1.0 - p);
        }
    }
    assert!(
        (accepted - mean).abs() <= 7.0 * variance.sqrt() + 1e-6,
        "{accepted} {mean}"
    );
}

#[test]
fn the_zero_with_a_negative_sign_does_not_count() {
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    for variance in variances() {
        let law = buckets(&variance);
        let zero = |_: &Buckets, batch: &mut Batch| {
            batch.buckets.fill(0);
            batch.drawn.fill(0);
            batch.places.fill(0);
            batch.uniform.fill(0);
            batch.bytes[DRAWN..].fill(0);
        };
        let (out, expected, batch) = made_by_width(&law, zero, &mut rng);
        let negative = |index: &usize| batch.word(SIGNS, index / 64) >> (index % 64) & 1 == 1;
        assert_eq!(out, expected);
        assert_eq!(out.len(), LANES - (0..LANES).filter(negative).count());
        assert!(out.iter().all(|draw| *draw == BigInt::ZERO));
    }
}

#[test]
fn far_buckets_are_taken_with_their_exact_probability() {
    let mut rng = ChaCha20Rng::seed_from_u64(6);
    for variance in variances() {
        let law = buckets(&variance);
        let far = |law: &Buckets, batch: &mut Batch| {
            for (index, beyond) in [(3, 0), (77, 50), (255, 20)] {
                batch.drawn[index] = law.shape.last + 1 + beyond;
                // At the end of the bucket, where 16 bits decide.
                batch.places[index] = u16::MAX << (16 - law.shape.width_bits.min(16));
                batch.uniform[index] = if index == 77 { u16::MAX } else { 0 };
            }
            law.set_aside(batch);
        };
        let (out, expected, batch) = made_by_width(&law, far, &mut rng);
        assert_eq!(batch.far.len(), 3);
        assert_eq!(out, expected);
        let bound = BigInt::from(law.shape.last + 1) << law.shape.width_bits;
        let count = out
            .iter()
            .filter(|draw| draw.magnitude() >= bound.magnitude());
        assert_eq!(count.count(), 2);
    }
}

#[test]
fn buckets_beyond_the_last_are_set_aside_and_places_have_their_bits() {
    let mut rng = ChaCha20Rng::seed_from_u64(8);
    for variance in variances() {
        let mut law = buckets(&variance);
        // What is compared by enclosures is exact for any bucket. Two deviations.
        law.shape.last = 20;
        for _ in 0..2 {
            let (out, expected, batch) = made_by_width(&law, |_, _| {}, &mut rng);
            assert_eq!(out, expected);
            let beyond = |(_, drawn): &(usize, i64)| *drawn > 20;
            let far = batch.drawn.iter().copied().enumerate().filter(beyond);
            assert!(batch.far.iter().copied().eq(far));
            let unused = 16 - law.shape.width_bits.min(16);
            for (place, bytes) in zip(&batch.places, batch.bytes.as_chunks().0) {
                assert_eq!(*place, u16::from_le_bytes(*bytes) >> unused << unused);
            }
        }
    }
}

#[test]
fn a_batch_draws_the_words_that_places_of_its_width_need() {
    for variance in variances() {
        let law = buckets(&variance);
        let mut table = Counted(ChaCha20Rng::seed_from_u64(9), 0);
        law.table
            .fill(&mut table, &mut [0_i64; LANES])
            .expect("64 bits");
        let mut rng = Counted(ChaCha20Rng::seed_from_u64(9), 0);
        // All but one in twenty of 256 are accepted.
        law.fill_in_batches(&mut rng, &mut [0_i128; SHORT])
            .expect("128 bits");
        let more = match law.shape.width_bits {
            ..=16 => 0,
            17..=64 => 1,
            _ => 2,
        };
        // 16 bits of place and of U and a sign for each, and 8 slots.
        let least = LANES * (4 + 8 * more) + LANES / 8 + 64;
        assert_eq!(rng.1 - table.1, least);
    }
}

/// Counts the bytes that are drawn.
struct Counted(ChaCha20Rng, usize);

impl rand_core::TryRng for Counted {
    type Error = rand_core::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.1 += 4;
        self.0.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        self.1 += 8;
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.1 += bytes.len();
        self.0.try_fill_bytes(bytes)
    }
}

#[test]
fn a_batch_takes_the_same_words_whatever_comes_out() {
    for variance in variances() {
        let law = buckets(&variance);
        let mut used = Vec::new();
        for seed in 0..20 {
            let mut rng = Counted(ChaCha20Rng::seed_from_u64(seed), 0);
            let mut batch = Batch::new();
            law.propose::<_, 1>(&mut rng, &mut batch);
            law.decide::<_, 1>(&mut rng, &mut batch);
            let mut out = [0_i128; LANES];
            let taken = law.take::<_, _, 1>(&mut rng, (&batch, 0), &mut out);
            assert!(taken.is_ok());
            used.push(rng.1);
        }
        assert!(used.iter().all(|&bytes| bytes == used[0]), "{used:?}");
    }
}

#[test]
fn a_rejected_proposal_need_not_fit_and_an_accepted_one_has_to() {
    for exponent in [80, 88, 136, 200] {
        let law = buckets(&dp_exact::Rational::integer(BigInt::from(1) << exponent));
        let mut batch = Batch::new();
        batch.buckets.fill(40);
        batch.states.fill(0);
        batch.states[255] = lanes::ACCEPTED;
        for index in [10, 255] {
            batch.buckets[index] = 0;
            batch.states[index] = lanes::ACCEPTED;
        }
        let take = |batch: &Batch| {
            let (mut out, mut script) = ([7_i32; LANES], Script::new([]));
            let rng = &mut script;
            let taken = match law.shape.width_bits {
                ..=64 => law.take::<_, _, 1>(rng, (batch, 0), &mut out),
                _ => law.take::<_, _, 2>(rng, (batch, 0), &mut out),
            };
            (taken, out[0], out[1])
        };
        // Two zeros, and what is between them is beyond 2^41.
        assert_eq!(take(&batch), (Ok(2), 0, 0));
        batch.states[100] = lanes::ACCEPTED;
        assert_eq!(take(&batch).0, Err(1));
    }
}

#[test]
fn the_position_of_a_draw_that_does_not_fit_is_counted_in_the_whole_slice() {
    // 2^31 is about three deviations.
    let law = buckets(&dp_exact::Rational::integer(BigInt::from(57) << 53));
    let mut seen = [false; 3];
    for seed in 0..60 {
        for length in [40, 290, 700] {
            let mut all = vec![0_i64; length];
            let mut rng = ChaCha20Rng::seed_from_u64(seed);
            law.fill_in_batches(&mut rng, &mut all).expect("64 bits");
            let unfit = all.iter().position(|&draw| i32::try_from(draw).is_err());
            let mut few = vec![0_i32; length];
            let mut rng = ChaCha20Rng::seed_from_u64(seed);
            let filled = law.fill_in_batches(&mut rng, &mut few);
            let target = "i32";
            let expected = unfit.map_or(Ok(()), |index| Err(Error::Overflow { index, target }));
            assert_eq!(filled, expected);
            let before = unfit.unwrap_or(length);
            assert!(
                all.iter()
                    .zip(&few)
                    .take(before)
                    .all(|(a, b)| *a == i64::from(*b))
            );
            seen[unfit.map_or(2, |index| usize::from(index >= LANES))] = true;
        }
    }
    assert_eq!(seen, [true; 3]);
}
