//! Draws in batches of 256 proposals. The first comparison decides most of them.
//!
//! A batch draws its buckets by the scan, then bytes for offsets and comparisons. Masks gather the
//! undecided proposals in slots; the second comparison works on all slots, whether they hold a
//! proposal or not. Accepted proposals are the draws, in order, and what is left over is wiped:
//! whether a proposal is used depends on how many were accepted, not on values. Each is accepted
//! with exactly its probability, whichever comparison decides.

use alloc::vec::Vec;
use core::iter::zip;

use rand_core::CryptoRng;
use zeroize::{Zeroize, optimization_barrier};

use super::lanes::{ACCEPTED, Lanes, UNDECIDED};
use super::{MAX_SLOTS, NARROW, Offset, Proposal, Rounds};
use crate::FromDraw;
use crate::masks::{declassify, equal, less, lowest_bit};
use crate::table_scan::Block;
use crate::table_scan::lanes::{LANES, number};

/// A slice with fewer draws left than this is filled one by one.
pub(super) const SHORT: usize = 64;

/// The most bytes for the upper 64 bits of the offsets of a batch; lower bits follow in words of
/// their own.
const MOST_PLACES: usize = 8 * LANES;

/// The code of a proposal that the first comparison accepts: its bit in the word of accepted codes
/// is always set. Code 0 is a rejected proposal, whose bit never is. An undecided proposal has the
/// number of its slot, from 1.
const ALWAYS: i16 = 63;

/// The working memory of a batch. Wiped when dropped.
pub(super) struct Batch {
    /// Working memory of the scan that draws buckets.
    block: Block,
    /// The bytes of a batch: lanes of U, further bits of U for each slot, offsets, and words for
    /// offsets beyond 64 bits.
    pub(super) bytes: [u8; 2 * LANES + 8 * MAX_SLOTS + MOST_PLACES + 8 * LANES],
    /// Buckets m ≥ 0, and −1 − m on the lower of two sides, as signed numbers.
    pub(super) outcomes: Lanes,
    /// The bucket m of each proposal; 0 for a far bucket.
    pub(super) buckets: Lanes,
    /// All ones for the proposals that are picked, else 0.
    masks: [i16; LANES],
    /// Offset and bucket of each proposal in one lane, where both fit.
    packed: Lanes,
    /// The 64 upper bits of each offset, as a fraction of the bucket's width.
    pub(super) uppers: [u64; LANES],
    /// The 16 upper bits of each offset.
    pub(super) offsets: Lanes,
    /// The 48 bits of each offset after its first 16, 16 at a time.
    lower: [Lanes; 3],
    /// The first 16 bits of the uniform U that decides each proposal.
    pub(super) uniform: Lanes,
    /// Results of the first comparison: accepted, undecided, or 0 for a rejected proposal.
    pub(super) states: [i16; LANES],
    /// Numbers of the undecided proposals, from 1; 0 for all other proposals.
    pub(super) ranks: [i16; LANES],
    /// The draws that proposals stand for, where they need up to 64 bits.
    draws: [i64; LANES],
    /// The draws that proposals stand for, less the base, where offsets have at most 16 bits.
    narrow: [i32; LANES],
    /// Each proposal's bit in the word that says which codes are accepted: [`ALWAYS`], a slot, or
    /// 0.
    codes: [i16; LANES],
    /// Position and bucket of each proposal whose bucket is far.
    pub(super) far: Vec<(usize, i64)>,
}

impl Batch {
    pub(super) fn new() -> Self {
        Self {
            block: Block::default(),
            bytes: [0; _],
            outcomes: [0; _],
            buckets: [0; _],
            masks: [0; _],
            packed: [0; _],
            uppers: [0; _],
            offsets: [0; _],
            lower: [[0; _]; _],
            uniform: [0; _],
            states: [0; _],
            ranks: [0; _],
            draws: [0; _],
            narrow: [0; _],
            codes: [0; _],
            far: Vec::new(),
        }
    }

    /// The word in the 8 bytes from `start` on, the least significant byte first.
    #[inline]
    fn word(&self, start: usize) -> u64 {
        let bytes = self.bytes[start..].first_chunk();
        u64::from_le_bytes(bytes.copied().unwrap_or_default())
    }

    /// 64 further bits of the uniform U for slot number `slot`, counted from 0.
    pub(super) fn more(&self, slot: usize) -> u64 {
        self.word(2 * LANES + 8 * slot)
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.far.zeroize();
        self.bytes = [0; _];
        self.outcomes = [0; _];
        self.buckets = [0; _];
        self.masks = [0; _];
        self.packed = [0; _];
        self.uppers = [0; _];
        self.offsets = [0; _];
        self.lower = [[0; _]; _];
        self.uniform = [0; _];
        self.states = [0; _];
        self.ranks = [0; _];
        self.draws = [0; _];
        self.narrow = [0; _];
        self.codes = [0; _];
        optimization_barrier(self);
    }
}

/// Fills `words`: the uppermost N bytes of each word are the next N of `bytes`, the least
/// significant first, and its other bytes are 0. Fills `offsets` with the uppermost 16 bits of each
/// word.
#[inline(never)]
fn words<const N: usize>(bytes: &[u8], words: &mut [u64; LANES], offsets: &mut Lanes) {
    for ((word, offset), bytes) in zip(zip(words, offsets), bytes.as_chunks::<N>().0) {
        let mut upper = [0; 8];
        upper[8 - N..].copy_from_slice(bytes);
        *word = u64::from_le_bytes(upper);
        *offset = lowest_16(*word >> 48);
    }
}

/// Fills `masks`: all ones where a rank is `rank`, else 0. Not inlined with the code that uses
/// masks: compilers that see how masks are made turn them into branches.
#[inline(never)]
fn marks(ranks: &[i16; LANES], rank: i16, masks: &mut [i16; LANES]) {
    for (mask, &other) in zip(masks, ranks) {
        *mask = equal(other, rank);
    }
}

/// The lane whose mask is all ones; 0 if there is none. At most one may be.
#[inline(never)]
fn picked(lanes: &Lanes, masks: &[i16; LANES]) -> u16 {
    zip(lanes, masks).fold(0, |sum, (lane, mask)| sum | (lane & mask.cast_unsigned()))
}

impl Rounds {
    /// Fills `out` until fewer than [`SHORT`] draws are missing. Returns how many are filled, or as
    /// `Err` the position of a draw that does not fit `T`. Not inlined, so that the caller can wipe
    /// its stack.
    #[inline(never)]
    pub(super) fn fill_batches<T: FromDraw, R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        batch: &mut Batch,
        out: &mut [T],
    ) -> Result<usize, usize> {
        let mut done = 0;
        while out.len() - done >= SHORT {
            self.propose(rng, batch);
            let decided = self.decide(rng, batch);
            let taken = self.take(rng, (batch, decided), &mut out[done..]);
            done += taken.map_err(|position| done + position)?;
        }
        Ok(done)
    }

    /// Random bytes for the upper 64 bits of an offset, its fair side included: 1 to 8.
    fn offset_bytes(&self) -> usize {
        (self.width_bits + u32::from(self.is_fair)).div_ceil(8).min(8) as usize
    }

    /// Whether each proposal has one more random word, for the lower bits of its offset and a fair
    /// side.
    fn has_further_words(&self) -> bool {
        self.width_bits + u32::from(self.is_fair) > 64
    }

    /// Where the bytes of offsets begin in [`Batch::bytes`].
    pub(super) fn offsets_start(&self) -> usize {
        2 * LANES + 8 * self.slots
    }

    /// Where the further words begin in [`Batch::bytes`].
    fn further_start(&self) -> usize {
        self.offsets_start() + MOST_PLACES
    }

    /// Fills `batch` with fresh proposals, not yet decided: bucket, side, offset and the first 16
    /// bits of U of each.
    pub(super) fn propose<R: CryptoRng + ?Sized>(&self, rng: &mut R, batch: &mut Batch) {
        batch.far.clear();
        if let Some(outcomes) = self.table.outcomes(rng, &mut batch.block, LANES) {
            self.set_aside(batch, outcomes.iter().copied());
        } else {
            // Buckets and sides fit 16 bits.
            let origin = i16::try_from(self.table.lanes_origin()).unwrap_or(0);
            let mut far = 0;
            let last = self.last.cast_signed();
            let lanes = zip(&mut batch.buckets, &mut batch.outcomes);
            for ((bucket, outcome), &drawn) in zip(lanes, &batch.block.outcomes) {
                let drawn = drawn + origin;
                let magnitude = drawn ^ (drawn >> 15);
                *outcome = drawn.cast_unsigned();
                *bucket = magnitude.cast_unsigned();
                far |= last.wrapping_sub(magnitude) >> 15;
            }
            if declassify(u64::from(far.cast_unsigned())) {
                let outcomes = batch.outcomes.map(|outcome| outcome.cast_signed().into());
                self.set_aside(batch, outcomes.into_iter());
            }
        }
        let start = self.offsets_start();
        let offsets = self.offset_bytes() * LANES;
        let further = if self.has_further_words() { 8 * LANES } else { 0 };
        rng.fill_bytes(&mut batch.bytes[..start + offsets + further]);
        for (lane, bytes) in zip(&mut batch.uniform, batch.bytes.as_chunks().0) {
            *lane = u16::from_le_bytes(*bytes);
        }
        if self.offset_bytes() <= 2 {
            self.take_narrow_apart(batch);
            return;
        }
        let words = match self.offset_bytes() {
            3 => words::<3>,
            4 => words::<4>,
            5 => words::<5>,
            6 => words::<6>,
            7 => words::<7>,
            _ => words::<8>,
        };
        let Batch { bytes, uppers, offsets, outcomes, .. } = batch;
        words(&bytes[start..], uppers, offsets);
        if self.is_fair && further == 0 {
            for (outcome, word) in zip(outcomes, &*uppers) {
                *outcome ^= lowest_bit(lowest_16(word >> (63 - self.width_bits)));
            }
        } else if self.is_fair {
            let words = bytes[self.further_start()..].as_chunks::<8>().0;
            for (outcome, word) in zip(outcomes, words) {
                *outcome ^= lowest_bit(word[0].into());
            }
        }
        let kept = u64::MAX << (64 - self.width_bits.min(64));
        uppers.iter_mut().for_each(|upper| *upper &= kept);
        for (lanes, shift) in zip(&mut batch.lower, [32, 16, 0]).take(self.lower_lanes()) {
            for (lane, upper) in zip(lanes, &batch.uppers) {
                *lane = lowest_16(upper >> shift);
            }
        }
    }

    /// Takes offsets and fair sides from the bytes, where each offset has one or two.
    fn take_narrow_apart(&self, batch: &mut Batch) {
        let Batch { bytes, offsets, outcomes, .. } = batch;
        let bytes = &bytes[self.offsets_start()..];
        if self.offset_bytes() == 1 {
            for (offset, byte) in zip(&mut *offsets, bytes) {
                *offset = u16::from(*byte) << 8;
            }
        } else {
            for (offset, bytes) in zip(&mut *offsets, bytes.as_chunks().0) {
                *offset = u16::from_le_bytes(*bytes);
            }
        }
        if self.is_fair {
            let left = self.width_bits;
            for (offset, outcome) in zip(&*offsets, outcomes) {
                *outcome ^= ((offset << left).cast_signed() >> 15).cast_unsigned();
            }
        }
        let kept = u16::MAX << (16 - self.width_bits);
        offsets.iter_mut().for_each(|offset| *offset &= kept);
    }

    /// How many lanes of 16 bits follow the first 16 of an offset's upper 64 bits: 0 to 3.
    fn lower_lanes(&self) -> usize {
        self.width_bits.div_ceil(16).clamp(1, 4) as usize - 1
    }

    /// Sets buckets and sides from `outcomes`, m and −1 − m. Far buckets go to [`Batch::far`].
    #[cold]
    #[inline(never)]
    pub(super) fn set_aside(&self, batch: &mut Batch, outcomes: impl Iterator<Item = i64>) {
        for (index, outcome) in outcomes.enumerate() {
            let bucket = outcome ^ (outcome >> 63);
            let near = u16::try_from(bucket).ok().filter(|bucket| *bucket <= self.last);
            if near.is_none() {
                batch.far.push((index, bucket));
            }
            batch.buckets[index] = near.unwrap_or(0);
            batch.outcomes[index] = batch.buckets[index] ^ if outcome < 0 { u16::MAX } else { 0 };
        }
    }

    /// Decides which proposals are accepted. Bit c of the result is 1 if the proposals of code c
    /// are accepted, else 0.
    pub(super) fn decide<R: CryptoRng + ?Sized>(&self, rng: &mut R, batch: &mut Batch) -> u64 {
        self.slope.compare(&batch.buckets, &batch.offsets, &batch.uniform, &mut batch.states);
        let count = number(&batch.states, UNDECIDED, &mut batch.ranks, &mut batch.masks);
        let count = u64::from(count.unsigned_abs());
        // Offsets of 8 bits lie in one lane with buckets, so that there is less to gather. The side
        // is not needed.
        let is_packed = self.is_fair && self.offset_bytes() == 1 && self.last < 256;
        if is_packed {
            let lanes = zip(&batch.offsets, &batch.buckets);
            for (packed, (offset, bucket)) in zip(&mut batch.packed, lanes) {
                *packed = offset | bucket;
            }
        }
        let mut decided = 1 << ALWAYS;
        for (slot, rank) in (0..self.slots).zip(1..) {
            marks(&batch.ranks, rank, &mut batch.masks);
            let lane = |lanes| picked(lanes, &batch.masks);
            let uniform = lane(&batch.uniform);
            let (offset, outcome) = if is_packed {
                let both = lane(&batch.packed);
                (both & 0xff00, both & 0xff)
            } else {
                let outcome = if self.slope.is_flat() { 0 } else { lane(&batch.outcomes) };
                (lane(&batch.offsets), outcome)
            };
            let mut upper = u64::from(offset) << 48;
            for (lanes, shift) in zip(&batch.lower, [32, 16, 0]).take(self.lower_lanes()) {
                upper |= u64::from(picked(lanes, &batch.masks)) << shift;
            }
            let outcome = i64::from(outcome.cast_signed());
            let proposal = Proposal {
                side: outcome >> 63,
                bucket: outcome ^ (outcome >> 63),
                offset: Offset { upper, below: 0 },
            };
            let uniform = (u64::from(uniform) << 48) | (batch.more(slot) >> 16);
            let (accepted, undecided) = self.compare(proposal, (uniform >> 1, 63));
            decided |= accepted << rank;
            if declassify(undecided & less(slot as u64, count)) {
                let accepted = self.decide_exactly(rng, batch, rank);
                decided = (decided & !(1 << rank)) | (u64::from(accepted) << rank);
            }
        }
        if declassify(less(self.slots as u64, count)) {
            self.decide_rest(rng, batch);
        }
        decided
    }

    /// Whether the undecided proposal number `rank` is accepted. More bits of U are drawn until
    /// that is decided.
    #[cold]
    #[inline(never)]
    fn decide_exactly<R: CryptoRng + ?Sized>(&self, rng: &mut R, batch: &Batch, rank: i16) -> bool {
        let Some(index) = batch.ranks.iter().position(|other| *other == rank) else {
            return false;
        };
        let slot = usize::from(rank.unsigned_abs()) - 1;
        let more = if slot < self.slots { batch.more(slot) } else { rng.next_u64() };
        let uniform = (u64::from(batch.uniform[index]) << 48) | (more >> 16);
        self.accept_exactly(self.proposal(batch, index), (uniform, 64), rng)
    }

    /// Decides the undecided proposals for which there is no slot.
    #[cold]
    #[inline(never)]
    fn decide_rest<R: CryptoRng + ?Sized>(&self, rng: &mut R, batch: &mut Batch) {
        for index in 0..LANES {
            let rank = batch.ranks[index];
            if usize::from(rank.unsigned_abs()) > self.slots {
                let accepted = self.decide_exactly(rng, batch, rank);
                batch.states[index] = ACCEPTED * i16::from(accepted);
                batch.ranks[index] = 0;
            }
        }
    }

    /// Proposal number `index` of a batch, for a bucket that is not far.
    pub(super) fn proposal(&self, batch: &Batch, index: usize) -> Proposal {
        let below =
            if self.has_further_words() { batch.word(self.further_start() + 8 * index) } else { 0 };
        Proposal {
            side: i64::from(batch.outcomes[index].cast_signed()) >> 63,
            bucket: batch.buckets[index].into(),
            offset: match self.offset_bytes() {
                ..=2 => Offset { upper: u64::from(batch.offsets[index]) << 48, below },
                _ => self.offset_from_bits(batch.uppers[index], below),
            },
        }
    }

    /// Writes the accepted proposals to `out` as far as there is room. Returns how many were
    /// written, or as `Err` the position of one that does not fit `T`. Bit c of `decided` says
    /// whether code c is accepted.
    pub(super) fn take<T: FromDraw, R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        (batch, decided): (&mut Batch, u64),
        out: &mut [T],
    ) -> Result<usize, usize> {
        let states = zip(&batch.ranks, &batch.states);
        for (code, (&rank, &state)) in zip(&mut batch.codes, states) {
            *code = rank | (equal(state, ACCEPTED) & ALWAYS);
        }
        if self.width_bits > NARROW || !batch.far.is_empty() {
            return self.take_wide(rng, batch, decided, out);
        }
        if self.is_fair {
            self.reject_zeros(batch);
        }
        if self.offset_bytes() <= 2 {
            let (width_bits, fair) = (self.width_bits, -i32::from(self.is_fair));
            let proposals = zip(&batch.outcomes, &batch.offsets);
            for (draw, (outcome, &offset)) in zip(&mut batch.narrow, proposals) {
                let outcome = i32::from(outcome.cast_signed());
                let side = outcome >> 31;
                let u = i32::from(offset >> (16 - width_bits));
                let y = ((outcome ^ side) << width_bits) | u;
                *draw = (y ^ side) - (side & fair);
            }
            return self.compact(&batch.narrow, &batch.codes, decided, out);
        }
        let proposals = zip(&batch.outcomes, &batch.uppers);
        for (draw, (outcome, upper)) in zip(&mut batch.draws, proposals) {
            let outcome = i64::from(outcome.cast_signed());
            let side = outcome >> 63;
            let u = (upper >> (64 - self.width_bits)).cast_signed();
            *draw = self.signed_narrow(((outcome ^ side) << self.width_bits) | u, side);
        }
        self.compact(&batch.draws, &batch.codes, decided, out)
    }

    /// Writes the accepted ones of `draws` to `out`, one after the other. Bit c of `decided` says
    /// whether code c is accepted. Returns how many were written, or as `Err` the position of one
    /// that does not fit `T`.
    #[inline]
    fn compact<T: FromDraw, D: Copy + Into<i64>>(
        &self,
        draws: &[D; LANES],
        codes: &[i16; LANES],
        decided: u64,
        out: &mut [T],
    ) -> Result<usize, usize> {
        let base = if size_of::<D>() == 4 { self.base } else { 0 };
        let mut taken = 0;
        for (&draw, code) in zip(draws, codes) {
            let Some(offset) = out.get_mut(taken) else {
                break;
            };
            let accepted = declassify(bit_of(decided, *code));
            // Written in any case: the next one takes its place unless it counts.
            match T::from_i64(draw.into() + base) {
                Some(draw) => *offset = draw,
                None if accepted => return Err(taken),
                None => {}
            }
            taken += usize::from(accepted);
        }
        Ok(taken)
    }

    /// Gives code 0, rejected, to zeros with a negative sign, for offsets of at most 64 bits.
    fn reject_zeros(&self, batch: &mut Batch) {
        let Batch { packed: bits, buckets, offsets, lower, codes, outcomes, .. } = batch;
        for (bits, (bucket, offset)) in zip(&mut *bits, zip(buckets, offsets)) {
            *bits = *bucket | *offset;
        }
        for lower in &lower[..self.lower_lanes()] {
            for (bits, lower) in zip(&mut *bits, lower) {
                *bits |= lower;
            }
        }
        for (code, (bits, outcome)) in zip(codes, zip(bits, outcomes)) {
            let is_zero = ((*bits | bits.wrapping_neg()) >> 15).wrapping_sub(1).cast_signed();
            *code &= !(is_zero & outcome.cast_signed() >> 15);
        }
    }

    /// [`Self::take`] where draws have more than 64 bits, or some bucket is far.
    #[inline(never)]
    fn take_wide<T: FromDraw, R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        batch: &Batch,
        decided: u64,
        out: &mut [T],
    ) -> Result<usize, usize> {
        let mut taken = 0;
        for index in 0..LANES {
            let Some(offset) = out.get_mut(taken) else {
                break;
            };
            let proposal = self.proposal(batch, index);
            let far = batch.far.iter().find(|(other, _)| *other == index);
            let (draw, counts) = if let Some(&(_, bucket)) = far {
                let proposal = Proposal { bucket, ..proposal };
                let uniform = (batch.uniform[index].into(), 16);
                match self.draw_far(proposal, uniform, rng) {
                    Some(draw) => (draw, true),
                    None => continue,
                }
            } else {
                let (draw, counts) = self.signed(proposal);
                (draw, declassify(bit_of(decided, batch.codes[index]) & counts))
            };
            match draw {
                Some(draw) => *offset = draw,
                None if counts => return Err(taken),
                None => {}
            }
            taken += usize::from(counts);
        }
        Ok(taken)
    }
}

/// Bit number `code` of `decided`, 1 or 0. The bit is found by a rotation: Memcheck takes the
/// instruction for single bits for an access at a secret address.
#[inline(always)]
fn bit_of(decided: u64, code: i16) -> u64 {
    decided.rotate_right(u32::from(code.cast_unsigned())) & 1
}

/// The 16 lowest bits of `number`.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "what is cut is not used")]
fn lowest_16(number: u64) -> u16 {
    number as u16
}

#[cfg(test)]
mod tests;
