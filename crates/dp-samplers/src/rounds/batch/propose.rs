//! Fresh proposals: bucket, side, offset and the first 16 bits of U of each.

use core::iter::zip;

use rand_core::CryptoRng;

use super::{Batch, lowest_16};
use crate::masks::{declassify, lowest_bit};
use crate::rounds::Rounds;
use crate::rounds::lanes::Lanes;
use crate::table_scan::lanes::LANES;

impl Rounds {
    /// Fills `batch` with fresh proposals, not yet decided.
    pub(super) fn propose<R: CryptoRng + ?Sized>(&self, rng: &mut R, batch: &mut Batch) {
        self.draw_buckets(rng, batch);
        // All other random bytes at once: U, further bits of U, offsets, and lower bits of offsets
        // in words of their own.
        let offsets = self.offset_bytes() * LANES;
        let further = if self.has_further_words() { 8 * LANES } else { 0 };
        let end = self.offsets_start() + offsets + further;
        rng.fill_bytes(&mut batch.bytes[..end]);
        for (lane, bytes) in zip(&mut batch.uniform, batch.bytes.as_chunks().0) {
            *lane = u16::from_le_bytes(*bytes);
        }
        if self.offset_bytes() <= 2 {
            self.read_short_offsets(batch);
        } else {
            self.read_long_offsets(batch);
        }
    }

    /// Draws the buckets of all proposals and, unless a fair bit chooses them, the sides. Far
    /// buckets go to [`Batch::far`], and are 0 among the others.
    fn draw_buckets<R: CryptoRng + ?Sized>(&self, rng: &mut R, batch: &mut Batch) {
        batch.far.clear();
        if let Some(outcomes) = self.table.outcomes(rng, &mut batch.block, LANES) {
            self.set_buckets(batch, outcomes.iter().copied());
            return;
        }
        let last = self.last.cast_signed();
        let mut any_far = 0;
        let lanes = zip(&mut batch.buckets, &mut batch.outcomes);
        for ((bucket, outcome), &drawn) in zip(lanes, &batch.block.outcomes) {
            let signed = drawn + self.origin;
            // Of −1 − m, whose sign is all ones, m is the complement.
            let m = signed ^ (signed >> 15);
            *outcome = signed.cast_unsigned();
            *bucket = m.cast_unsigned();
            // All ones where `last` − m is negative, else 0.
            any_far |= last.wrapping_sub(m) >> 15;
        }
        if declassify(u64::from(any_far.cast_unsigned())) {
            let outcomes = batch.outcomes.map(|outcome| outcome.cast_signed().into());
            self.set_buckets(batch, outcomes.into_iter());
        }
    }

    /// Sets buckets and sides from `outcomes`, m and −1 − m. Buckets beyond the last one of the
    /// table go to [`Batch::far`], empty before, and are 0 among the others.
    #[cold]
    #[inline(never)]
    fn set_buckets(&self, batch: &mut Batch, outcomes: impl Iterator<Item = i64>) {
        for (index, outcome) in outcomes.enumerate() {
            let m = outcome ^ (outcome >> 63);
            batch.buckets[index] = match u16::try_from(m) {
                Ok(near) if near <= self.last => near,
                _ => {
                    batch.far.push((index, m));
                    0
                }
            };
            batch.outcomes[index] = batch.buckets[index] ^ if outcome < 0 { u16::MAX } else { 0 };
        }
    }

    /// Reads offsets of one or two bytes, and the fair side from the bit behind an offset.
    fn read_short_offsets(&self, batch: &mut Batch) {
        let start = self.offsets_start();
        let Batch { bytes, offsets, outcomes, .. } = batch;
        if self.offset_bytes() == 1 {
            for (offset, byte) in zip(&mut *offsets, &bytes[start..]) {
                *offset = u16::from(*byte) << 8;
            }
        } else {
            for (offset, bytes) in zip(&mut *offsets, bytes[start..].as_chunks().0) {
                *offset = u16::from_le_bytes(*bytes);
            }
        }
        if self.is_fair {
            for (offset, outcome) in zip(&*offsets, outcomes) {
                // All ones if the first bit behind the offset is 1, else 0: −1 − m for m.
                let side = (offset << self.width_bits).cast_signed() >> 15;
                *outcome ^= side.cast_unsigned();
            }
        }
        // Ones for the bits of an offset: what lies behind belongs to none.
        let kept = u16::MAX << (16 - self.width_bits);
        offsets.iter_mut().for_each(|offset| *offset &= kept);
    }

    /// Reads the upper 64 bits of offsets of three bytes or more, and a fair side from the bit
    /// behind an offset, or from the lowest bit of the further word if there is one.
    fn read_long_offsets(&self, batch: &mut Batch) {
        let read_words = match self.offset_bytes() {
            3 => read_words::<3>,
            4 => read_words::<4>,
            5 => read_words::<5>,
            6 => read_words::<6>,
            7 => read_words::<7>,
            _ => read_words::<8>,
        };
        let Batch { bytes, uppers, offsets, outcomes, .. } = &mut *batch;
        read_words(&bytes[self.offsets_start()..], uppers, offsets);
        if self.is_fair && self.has_further_words() {
            let words = bytes[self.further_start()..].as_chunks::<8>().0;
            for (outcome, word) in zip(outcomes, words) {
                *outcome ^= lowest_bit(word[0].into());
            }
        } else if self.is_fair {
            for (outcome, word) in zip(outcomes, &*uppers) {
                *outcome ^= lowest_bit(lowest_16(word >> (63 - self.width_bits)));
            }
        }
        // Ones for the bits of an offset: what lies behind belongs to none.
        let kept = u64::MAX << (64 - self.width_bits.min(64));
        uppers.iter_mut().for_each(|upper| *upper &= kept);
        for (lanes, shift) in zip(&mut batch.lower, [32, 16, 0]).take(self.lower_lanes()) {
            for (lane, upper) in zip(lanes, &batch.uppers) {
                *lane = lowest_16(upper >> shift);
            }
        }
    }
}

/// Fills `words`: the uppermost N bytes of each word are the next N of `bytes`, the least
/// significant first, and its other bytes are 0. Fills `offsets` with the uppermost 16 bits of each
/// word.
#[inline(never)]
fn read_words<const N: usize>(bytes: &[u8], words: &mut [u64; LANES], offsets: &mut Lanes) {
    for ((word, offset), bytes) in zip(zip(words, offsets), bytes.as_chunks::<N>().0) {
        let mut upper = [0; 8];
        upper[8 - N..].copy_from_slice(bytes);
        *word = u64::from_le_bytes(upper);
        *offset = lowest_16(*word >> 48);
    }
}
