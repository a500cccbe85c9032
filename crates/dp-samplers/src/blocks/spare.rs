//! How many remainders are drawn for each block.

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::lanes::LANES;
use crate::alias::Whole;

/// The most remainders that are drawn for a block.
pub(crate) const MAX_SPARE: usize = 64;

/// A block takes longer than others with a probability of at most 2^−50 for want of remainders.
const OVERFLOW_BITS: u32 = 50;

/// How many remainders are drawn for a block, and how often they do not suffice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spare {
    /// K, a multiple of 4.
    pub(crate) count: usize,
    /// Of 2^64 blocks, so many have more than K undecided draws, at most.
    pub(crate) overflow: u64,
}

impl Spare {
    /// The least that suffice; `None` beyond [`MAX_SPARE`].
    pub(super) fn new(whole: &Whole) -> Option<Self> {
        (4..=MAX_SPARE).step_by(4).find_map(|count| {
            // C(n, K + 1)·(U/2^w)^(K + 1) of 2^64 blocks, rounded up.
            let mut sets = BigUint::from(1_u8);
            for taken in 0..=count {
                sets = sets * (LANES - taken) / (taken + 1);
            }
            let power = u32::try_from(count + 1).ok()?;
            let of = (sets * BigUint::from(whole.undecided).pow(power)) << 64_u32;
            let overflow = (of >> (whole.word_bits * power)).to_u64()? + 1;
            (overflow <= 1 << (64 - OVERFLOW_BITS)).then_some(Self { count, overflow })
        })
    }
}
