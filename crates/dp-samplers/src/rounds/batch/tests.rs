//! Every proposal of a batch against its exact acceptance, slots and what is beyond them included.

use alloc::vec;
use alloc::vec::Vec;

use num_bigint::BigInt;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::super::tests::{acceptance, all, value};
use super::*;

/// A proposal with its bucket as it was drawn.
fn whole(law: &Rounds, batch: &Batch, index: usize) -> Proposal {
    let proposal = match law.width_bits {
        ..=16 => law.proposal::<0>(batch, index),
        17..=64 => law.proposal::<1>(batch, index),
        _ => law.proposal::<2>(batch, index),
    };
    let drawn = batch.drawn[index];
    Proposal { bucket: drawn ^ (drawn >> 63), ..proposal }
}

/// The draws that the proposals of a batch make by exact acceptance, from the words of the batch, which decide unless U
/// lies within 2^−60 of the threshold.
fn expected(law: &Rounds, batch: &Batch) -> Vec<BigInt> {
    let mut draws = Vec::new();
    for index in 0..LANES {
        let mut uniform = BigInt::from(batch.uniform[index]) << 48;
        if batch.states[index] == UNDECIDED {
            uniform += batch.more(usize::from(batch.ranks[index].unsigned_abs()) - 1) >> 16;
        }
        let proposal = whole(law, batch, index);
        if uniform < acceptance(law, proposal).lower().floor_shifted(64) {
            draws.extend(value(law, proposal, batch.sign(index) < 0));
        }
    }
    draws
}

/// What the engine makes of a batch, whose words are drawn and then changed.
fn made_by<const MORE_WORDS: usize>(
    law: &Rounds,
    change: &dyn Fn(&Rounds, &mut Batch),
    rng: &mut ChaCha20Rng,
) -> (Vec<BigInt>, Batch) {
    let mut batch = Batch::new();
    law.propose::<_, MORE_WORDS>(rng, &mut batch);
    change(law, &mut batch);
    let decided = law.decide::<_, MORE_WORDS>(rng, &mut batch);
    let mut out = vec![BigInt::from(7); LANES];
    let taken = law.take::<_, _, MORE_WORDS>(rng, (&batch, decided), &mut out);
    out.truncate(taken.expect("big integers hold all"));
    (out, batch)
}

fn made(
    law: &Rounds,
    change: &dyn Fn(&Rounds, &mut Batch),
    rng: &mut ChaCha20Rng,
) -> (Vec<BigInt>, Batch) {
    match law.width_bits {
        ..=16 => made_by::<0>(law, change, rng),
        17..=64 => made_by::<1>(law, change, rng),
        _ => made_by::<2>(law, change, rng),
    }
}

#[test]
fn batches_are_what_exact_acceptance_makes_of_them() {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    for law in all() {
        for _ in 0..3 {
            let (out, batch) = made(&law, &|_, _| {}, &mut rng);
            assert_eq!(out, expected(&law, &batch));
            // All but one in seven are accepted; 160 is more than 10 deviations below.
            assert!(out.len() > 160);
        }
    }
}

/// Puts the lane of U of some proposals at the threshold of the first comparison.
fn near(every: usize) -> impl Fn(&Rounds, &mut Batch) {
    move |law, batch| {
        for index in (0..LANES).step_by(every) {
            let bounds = law.slope.bounds(batch.buckets[index], batch.places[index]);
            let middle = (bounds[0] + bounds[1]) / 2 + i64::try_from(index % 7).expect("small") - 3;
            batch.uniform[index] = u16::try_from(middle.min(65_535)).expect("positive");
        }
    }
}

#[test]
fn slots_decide_what_the_first_comparison_does_not() {
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    for law in all() {
        let mut most = 0;
        for _ in 0..4 {
            let (out, batch) = made(&law, &near(32), &mut rng);
            let undecided = batch.ranks.iter().filter(|rank| **rank > 0).count();
            if undecided <= law.slots {
                assert_eq!(out, expected(&law, &batch));
                most = most.max(undecided);
            }
        }
        assert!(most >= 7, "{most} of {}", law.slots);
    }
}

#[test]
fn what_has_no_slot_is_decided_by_words_of_its_own() {
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    for law in all().into_iter().step_by(3) {
        let (out, batch) = made(&law, &near(2), &mut rng);
        let left = |state: &i16| *state == UNDECIDED;
        assert_eq!(batch.states.iter().filter(|state| left(state)).count(), law.slots);
        assert!(out.len() > 60);
    }
    // As often as its probability says: 7 deviations.
    let law = &all()[3];
    let (mut accepted, mut mean, mut variance) = (0.0, 0.0, 0.0);
    for _ in 0..40 {
        let (_, batch) = made(
            law,
            &|law, batch| {
                batch.buckets.fill(40);
                batch.drawn.fill(40);
                batch.places.fill(0x8000);
                let lane = law.slope.bounds(40, 0x8000)[0] + 12;
                batch.uniform.fill(u16::try_from(lane).unwrap());
            },
            &mut rng,
        );
        let exact = acceptance(law, whole(law, &batch, 0)).shifted(16).midpoint();
        let p = (exact - f64::from(batch.uniform[0])).clamp(0.0, 1.0);
        for (state, rank) in zip(&batch.states, &batch.ranks) {
            if usize::from(rank.unsigned_abs()) > law.slots {
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
    for law in all().into_iter().filter(|law| law.sign == Sign::Fair) {
        let zero = |law: &Rounds, batch: &mut Batch| {
            batch.buckets.fill(0);
            batch.drawn.fill(0);
            batch.places.fill(0);
            batch.uniform.fill(0);
            batch.bytes[law.lower()..].fill(0);
        };
        let (out, batch) = made(&law, &zero, &mut rng);
        let negative = |index: &usize| batch.sign(*index) < 0;
        assert_eq!(out.len(), LANES - (0..LANES).filter(negative).count());
        assert!(out.iter().all(|draw| *draw == BigInt::ZERO));
    }
}

#[test]
fn far_buckets_are_taken_with_their_exact_probability() {
    let mut rng = ChaCha20Rng::seed_from_u64(6);
    for mut law in all().into_iter().filter(|law| law.sign == Sign::Fair) {
        // What is compared by enclosures is exact for any bucket. Two deviations.
        law.last = law.last.min(12);
        let (out, batch) = made(&law, &|_, _| {}, &mut rng);
        assert_eq!(out, expected(&law, &batch));
        let last = i64::from(law.last);
        let beyond = batch.drawn.iter().copied().enumerate();
        assert!(batch.far.iter().copied().eq(beyond.filter(|(_, drawn)| *drawn > last)));
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
    for law in all() {
        let used = |seed| {
            let mut rng = Counted(ChaCha20Rng::seed_from_u64(seed), 0);
            law.fill(&mut rng, &mut [0_i128; SHORT]).expect("128 bits");
            rng.1
        };
        let first = used(0);
        assert!((1..20).all(|seed| used(seed) == first));
        let more = usize::from(law.width_bits > 16) + usize::from(law.width_bits > 64);
        // 16 bits of a bucket, a place and U, a sign, and the slots.
        assert!(first >= LANES * (6 + 8 * more) + LANES / 8 + 8 * law.slots);
    }
}

#[test]
fn a_rejected_proposal_need_not_fit_and_an_accepted_one_has_to() {
    for exponent in [80, 136, 200] {
        let variance = dp_exact::Rational::integer(BigInt::from(1) << exponent);
        let law = Rounds::gaussian(&variance).unwrap();
        let mut batch = Batch::new();
        batch.buckets.fill(40);
        for index in [10, 255] {
            batch.buckets[index] = 0;
            batch.states[index] = ACCEPTED;
        }
        let take = |batch: &Batch| {
            let mut out = [7_i32; LANES];
            let rng = &mut ChaCha20Rng::seed_from_u64(1);
            let taken = law.take::<_, _, 2>(rng, (batch, 0), &mut out);
            (taken, out[0], out[1])
        };
        // Two zeros, and what is between them is beyond 2^41.
        assert_eq!(take(&batch), (Ok(2), 0, 0));
        batch.states[100] = ACCEPTED;
        assert_eq!(take(&batch).0, Err(1));
    }
}
