//! Draws in batches of 256 proposals. The first comparison decides most of them.
//!
//! A batch draws its buckets by the scan, then bytes for offsets and comparisons ([`propose`]).
//! Masks gather the undecided proposals in slots; the second comparison works on all slots, whether
//! they hold a proposal or not ([`decide`]). Accepted proposals are the draws, in order, and what
//! is left over is wiped ([`take`]): whether a proposal is used depends on how many were accepted,
//! not on values. Each is accepted with exactly its probability, whichever comparison decides.

mod decide;
mod propose;
mod take;

use alloc::vec::Vec;

use rand_core::CryptoRng;
use zeroize::Zeroizing;

use super::lanes::Lanes;
use super::{MAX_SLOTS, Offset, Proposal, Rounds};
use crate::FromDraw;
use crate::table_scan::lanes::LANES;
use crate::table_scan::{Block, wiped_memory};

/// A slice with fewer draws left than this is filled one by one.
pub(super) const SHORT: usize = 64;

/// The most bytes for the upper 64 bits of the offsets of a batch; lower bits follow in words of
/// their own.
const MAX_OFFSETS_SIZE: usize = 8 * LANES;

/// The code of a proposal that the first comparison accepts: its bit in the word of accepted codes
/// is always set. Code 0 is a rejected proposal, whose bit never is. An undecided proposal has the
/// number of its slot, from 1.
const ALWAYS: i16 = 63;

wiped_memory! {
    /// The working memory of a batch. Wiped when dropped.
    pub(super) struct Batch {
        /// Working memory of the scan that draws buckets.
        block: Block = Block::default(),
        /// The bytes of a batch: lanes of U, further bits of U for each slot, offsets, and words
        /// for offsets beyond 64 bits.
        bytes: [u8; 2 * LANES + 8 * MAX_SLOTS + MAX_OFFSETS_SIZE + 8 * LANES] = [0; _],
        /// Buckets m ≥ 0, and −1 − m on the lower of two sides, as signed numbers.
        outcomes: Lanes = [0; _],
        /// The bucket m of each proposal; 0 for a far bucket.
        buckets: Lanes = [0; _],
        /// All ones for the proposals that are picked, else 0.
        masks: [i16; LANES] = [0; _],
        /// Bucket and offset of each proposal, combined by OR.
        combined: Lanes = [0; _],
        /// The 64 upper bits of each offset, as a fraction of the bucket's width, where offsets
        /// have more than 16 bits.
        uppers: [u64; LANES] = [0; _],
        /// The 16 upper bits of each offset.
        offsets: Lanes = [0; _],
        /// The 48 bits of each offset after its first 16, 16 at a time.
        lower: [Lanes; 3] = [[0; _]; _],
        /// The first 16 bits of the uniform U that decides each proposal.
        uniform: Lanes = [0; _],
        /// Results of the first comparison: accepted, undecided, or 0 for a rejected proposal.
        states: [i16; LANES] = [0; _],
        /// Numbers of the undecided proposals, from 1; 0 for all other proposals.
        ranks: [i16; LANES] = [0; _],
        /// The draws that proposals stand for, less the base, where offsets have at most 16 bits.
        short_draws: [i32; LANES] = [0; _],
        /// The draws that proposals stand for, less the base, where they need up to 64 bits.
        long_draws: [i64; LANES] = [0; _],
        /// Each proposal's bit in the word that says which codes are accepted: [`ALWAYS`], a slot,
        /// or
        /// 0.
        codes: [i16; LANES] = [0; _],
        /// Position and bucket of each proposal whose bucket is far.
        far: Zeroizing<Vec<(usize, i64)>> = Zeroizing::new(Vec::new()),
    }
}

impl Batch {
    /// The word in the 8 bytes from `start` on, the least significant byte first.
    #[inline]
    fn word(&self, start: usize) -> u64 {
        let bytes = self.bytes[start..].first_chunk();
        u64::from_le_bytes(*bytes.expect("every word ends within the bytes"))
    }

    /// 64 further bits of the uniform U for slot number `slot`, counted from 0.
    fn more(&self, slot: usize) -> u64 {
        self.word(2 * LANES + 8 * slot)
    }
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
            let taken = self.take(rng, batch, decided, &mut out[done..]);
            done += taken.map_err(|position| done + position)?;
        }
        Ok(done)
    }

    /// Random bytes for the upper 64 bits of an offset, its fair side included: 1 to 8.
    fn offset_bytes(&self) -> usize {
        (self.width_bits + u32::from(self.is_fair)).div_ceil(8).min(8) as usize
    }

    /// How many lanes of 16 bits follow the first 16 of an offset's upper 64 bits: 0 to 3.
    fn lower_lanes(&self) -> usize {
        self.width_bits.div_ceil(16).clamp(1, 4) as usize - 1
    }

    /// Whether each proposal has one more random word, for the lower bits of its offset and a fair
    /// side.
    fn has_further_words(&self) -> bool {
        self.width_bits + u32::from(self.is_fair) > 64
    }

    /// Where the bytes of offsets begin in [`Batch::bytes`].
    fn offsets_start(&self) -> usize {
        2 * LANES + 8 * self.slots
    }

    /// Where the further words begin in [`Batch::bytes`].
    fn further_start(&self) -> usize {
        self.offsets_start() + MAX_OFFSETS_SIZE
    }

    /// Proposal number `index` of a batch, for a bucket that is not far.
    fn proposal(&self, batch: &Batch, index: usize) -> Proposal {
        let below = match self.has_further_words() {
            true => batch.word(self.further_start() + 8 * index),
            false => 0,
        };
        Proposal {
            side: i64::from(batch.outcomes[index].cast_signed()) >> 63,
            bucket: batch.buckets[index].into(),
            offset: match self.offset_bytes() {
                ..=2 => Offset { upper: u64::from(batch.offsets[index]) << 48, below },
                _ => self.offset_from_bits(batch.uppers[index], below),
            },
        }
    }
}

/// The 16 lowest bits of `number`.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "what is cut is not used")]
fn lowest_16(number: u64) -> u16 {
    number as u16
}

#[cfg(test)]
mod tests;
