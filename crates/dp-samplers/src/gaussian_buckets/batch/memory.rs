//! What a batch is worked on with: the words that it drew, what became of them, and the slots.

use alloc::vec::Vec;
use core::iter::zip;

use zeroize::Zeroize;

use super::SLOTS;
use crate::gaussian_buckets::lanes::{self, LANES, Lanes};

/// Numbers that share a line of the cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Line(pub(super) [u64; SLOTS]);

/// Where the words of a batch lie, in bytes: places, lanes of U, signs, and more of U for slots.
pub(super) const SIGNS: usize = 2 * LANES + 2 * LANES;
pub(super) const MORE_OF_U: usize = SIGNS + LANES / 8;
pub(super) const DRAWN: usize = MORE_OF_U + 8 * SLOTS;

/// Bytes of a further word for each place, and two where W > 2^64.
pub(super) const MORE: usize = 8 * LANES;

/// What a batch is worked on with.
pub(super) struct Batch {
    pub(super) bytes: [u8; DRAWN + 2 * MORE],
    pub(super) drawn: [i64; LANES],
    pub(super) buckets: Lanes,
    pub(super) places: Lanes,
    pub(super) uniform: Lanes,
    pub(super) states: Lanes,
    /// Bucket, place and lane of U of undecided proposals, and the words below the place.
    pub(super) keys: Line,
    pub(super) lower: Line,
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
            states: [0; _],
            keys: Line::default(),
            lower: Line::default(),
            far: Vec::new(),
        }
    }

    /// Words of 64 bits that lie at `start`.
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

    /// The word below the upper 16 bits of a place, if it needs one, and the one below that.
    #[inline]
    pub(super) fn lower(&self, index: usize) -> u64 {
        self.word(DRAWN, index)
    }

    #[inline]
    pub(super) fn lowest(&self, index: usize) -> u64 {
        self.word(DRAWN + MORE, index)
    }

    /// The proposals that the first comparison did not decide.
    pub(super) fn undecided(&self) -> impl Iterator<Item = usize> {
        let states = zip(0.., &self.states);
        states.filter_map(|(index, &state)| (state == lanes::UNDECIDED).then_some(index))
    }

    /// Puts what the first undecided proposals need in slots; how many are undecided.
    #[inline]
    pub(super) fn gather<const MORE_WORDS: usize>(&mut self) -> usize {
        let mut count = 0;
        for index in 0..LANES {
            let undecided = usize::from(self.states[index] / lanes::UNDECIDED);
            let kept = (undecided as u64 & u64::from(count < SLOTS)).wrapping_sub(1);
            let [bucket, place, uniform] =
                [&self.buckets, &self.places, &self.uniform].map(|lanes| u64::from(lanes[index]));
            let key = (bucket << 32) | (place << 16) | uniform;
            let slot = count % SLOTS;
            self.keys.0[slot] = (self.keys.0[slot] & kept) | (key & !kept);
            if MORE_WORDS > 0 {
                self.lower.0[slot] = (self.lower.0[slot] & kept) | (self.lower(index) & !kept);
            }
            count += undecided;
        }
        count
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.bytes.zeroize();
        self.drawn.zeroize();
        for lanes in [
            &mut self.buckets,
            &mut self.places,
            &mut self.uniform,
            &mut self.states,
        ] {
            lanes.zeroize();
        }
        self.keys.0.zeroize();
        self.lower.0.zeroize();
        self.far.zeroize();
    }
}
