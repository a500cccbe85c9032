//! The first comparison with e^−γ, in 16 bits: plain loops over arrays, which compilers turn into
//! vector instructions.
//!
//! # γ = c·D·(2m + D)
//! In units of 2^−15, with C = 2c·2^15 < 632 known to 16 bits after the point, and all products cut
//! off,
//!
//! - A ≈ 2mc errs by less than 1.01; with ⌊C/2⌋ for c, B ≈ 2mc + cD by less than 3.01;
//! - γ ≈ B·D by less than 4.01, and by less than 0.65 for the part of D below its first 16 bits, if
//!   there is one.
//!
//! So the computed γ' is less than 4.01 or 4.66 units below γ, and never above it. As a fraction of
//! 2^16 it is z = γ'/2 < 13/20, and e^−z is summed by Horner's rule with aᵢ = ⌊2^16/i!⌋, 65535 for
//! the first two. A step errs by at most 1, for aᵢ or the cut, which have opposite signs, and z
//! times what it got: less than 2.9 units of 2^−16 in all, z^8/8! < 0.06 for the end of the series
//! included. Its square errs by less than 5.8 upward and 6.8 downward. As e^−γ' exceeds e^−γ by
//! less than 8.02 or 9.32 units, the computed q has q − 13.9 < 2^16·e^−γ < q + 6.9, or q − 15.2 for
//! 13.9.
//!
//! A lane u stands for a U with u ≤ 2^16·U < u + 1. It is accepted where u < q − 14, or q − 16,
//! rejected from q + 7 on, and undecided between. Where γ belongs to another distribution, up to an
//! error, more lanes are undecided.
//!
//! # γ = c·D with c < 1/16
//! With ⌊c·2^20⌋ for c, g ≈ γ·2^20 < 2^16 is at most 3 below it: 1 each for c, the part of D left
//! out, and the cut. With G = γ·2^16 < 2^12, 2^16·e^−γ = 2^16 − G + G²/2^17 − R, 0 ≤ R <
//! G³/(6·2^32) < 2.7. The computed q = 2^16 − 1 − ⌊g/16⌋ + ⌊⌊g²/2^16⌋/2^9⌋ errs in G by less than
//! 1.19 upward and in G²/2^17 by less than 1.02 downward, so that q − 2.9 < 2^16·e^−γ < q + 2.1. A
//! lane is accepted where u < q − 3, rejected from q + 3 on, and undecided between.

use core::hint::black_box;
use core::iter::zip;

use crate::table_scan::lanes::LANES;

/// 16 bits for each of 256 draws.
pub(super) type Lanes = [u16; LANES];

/// Values of a lane below the computed q, about 2^16·e^−γ, that are undecided where γ = c·D·(2m +
/// D). The first is for D of at most 16 bits, the second for more bits.
const BELOW: [u16; 2] = [14, 16];

/// Values of a lane, from the computed q ≈ 2^16·e^−γ on, that are undecided where γ = c·D·(2m + D).
const ABOVE: u16 = 7;

/// Values of a lane on either side of the computed q ≈ 2^16·e^−γ that are undecided where γ = c·D.
const AROUND: u16 = 3;

/// State of a proposal that the first comparison accepts; 0 stands for a rejected one.
pub(super) const ACCEPTED: i16 = 1;
/// State of a proposal that the first comparison leaves undecided.
pub(super) const UNDECIDED: i16 = 2;

/// ⌊2^16/i!⌋, or 65535 for i = 0 and 1.
const INVERSE_FACTORIALS: [u16; 8] = [65535, 65535, 32768, 10922, 2730, 546, 91, 13];

/// The constants of the first comparison for one distribution. A proposal at the fraction D of
/// bucket m is accepted with probability e^−γ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slope {
    /// ⌊c·2^20⌋ where γ = c·D, else 0.
    flat: u16,
    /// ⌊C⌋, C = 2c·2^15, where γ = c·D·(2m + D).
    pub(super) whole: u16,
    /// The first 16 bits of C after the point.
    part: u16,
    /// ⌊C/2⌋
    half: u16,
    /// How many values of a lane below q, about 2^16·e^−γ, are undecided.
    below: u16,
    /// How many of the 2^16 values of a lane are undecided.
    pub(super) undecided: u16,
    /// The last bucket that the first comparison decides.
    pub(super) core: u16,
}

/// ⌊one·other/2^16⌋
#[inline(always)]
fn high_product(one: u16, other: u16) -> u16 {
    ((u32::from(one) * u32::from(other)) >> 16) as u16
}

impl Slope {
    /// The constants for γ = c·D·(2m + D) at the fraction D of bucket m. `slope` is ⌊C·2^16⌋, C =
    /// 2c·2^15; `is_long` says whether D has more than 16 bits. `None` if C is 2^16 or more.
    pub(super) fn rising(slope: u32, is_long: bool) -> Option<Self> {
        let below = BELOW[usize::from(is_long)];
        Some(Self {
            flat: 0,
            whole: u16::try_from(slope >> 16).ok()?,
            part: u16::try_from(slope & 0xffff).ok()?,
            half: u16::try_from(slope >> 17).ok()?,
            below,
            undecided: below + ABOVE,
            core: u16::MAX,
        })
    }

    /// The constants for γ = c·D at the fraction D of any bucket, from `flat` = ⌊c·2^20⌋ > 0.
    pub(super) fn flat(flat: u16) -> Self {
        let (below, undecided) = (AROUND, 2 * AROUND);
        Self { flat, whole: 0, part: 0, half: 0, below, undecided, core: u16::MAX }
    }

    /// The constants for a γ that differs from c·D·(2m + D) by at most `error` units of 2^−16, in
    /// buckets m up to `core`; proposals in later buckets are undecided. `None` if the number of
    /// undecided values exceeds 16 bits.
    pub(super) fn within(self, core: u16, error: u16) -> Option<Self> {
        Some(Self {
            below: self.below.checked_add(error)?,
            undecided: self.undecided.checked_add(error.checked_mul(2)?)?,
            core,
            ..self
        })
    }

    /// Whether γ = c·D, which does not depend on the bucket.
    pub(super) fn is_flat(self) -> bool {
        self.flat > 0
    }

    /// The threshold q, about 2^16·e^−γ, for γ = c·D·(2m + D) at the fraction D of bucket m =
    /// `bucket`; `offset` has the upper 16 bits of D. `terms` are [`INVERSE_FACTORIALS`].
    #[inline(always)]
    fn rising_threshold(self, terms: &[u16; 8], bucket: u16, offset: u16) -> u16 {
        // A ≈ 2mc, then B ≈ 2mc + cD, both in units of 2^−15.
        let a = bucket.wrapping_mul(self.whole).wrapping_add(high_product(bucket, self.part));
        let b = a.wrapping_add(high_product(offset, self.half));
        // z = γ'/2 as a fraction of 2^16, and e^−z by Horner's rule from the last term on.
        let z = high_product(b, offset);
        let [others @ .., last] = terms;
        let step = |sum: u16, term: &u16| term.wrapping_sub(high_product(z, sum));
        let root = others.iter().rev().fold(*last, step);
        // e^−γ' is its square.
        high_product(root, root)
    }

    /// The threshold q, about 2^16·e^−γ, for γ = c·D at the fraction D of a bucket; `offset` has
    /// the 16 upper bits of D.
    #[inline(always)]
    fn flat_threshold(self, offset: u16) -> u16 {
        // 2^16·e^−γ ≈ 2^16 − G + G²/2^17, G = g/16.
        let g = high_product(offset, self.flat);
        (u16::MAX - (g >> 4)).wrapping_add(high_product(g, g) >> 9)
    }

    /// Fills `states` by the first comparison: [`ACCEPTED`], [`UNDECIDED`] or 0 for a rejected
    /// proposal.
    #[inline(never)]
    pub(super) fn compare(
        self,
        buckets: &Lanes,
        offsets: &Lanes,
        uniform: &Lanes,
        states: &mut [i16; LANES],
    ) {
        // Of constants such as 65535 − x compilers make what they then multiply in 32 bits.
        let terms = &black_box(INVERSE_FACTORIALS);
        let given = zip(zip(buckets, offsets), zip(uniform, states));
        if self.flat > 0 {
            for ((_, &offset), (&uniform, state)) in given {
                *state = self.state(self.flat_threshold(offset), uniform, 0);
            }
        } else if self.core == u16::MAX {
            for ((&bucket, &offset), (&uniform, state)) in given {
                *state = self.state(self.rising_threshold(terms, bucket, offset), uniform, 0);
            }
        } else {
            for ((&bucket, &offset), (&uniform, state)) in given {
                // 1 where `core` − `bucket` is negative, else 0.
                let beyond = self.core.wrapping_sub(bucket) >> 15;
                *state = self.state(self.rising_threshold(terms, bucket, offset), uniform, beyond);
            }
        }
    }

    /// The state of a proposal, [`ACCEPTED`], [`UNDECIDED`] or 0, where `uniform` holds the first
    /// 16 bits of U and q is about 2^16·e^−γ. `beyond` is 1 for a bucket after the core, which is
    /// undecided, else 0.
    #[inline(always)]
    fn state(self, q: u16, uniform: u16, beyond: u16) -> i16 {
        // 1 for `sure` ≤ U < `sure` + `undecided`, else 0.
        let sure = q.wrapping_sub(self.below);
        let undecided = u16::from(uniform.wrapping_sub(sure) < self.undecided) | beyond;
        let accepted = u16::from(uniform < sure) & !undecided;
        // ACCEPTED is the lowest bit, UNDECIDED the next.
        ((undecided << 1) | (accepted & 1)).cast_signed()
    }
}

#[cfg(test)]
impl Slope {
    /// The first lane value that is not accepted, and the first that is rejected: bounds on
    /// 2^16·e^−γ.
    pub(super) fn bounds(self, bucket: u16, offset: u16) -> [i64; 2] {
        let q = match self.flat {
            0 => self.rising_threshold(&INVERSE_FACTORIALS, bucket, offset),
            _ => self.flat_threshold(offset),
        };
        let low = i64::from(q) - i64::from(self.below);
        [low, low + i64::from(self.undecided)]
    }
}
