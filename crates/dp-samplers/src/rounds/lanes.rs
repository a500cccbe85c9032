//! The first comparison with e^−γ, in 16 bits: plain loops over arrays, which compilers turn into vector instructions.
//!
//! In units of 2^−15, with C = 2c·2^15 < 540 known to 16 bits after the point, and all products cut off,
//!
//! - A ≈ 2mc errs by less than 1.01; with ⌊C/2⌋ for c, B ≈ 2mc + cD by less than 3.01. Where γ = c·D, B = ⌊c·2^15⌋;
//! - γ ≈ B·D by less than 3.01 + 1, and by less than 13/20 for what lies below the 16 bits of D.
//!
//! So the computed γ' is at most 4.7 units below γ, never above it. As a fraction of 2^16 it is z = γ'/2 < 13/20, and
//! e^−z is summed by Horner's rule with aᵢ = ⌊2^16/i!⌋, 65535 for the first two. A step errs by at most 1, for aᵢ or
//! the cut, which have opposite signs, and z times what it got: less than 2.9 units of 2^−16 in all, z^8/8! < 0.06 for
//! the end of the series included. The square of it errs by less than 5.8 + 1. As e^−γ' exceeds e^−γ by less than 9.4
//! units, the computed q has
//!
//! q − 15.2 < 2^16·e^−γ < q + 6.9.
//!
//! A lane u stands for a U with u ≤ 2^16·U < u + 1. It is accepted where u < q − 16, rejected from q + 7 on, and
//! undecided in the 23 lanes between. Where γ is that of another law, up to an error, the lanes between are more.

use core::iter::zip;

use crate::scan::lanes::LANES;

/// One lane for each draw.
pub(super) type Lanes = [u16; LANES];

/// Lanes below q, and from q on, that are undecided.
const BELOW: u16 = 16;
const ABOVE: u16 = 7;

/// What the first comparison says.
pub(super) const ACCEPTED: i16 = 1;
pub(super) const UNDECIDED: i16 = 2;

/// ⌊2^16/i!⌋
const INVERSE_FACTORIALS: [u16; 8] = [65535, 65535, 32768, 10922, 2730, 546, 91, 13];

/// The numbers that lanes are compared with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slope {
    /// ⌊c·2^15⌋ where γ = c·D.
    flat: u16,
    /// ⌊C⌋, the 16 bits after the point, and ⌊C/2⌋.
    pub(super) whole: u16,
    part: u16,
    half: u16,
    /// Lanes below q, and in all, that are undecided.
    below: u16,
    width: u16,
    /// Buckets beyond are undecided.
    core: u16,
}

/// ⌊one·other/2^16⌋
#[inline(always)]
fn high_product(one: u16, other: u16) -> u16 {
    ((u32::from(one) * u32::from(other)) >> 16) as u16
}

impl Slope {
    /// For γ = c·D·(2m + D), from ⌊C·2^16⌋.
    pub(super) fn rising(slope: u32) -> Option<Self> {
        Some(Self {
            whole: u16::try_from(slope >> 16).ok()?,
            part: u16::try_from(slope & 0xffff).ok()?,
            half: u16::try_from(slope >> 17).ok()?,
            ..Self::flat(0)
        })
    }

    /// For γ = c·D, from ⌊c·2^15⌋.
    pub(super) fn flat(flat: u16) -> Self {
        Self {
            flat,
            whole: 0,
            part: 0,
            half: 0,
            below: BELOW,
            width: BELOW + ABOVE,
            core: u16::MAX,
        }
    }

    /// For a γ that differs by at most `error` units of 2^−16, in buckets up to `core`.
    pub(super) fn within(self, core: u16, error: u16) -> Option<Self> {
        Some(Self {
            below: BELOW.checked_add(error)?,
            width: (BELOW + ABOVE).checked_add(error.checked_mul(2)?)?,
            core,
            ..self
        })
    }

    /// Of the 2^16 lanes, so many are undecided.
    pub(super) fn undecided(self) -> u16 {
        self.width
    }

    /// The last bucket that is decided.
    pub(super) fn core(self) -> u16 {
        self.core
    }

    /// q for a bucket m and the 16 upper bits of D.
    #[inline(always)]
    pub(super) fn threshold(self, bucket: u16, place: u16) -> u16 {
        let steep = bucket
            .wrapping_mul(self.whole)
            .wrapping_add(high_product(bucket, self.part))
            .wrapping_add(self.flat);
        let z = high_product(steep.wrapping_add(high_product(place, self.half)), place);
        let [rest @ .., last] = INVERSE_FACTORIALS;
        let step = |sum: u16, term: &u16| term.wrapping_sub(high_product(z, sum));
        let root = rest.iter().rev().fold(last, step);
        high_product(root, root)
    }

    /// What the first comparison says of each draw.
    #[inline(never)]
    pub(super) fn compare(
        self,
        buckets: &Lanes,
        places: &Lanes,
        uniform: &Lanes,
        states: &mut [i16; LANES],
    ) {
        let given = zip(zip(buckets, places), uniform);
        for (state, ((&bucket, &place), &uniform)) in zip(states, given) {
            let sure = self.threshold(bucket, place).wrapping_sub(self.below);
            let undecided =
                u16::from(uniform.wrapping_sub(sure) < self.width) | u16::from(bucket > self.core);
            let accepted = u16::from(uniform < sure) & !undecided;
            *state = ((undecided << 1) | (accepted & 1)).cast_signed();
        }
    }
}

#[cfg(test)]
impl Slope {
    /// Bounds of 2^16·e^−γ, that decide: below the first and from the second on.
    pub(super) fn bounds(self, bucket: u16, place: u16) -> [i64; 2] {
        let low = i64::from(self.threshold(bucket, place)) - i64::from(self.below);
        [low, low + i64::from(self.width)]
    }
}
