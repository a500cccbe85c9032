//! Draws in batches of proposals, most of which the first comparison decides.
//!
//! A batch draws its buckets by the scan, then words for places, comparisons and signs. The first
//! comparison ([`lanes`](super::lanes)) leaves less than 1 in 2800 undecided. What it needs of these is
//! put in slots, in order, and [`SLOTS`] slots are compared with 48 bits more, whether they hold
//! something or not. All slots of a kind lie in one line of the cache, so that no line depends on which
//! proposals are undecided. Accepted proposals are the draws, in order. Proposals that are left over are
//! wiped: whether they are used depends on how many were accepted, not on what they are.
//!
//! Each proposal is accepted with exactly its probability, whichever comparison decides. So the draws
//! are independent and have the law of [`gaussian_buckets`](super).
//!
//! # Timing
//! More than [`SLOTS`] of 256 proposals are undecided with a probability of at most
//! C(256, 9)·(23/2^16)^9 < 2^−49.9, the expected number of sets of 9. Then, where a slot is undecided,
//! and where a bucket is far, a batch takes longer.

mod memory;

use alloc::vec::Vec;
use core::hint::black_box;
use core::iter::zip;

use rand_core::Rng;
use zeroize::zeroize_stack;

use memory::{Batch, DRAWN, MORE, SIGNS};

use super::lanes::{self, LANES, Lanes};
use super::{Buckets, MARGIN, NARROW, Place};
use crate::bulk;
use crate::engine::Engine;
use crate::exponential::exp_minus;
use crate::{Error, FromDraw};

/// Fewer draws than this are made one by one.
const SHORT: usize = 64;

/// Undecided proposals that are compared for each batch: their keys fill a line of 64 bytes.
const SLOTS: usize = 8;

/// Of 2^64 batches, so many take longer than others, beside those of the scan: C(256, 9)·23^9/2^80 want
/// slots, and a slot is undecided in 4·(MARGIN + 1) of 2^64 cases. One for far buckets.
pub(super) const UNDECIDED: u64 = 16_819 + 4 * (MARGIN + 1) * SLOTS as u64 + 1;

/// Numbers of 16 bits from bytes.
fn split(lanes: &mut Lanes, bytes: &[u8]) {
    for (lane, bytes) in zip(lanes, bytes.as_chunks().0) {
        *lane = u16::from_le_bytes(*bytes);
    }
}

#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what is cut is not used"
)]
fn lowest_16(number: i64) -> u16 {
    number as u16
}

impl Buckets {
    /// Fills with draws. Wipes what it used.
    pub(super) fn fill_in_batches<T: FromDraw, R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        out: &mut [T],
    ) -> Result<(), Error> {
        let in_batches = if out.len() < SHORT {
            Ok(0)
        } else {
            let batch = &mut Batch::new();
            match self.shape.width_bits {
                ..=16 => self.fill_batches::<_, _, 0>(rng, batch, out),
                17..=64 => self.fill_batches::<_, _, 1>(rng, batch, out),
                _ => self.fill_batches::<_, _, 2>(rng, batch, out),
            }
        };
        let unfit = match in_batches {
            Ok(done) => self
                .fill_singly(rng, &mut out[done..])
                .map(|position| done + position),
            Err(position) => Some(position),
        };
        zeroize_stack::<{ bulk::STACK }>();
        bulk::complete(unfit, out)
    }

    /// Fills all but the last few, with places of `MORE_WORDS` words beside the first 16 bits: how many, or
    /// the position of a draw that does not fit. Apart from its caller, so that its part of the stack can
    /// be wiped.
    #[inline(never)]
    fn fill_batches<T: FromDraw, R: Rng + ?Sized, const MORE_WORDS: usize>(
        &self,
        rng: &mut R,
        batch: &mut Batch,
        out: &mut [T],
    ) -> Result<usize, usize> {
        let mut done = 0;
        while out.len() - done >= SHORT {
            self.propose::<_, MORE_WORDS>(rng, batch);
            let decided = self.decide::<_, MORE_WORDS>(rng, batch);
            let taken = self.take::<_, _, MORE_WORDS>(rng, (batch, decided), &mut out[done..]);
            done += taken.map_err(|position| done + position)?;
        }
        Ok(done)
    }

    /// Fills draw by draw; the position of one that does not fit.
    #[inline(never)]
    fn fill_singly<T: FromDraw, R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        out: &mut [T],
    ) -> Option<usize> {
        out.iter_mut()
            .position(|place| self.draw(rng).map(|draw| *place = draw).is_none())
    }

    /// Draws buckets, places and lanes of U.
    fn propose<R: Rng + ?Sized, const MORE_WORDS: usize>(&self, rng: &mut R, batch: &mut Batch) {
        // Every bucket fits 64 bits.
        let _: Result<(), Error> = self.table.fill(rng, &mut batch.drawn);
        if let Some(bytes) = batch.bytes.get_mut(..DRAWN + MORE_WORDS * MORE) {
            rng.fill_bytes(bytes);
        }
        let Batch {
            bytes,
            places,
            uniform,
            ..
        } = batch;
        split(places, &bytes[..2 * LANES]);
        split(uniform, &bytes[2 * LANES..4 * LANES]);
        if self.shape.width_bits < 16 {
            let kept = u16::MAX << (16 - self.shape.width_bits);
            places.iter_mut().for_each(|place| *place &= kept);
        }
        let mut far = false;
        for (bucket, &drawn) in zip(&mut batch.buckets, &batch.drawn) {
            far |= drawn > self.shape.last;
            // Far buckets are set aside.
            *bucket = lowest_16(drawn);
        }
        batch.far.clear();
        if far {
            self.set_aside(batch);
        }
    }

    #[cold]
    #[inline(never)]
    fn set_aside(&self, batch: &mut Batch) {
        for (index, (bucket, &drawn)) in zip(&mut batch.buckets, &batch.drawn).enumerate() {
            if drawn > self.shape.last {
                *bucket = 0;
                batch.far.push((index, drawn));
            }
        }
    }

    /// Decides which proposals are accepted: those of the states, and of the undecided ones those that
    /// have a bit here.
    fn decide<R: Rng + ?Sized, const MORE_WORDS: usize>(
        &self,
        rng: &mut R,
        batch: &mut Batch,
    ) -> u64 {
        self.slope.compare(
            &batch.buckets,
            &batch.places,
            &batch.uniform,
            &mut batch.states,
        );
        let count = batch.gather::<MORE_WORDS>();
        let mut decided = 0;
        for slot in 0..SLOTS {
            let (key, lower) = (batch.keys.0[slot], batch.lower.0[slot]);
            let place = self.shape.place((key << 32 >> 48 << 48) | (lower >> 16), 0);
            let bucket = (key >> 32).cast_signed();
            let threshold = exp_minus(self.shape.gamma(bucket, place));
            // In units of 2^−63, of which a word is two, U lies between these two.
            let low = ((key << 48) | (batch.more(slot) >> 16)) >> 1;
            let high = low + 1;
            // Masks and no conditions, so that no jump depends on what is accepted.
            let accepted = black_box(u64::from(high + MARGIN <= threshold));
            let rejected = black_box(u64::from(low >= threshold + MARGIN));
            decided |= accepted << slot;
            if black_box((accepted | rejected) ^ 1) & u64::from(slot < count) == 1 {
                decided |= u64::from(self.decide_exactly(rng, batch, slot)) << slot;
            }
        }
        if count > SLOTS {
            self.decide_rest(rng, batch);
        }
        decided
    }

    /// Whether the undecided proposal of this rank is accepted.
    #[cold]
    #[inline(never)]
    fn decide_exactly<R: Rng + ?Sized>(&self, rng: &mut R, batch: &Batch, rank: usize) -> bool {
        let Some(index) = batch.undecided().nth(rank) else {
            return false;
        };
        let more = if rank < SLOTS {
            batch.more(rank)
        } else {
            rng.next_u64()
        };
        let uniform = (u64::from(batch.uniform[index]) << 48) | (more >> 16);
        let bucket = batch.buckets[index].into();
        let place = match self.shape.width_bits {
            ..=64 => self.place::<1>(batch, index),
            _ => self.place::<2>(batch, index),
        };
        self.accept_exactly(bucket, place, (uniform, 64), rng)
    }

    /// Decides the undecided proposals for which there is no slot.
    #[cold]
    #[inline(never)]
    fn decide_rest<R: Rng + ?Sized>(&self, rng: &mut R, batch: &mut Batch) {
        let undecided: Vec<usize> = batch.undecided().collect();
        // From the last one, so that ranks stay what they are.
        for (rank, index) in undecided.into_iter().enumerate().skip(SLOTS).rev() {
            let accepted = self.decide_exactly(rng, batch, rank);
            batch.states[index] = lanes::ACCEPTED * u16::from(accepted);
        }
    }

    #[inline]
    fn place<const MORE_WORDS: usize>(&self, batch: &Batch, index: usize) -> Place {
        let upper = u64::from(batch.places[index]) << 48;
        match MORE_WORDS {
            0 => self.shape.place(upper, 0),
            1 => self.shape.place(upper | (batch.lower(index) >> 16), 0),
            _ => {
                let upper = upper | (batch.lower(index) >> 16);
                self.shape.place(upper, batch.lowest(index))
            }
        }
    }

    /// Writes the accepted proposals, as many as there are or fit: how many, or the position of one that
    /// does not fit its type.
    fn take<T: FromDraw, R: Rng + ?Sized, const MORE_WORDS: usize>(
        &self,
        rng: &mut R,
        (batch, decided): (&Batch, u64),
        out: &mut [T],
    ) -> Result<usize, usize> {
        if self.shape.width_bits > NARROW || !batch.far.is_empty() {
            return self.take_wide::<_, _, MORE_WORDS>(rng, (batch, decided), out);
        }
        let (mut taken, mut decisions) = (0, decided);
        for group in 0..LANES / 64 {
            let mut signs = batch.word(SIGNS, group);
            for index in 64 * group..64 * (group + 1) {
                let bucket = batch.buckets[index].into();
                let place = self.place::<MORE_WORDS>(batch, index);
                let y = self.shape.magnitude_narrow(bucket, place);
                let sign = -(signs & 1).cast_signed();
                signs >>= 1;
                let accepted = next_decision(batch.states[index], &mut decisions);
                let counts = accepted & u64::from(y | !sign != 0);
                let Some(free) = out.get_mut(taken) else {
                    return Ok(taken);
                };
                // Written in any case: the next one takes its place unless it counts.
                match T::from_i64((y ^ sign) - sign) {
                    Some(draw) => *free = draw,
                    None if counts == 1 => return Err(taken),
                    None => {}
                }
                taken += usize::from(counts == 1);
            }
        }
        Ok(taken)
    }

    /// The same where draws do not fit 64 bits, or a bucket is far.
    #[inline(never)]
    fn take_wide<T: FromDraw, R: Rng + ?Sized, const MORE_WORDS: usize>(
        &self,
        rng: &mut R,
        (batch, mut decided): (&Batch, u64),
        out: &mut [T],
    ) -> Result<usize, usize> {
        let mut taken = 0;
        for index in 0..LANES {
            let accepted = next_decision(batch.states[index], &mut decided);
            let place = self.place::<MORE_WORDS>(batch, index);
            let negative = batch.word(SIGNS, index / 64) >> (index % 64) & 1 == 1;
            let far = batch.far.iter().find(|(other, _)| *other == index);
            let draw = if let Some(&(_, bucket)) = far {
                let uniform = (batch.uniform[index].into(), 16);
                self.draw_far(bucket, place, negative, uniform, rng)
            } else if accepted == 1 {
                let bucket = batch.buckets[index].into();
                self.shape.signed(bucket, place, negative)
            } else {
                None
            };
            let Some(free) = out.get_mut(taken) else {
                return Ok(taken);
            };
            if let Some(draw) = draw {
                *free = draw.ok_or(taken)?;
                taken += 1;
            }
        }
        Ok(taken)
    }
}

/// 1 if a proposal of this state is accepted. The decisions on undecided ones are used up in order.
#[inline]
fn next_decision(state: u16, decisions: &mut u64) -> u64 {
    let undecided = state / lanes::UNDECIDED;
    let accepted = u64::from(state & lanes::ACCEPTED) | (u64::from(undecided) & *decisions);
    *decisions >>= undecided;
    accepted
}

#[cfg(test)]
mod tests;
