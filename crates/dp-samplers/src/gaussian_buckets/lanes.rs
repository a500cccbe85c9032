//! The first comparison with e^−γ, in 16 bits: plain loops over arrays, which compilers turn into
//! vector instructions.
//!
//! In units of 2^−15, with C = 2c·2^15 < 540 known to 16 bits after the point, and all products cut off,
//!
//! - A ≈ 2mc errs by less than 1.01; with ⌊C/2⌋ for c, B ≈ 2mc + cD by less than 3.01;
//! - γ ≈ B·D by less than 3.01 + 1, and by less than 13/20 for what lies below the 16 bits of D.
//!
//! So the computed γ' is at most 4.7 units below γ, never above it. As a fraction of 2^16 it is
//! z = γ'/2 < 13/20, and e^−z is summed by Horner's rule with aᵢ = ⌊2^16/i!⌋, 65535 for the first two. A
//! step errs by at most 1, for aᵢ or the cut, which have opposite signs, and z times what it got:
//! less than 2.9 units of 2^−16 in all, z^8/8! < 0.06 for the end of the series included. The square of it
//! errs by less than 5.8 + 1. As e^−γ' exceeds e^−γ by less than 9.4 units, the computed q has
//!
//! q − 15.2 < 2^16·e^−γ < q + 6.9.
//!
//! A lane u stands for a U with u ≤ 2^16·U < u + 1. It is accepted where u < q − 16, rejected from q + 7
//! on, and undecided in the 23 lanes between.

use core::iter::zip;

/// Draws in a batch.
pub(super) const LANES: usize = 256;

/// One lane for each draw.
pub(super) type Lanes = [u16; LANES];

/// Lanes below q that are undecided.
const BELOW: u16 = 16;

/// Of the 2^16 lanes, so many are undecided.
pub(super) const WIDTH: u16 = BELOW + 7;

/// What the first comparison says.
pub(super) const ACCEPTED: u16 = 1;
pub(super) const UNDECIDED: u16 = 2;

/// ⌊2^16/i!⌋
const INVERSE_FACTORIALS: [u16; 8] = [65535, 65535, 32768, 10922, 2730, 546, 91, 13];

/// The numbers that lanes are compared with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slope {
    /// ⌊C⌋, and the 16 bits after the point.
    whole: u16,
    part: u16,
    /// ⌊C/2⌋
    half: u16,
}

/// ⌊one·other/2^16⌋
#[inline]
fn high_product(one: u16, other: u16) -> u16 {
    ((u32::from(one) * u32::from(other)) >> 16) as u16
}

impl Slope {
    /// From ⌊C·2^16⌋.
    pub(super) fn new(slope: u32) -> Option<Self> {
        Some(Self {
            whole: u16::try_from(slope >> 16).ok()?,
            part: u16::try_from(slope & 0xffff).ok()?,
            half: u16::try_from(slope >> 17).ok()?,
        })
    }

    /// q for a bucket m and the 16 upper bits of D.
    #[inline]
    pub(super) fn threshold(self, bucket: u16, place: u16) -> u16 {
        let steep = bucket
            .wrapping_mul(self.whole)
            .wrapping_add(high_product(bucket, self.part));
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
        states: &mut Lanes,
    ) {
        let given = zip(zip(buckets, places), uniform);
        for (state, ((&bucket, &place), &uniform)) in zip(states, given) {
            let sure = self.threshold(bucket, place).wrapping_sub(BELOW);
            let undecided = u16::from(uniform.wrapping_sub(sure) < WIDTH);
            let accepted = u16::from(uniform < sure) & !undecided;
            *state = (undecided << 1) | (accepted & 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha20Rng;
    use rand_core::{Rng, SeedableRng};

    use dp_exact::Rational;

    use super::super::tests::{buckets, exact_gamma, variances};
    use crate::enclosure::exp_minus;

    /// Whether 2^16·e^−γ lies between the bounds around q, for random proposals and those at the ends.
    fn bounds_hold(fault: impl Fn(&mut super::Slope)) -> bool {
        let mut rng = ChaCha20Rng::seed_from_u64(5);
        let (below, above) = (
            Rational::new(76, 5).unwrap(),
            Rational::new(69, 10).unwrap(),
        );
        variances().into_iter().all(|variance| {
            let mut law = buckets(&variance);
            fault(&mut law.slope);
            (0..150).all(|step| {
                let last = law.shape.last;
                let bucket = [last, 0, i64::from(rng.next_u32()) % (last + 1)][step.min(2)];
                let upper = [u64::MAX, 0, rng.next_u64()][step / 2 % 3];
                let place = law.shape.place(upper, rng.next_u64());
                let lane = u16::try_from(place.upper >> 48).unwrap();
                let q = law.slope.threshold(u16::try_from(bucket).unwrap(), lane);
                let exact = exp_minus(&exact_gamma(&law, bucket, place), 96).shifted(16);
                let q = Rational::integer(q);
                exact
                    .compare_rational(&(&q - &below))
                    .is_some_and(|o| o.is_gt())
                    && exact
                        .compare_rational(&(&q + &above))
                        .is_some_and(|o| o.is_lt())
            })
        })
    }

    #[test]
    fn the_first_threshold_is_within_its_bounds() {
        assert!(bounds_hold(|_| {}));
    }

    #[test]
    fn a_slope_off_by_one_is_caught() {
        assert!(!bounds_hold(|slope| slope.whole += 1));
        assert!(!bounds_hold(|slope| slope.whole -= 1));
    }
}
