//! Draws in batches of 256 proposals, most of which the first comparison decides.
//!
//! A batch draws its buckets by the scan, then words for places, comparisons and signs. What the second comparison
//! needs of the undecided ones is put in slots by masks, in order, and all slots are compared, whether they hold
//! something or not. Accepted proposals are the draws, in order. Proposals that are left over are wiped: whether they
//! are used depends on how many were accepted, not on what they are. Each proposal is accepted with exactly its
//! probability, whichever comparison decides.

use alloc::vec::Vec;
use core::iter::zip;

use rand_core::Rng;
use zeroize::Zeroize;

use super::lanes::{ACCEPTED, Lanes, UNDECIDED};
use super::{MAX_SLOTS, NARROW, Place, Proposal, Rounds, Sign};
use crate::masks::{equal, less, tell};
use crate::scan::lanes::{LANES, number};
use crate::{Error, FromDraw};

/// Fewer draws than this are made one by one.
pub(super) const SHORT: usize = 64;

/// Where the words of a batch lie, in bytes: places, lanes of U, signs, more of U for each slot, and one or two words
/// for each place.
const SIGNS: usize = 4 * LANES;
const MORE_OF_U: usize = SIGNS + LANES / 8;
const MORE: usize = 8 * LANES;

/// What a batch is worked on with. Wiped when dropped.
pub(super) struct Batch {
    pub(super) bytes: [u8; MORE_OF_U + 8 * MAX_SLOTS + 2 * MORE],
    pub(super) drawn: [i64; LANES],
    pub(super) buckets: Lanes,
    pub(super) places: Lanes,
    pub(super) uniform: Lanes,
    /// The 48 bits of each place below its first 16, and all ones for the lower of two sides.
    lower: [Lanes; 3],
    sides: Lanes,
    pub(super) states: [i16; LANES],
    /// Which of the undecided proposals each one is, from 1; 0 for the others.
    pub(super) ranks: [i16; LANES],
    /// Signs, 64 in a word.
    pub(super) signs: [u64; LANES / 64],
    /// The proposals whose bucket is far, and these.
    pub(super) far: Vec<(usize, i64)>,
}

impl Batch {
    pub(super) fn new() -> Self {
        Self {
            bytes: [0; _],
            drawn: [0; _],
            buckets: [0; _],
            places: [0; _],
            uniform: [0; _],
            lower: [[0; _]; _],
            sides: [0; _],
            states: [0; _],
            ranks: [0; _],
            signs: [0; _],
            far: Vec::new(),
        }
    }

    /// The word at `index` of those that begin at `start`.
    #[inline]
    pub(super) fn word(&self, start: usize, index: usize) -> u64 {
        let start = (start + 8 * index).min(self.bytes.len() - 8);
        let mut word = [0; 8];
        word.copy_from_slice(&self.bytes[start..start + 8]);
        u64::from_le_bytes(word)
    }

    /// More bits of U for a slot.
    pub(super) fn more(&self, slot: usize) -> u64 {
        self.word(MORE_OF_U, slot)
    }

    /// All ones where the sign of a proposal is negative, else 0.
    #[inline]
    pub(super) fn sign(&self, index: usize) -> i64 {
        ((self.signs[index / 64] >> (index % 64)) & 1).cast_signed().wrapping_neg()
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.bytes.zeroize();
        self.drawn.zeroize();
        self.buckets.zeroize();
        self.places.zeroize();
        self.uniform.zeroize();
        self.lower.zeroize();
        self.sides.zeroize();
        self.states.zeroize();
        self.ranks.zeroize();
        self.signs.zeroize();
        self.far.zeroize();
    }
}

/// Numbers of 16 bits from bytes.
fn split(lanes: &mut Lanes, bytes: &[u8]) {
    for (lane, bytes) in zip(lanes, bytes.as_chunks().0) {
        *lane = u16::from_le_bytes(*bytes);
    }
}

/// What there is of the lanes that the mask picks: one, or none.
#[inline(always)]
fn picked(lanes: &Lanes, ranks: &[i16; LANES], rank: i16) -> u64 {
    let masked = zip(lanes, ranks).map(|(lane, other)| lane & equal(*other, rank).cast_unsigned());
    masked.fold(0_u16, |sum, lane| sum | lane).into()
}

impl Rounds {
    /// Fills all but the last few: how many, or the position of a draw that does not fit. Apart from its caller, so
    /// that its part of the stack can be wiped.
    #[inline(never)]
    pub(super) fn fill_batches<T: FromDraw, R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        batch: &mut Batch,
        out: &mut [T],
    ) -> Result<usize, usize> {
        match self.width_bits {
            ..=16 => self.fill_by::<_, _, 0>(rng, batch, out),
            17..=64 => self.fill_by::<_, _, 1>(rng, batch, out),
            _ => self.fill_by::<_, _, 2>(rng, batch, out),
        }
    }

    /// With places of `MORE_WORDS` words beside the first 16 bits.
    #[inline(never)]
    fn fill_by<T: FromDraw, R: Rng + ?Sized, const MORE_WORDS: usize>(
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

    /// Draws buckets, places, lanes of U and signs.
    pub(super) fn propose<R: Rng + ?Sized, const MORE_WORDS: usize>(
        &self,
        rng: &mut R,
        batch: &mut Batch,
    ) {
        // Every bucket fits 64 bits.
        let _: Result<(), Error> = self.table.fill(rng, &mut batch.drawn);
        let bytes = MORE_OF_U + 8 * self.slots + MORE_WORDS * MORE;
        rng.fill_bytes(&mut batch.bytes[..bytes]);
        split(&mut batch.places, &batch.bytes[..2 * LANES]);
        split(&mut batch.uniform, &batch.bytes[2 * LANES..4 * LANES]);
        if self.width_bits < 16 {
            let kept = u16::MAX << (16 - self.width_bits);
            batch.places.iter_mut().for_each(|place| *place &= kept);
        }
        if MORE_WORDS > 0 {
            let words = &batch.bytes[self.lower()..][..MORE];
            for (index, word) in words.as_chunks::<8>().0.iter().enumerate() {
                for (lanes, half) in zip(&mut batch.lower, word[2..].as_chunks().0) {
                    lanes[index] = u16::from_le_bytes(*half);
                }
            }
        }
        let mut far = 0;
        let last = i64::from(self.last);
        for ((bucket, side), &drawn) in zip(zip(&mut batch.buckets, &mut batch.sides), &batch.drawn)
        {
            let magnitude = drawn ^ (drawn >> 63);
            *side = lowest_16(drawn >> 63);
            // Far buckets are set aside.
            far |= less(last.cast_unsigned(), magnitude.cast_unsigned());
            *bucket = lowest_16(magnitude);
        }
        match self.sign {
            Sign::None => batch.signs = [0; _],
            Sign::Fair => batch.signs = core::array::from_fn(|group| batch.word(SIGNS, group)),
            Sign::OfBucket => {
                for (word, drawn) in zip(&mut batch.signs, batch.drawn.as_chunks::<64>().0) {
                    let negative = |drawn: &i64| drawn.cast_unsigned() >> 63;
                    *word = (0..)
                        .zip(drawn)
                        .fold(0, |word, (place, drawn)| word | (negative(drawn) << place));
                }
            }
        }
        batch.far.clear();
        if tell(far) {
            self.set_aside(batch);
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn set_aside(&self, batch: &mut Batch) {
        for (index, (bucket, &drawn)) in zip(&mut batch.buckets, &batch.drawn).enumerate() {
            let magnitude = drawn ^ (drawn >> 63);
            if magnitude > i64::from(self.last) {
                *bucket = 0;
                batch.far.push((index, drawn));
            }
        }
    }

    /// Decides which proposals are accepted: those of the states, and of the undecided ones those whose rank has a bit
    /// here.
    pub(super) fn decide<R: Rng + ?Sized, const MORE_WORDS: usize>(
        &self,
        rng: &mut R,
        batch: &mut Batch,
    ) -> u64 {
        self.slope.compare(&batch.buckets, &batch.places, &batch.uniform, &mut batch.states);
        let count = number(&batch.states, UNDECIDED, &mut batch.ranks);
        let count = u64::from(count.unsigned_abs());
        let mut decided = 0;
        for (slot, rank) in (0..self.slots).zip(1..) {
            let lane = |lanes| picked(lanes, &batch.ranks, rank);
            let uniform = lane(&batch.uniform);
            let mut upper = lane(&batch.places) << 48;
            if MORE_WORDS > 0 {
                let [one, two, three] = batch.lower.each_ref().map(lane);
                upper |= (three << 32) | (two << 16) | one;
            }
            let side = if self.sign == Sign::OfBucket {
                lane(&batch.sides).cast_signed().wrapping_neg() >> 63
            } else {
                0
            };
            let proposal = Proposal {
                side,
                bucket: lane(&batch.buckets).cast_signed(),
                place: self.place(upper, 0),
            };
            let uniform = (uniform << 48) | (batch.more(slot) >> 16);
            let (accepted, undecided) = self.compare(proposal, (uniform >> 1, 63));
            decided |= accepted << slot;
            if tell(undecided & less(slot as u64, count)) {
                let accepted = self.decide_exactly(rng, batch, rank);
                decided = (decided & !(1 << slot)) | (u64::from(accepted) << slot);
            }
        }
        if tell(less(self.slots as u64, count)) {
            self.decide_rest(rng, batch);
        }
        decided
    }

    /// Where the further words of places begin.
    fn lower(&self) -> usize {
        MORE_OF_U + 8 * self.slots
    }

    /// Whether the undecided proposal of this rank is accepted.
    #[cold]
    #[inline(never)]
    fn decide_exactly<R: Rng + ?Sized>(&self, rng: &mut R, batch: &Batch, rank: i16) -> bool {
        let Some(index) = batch.ranks.iter().position(|other| *other == rank) else {
            return false;
        };
        let slot = usize::from(rank.unsigned_abs()) - 1;
        let more = if slot < self.slots { batch.more(slot) } else { rng.next_u64() };
        let uniform = (u64::from(batch.uniform[index]) << 48) | (more >> 16);
        let proposal = match self.width_bits {
            ..=64 => self.proposal::<1>(batch, index),
            _ => self.proposal::<2>(batch, index),
        };
        self.accept_exactly(proposal, (uniform, 64), rng)
    }

    /// Decides the undecided proposals for which there is no slot.
    #[cold]
    #[inline(never)]
    fn decide_rest<R: Rng + ?Sized>(&self, rng: &mut R, batch: &mut Batch) {
        for index in 0..LANES {
            let rank = batch.ranks[index];
            if usize::from(rank.unsigned_abs()) > self.slots {
                let accepted = self.decide_exactly(rng, batch, rank);
                batch.states[index] = ACCEPTED * i16::from(accepted);
            }
        }
    }

    /// A proposal whose bucket is not far.
    #[inline]
    pub(super) fn proposal<const MORE_WORDS: usize>(
        &self,
        batch: &Batch,
        index: usize,
    ) -> Proposal {
        let mut upper = u64::from(batch.places[index]) << 48;
        let mut below = 0;
        if MORE_WORDS > 0 && self.width_bits > 16 {
            upper |= batch.word(self.lower(), index) >> 16;
        }
        if MORE_WORDS > 1 {
            below = batch.word(self.lower() + MORE, index);
        }
        Proposal {
            side: batch.drawn[index] >> 63,
            bucket: batch.buckets[index].into(),
            place: if MORE_WORDS > 0 { self.place(upper, below) } else { Place { upper, below } },
        }
    }

    /// Writes the accepted proposals, as many as there are or fit: how many, or the position of one that does not fit
    /// its type.
    pub(super) fn take<T: FromDraw, R: Rng + ?Sized, const MORE_WORDS: usize>(
        &self,
        rng: &mut R,
        (batch, decided): (&Batch, u64),
        out: &mut [T],
    ) -> Result<usize, usize> {
        let is_wide = self.width_bits > NARROW || !batch.far.is_empty();
        let mut taken = 0;
        for index in 0..LANES {
            if taken == out.len() {
                return Ok(taken);
            }
            let proposal = self.proposal::<MORE_WORDS>(batch, index);
            let sign = batch.sign(index);
            let accepted = is_accepted(batch.states[index], batch.ranks[index], decided);
            let (draw, counts) = if is_wide {
                let far = batch.far.iter().find(|(other, _)| *other == index);
                match far {
                    Some(&(_, drawn)) => {
                        let bucket = drawn ^ (drawn >> 63);
                        let proposal = Proposal { bucket, ..proposal };
                        let uniform = (batch.uniform[index].into(), 16);
                        match self.draw_far(proposal, sign, uniform, rng) {
                            Some(draw) => (draw, true),
                            None => continue,
                        }
                    }
                    None => {
                        let (draw, counts) = self.signed(proposal, sign);
                        (draw, tell(accepted & counts))
                    }
                }
            } else {
                let (draw, counts) = self.signed_narrow(self.magnitude_narrow(proposal), sign);
                (T::from_i64(draw), tell(accepted & counts))
            };
            // Written in any case: the next one takes its place unless it counts.
            match draw {
                Some(draw) => out[taken] = draw,
                None if counts => return Err(taken),
                None => {}
            }
            taken += usize::from(counts);
        }
        Ok(taken)
    }
}

/// 1 if a proposal of this state and rank is accepted.
#[inline]
fn is_accepted(state: i16, rank: i16, decided: u64) -> u64 {
    let state = u64::from(state.cast_unsigned());
    let place = u32::from(rank.wrapping_sub(1).cast_unsigned()) & 63;
    (state | ((decided >> place) & (state >> 1))) & 1
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

#[cfg(test)]
mod tests;
