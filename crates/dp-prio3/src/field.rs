//! Signed integers in a prime field.
//!
//! An aggregate share is a vector over F_p. The integer x with −p/2 < x < p/2 is represented by
//! x mod p, so a noisy total below zero is a large field element. [`SignedField`] is the map
//! in both directions:
//!
//! ```text
//! from_signed(x) = x mod p          for |x| ≤ (p − 1)/2
//! to_signed(y)   = y                if y ≤ (p − 1)/2
//!                = y − p            otherwise
//! ```

// DIFFERENCE from draft-wang §6.1.2: totals below zero are read with their sign.

use dp_samplers::{Error, declassify};
use prio::field::{Field64, Field128, NttFriendlyFieldElement};
use zeroize::Zeroizing;

/// A field of Prio3 with its signed representatives, in (−p/2, p/2).
///
/// Implemented for the two fields that Prio3 uses, [`Field64`] and [`Field128`].
pub trait SignedField: NttFriendlyFieldElement + Send + Sync {
    /// (p − 1)/2, the largest integer with a representative.
    const MAX_SIGNED: i128;

    /// p
    const MODULUS: u128 = 2 * Self::MAX_SIGNED.cast_unsigned() + 1;

    /// The element that represents `residue`, which is below p.
    fn from_residue(residue: u128) -> Self;

    /// The representative in [0, p).
    fn to_residue(self) -> u128;

    /// The element that represents `value`; `None` if |`value`| exceeds [`Self::MAX_SIGNED`]. There
    /// is no branch on the sign: noise passes through here.
    fn from_signed(value: i128) -> Option<Self> {
        let all_ones_if_negative = (value >> 127).cast_unsigned();
        let residue = value.cast_unsigned().wrapping_add(Self::MODULUS & all_ones_if_negative);
        fits(value, Self::MAX_SIGNED).then(|| Self::from_residue(residue))
    }

    /// The representative in (−p/2, p/2).
    fn to_signed(self) -> i128 {
        let residue = self.to_residue();
        if residue <= Self::MAX_SIGNED.cast_unsigned() {
            residue.cast_signed()
        } else {
            -(Self::MODULUS - residue).cast_signed()
        }
    }
}

impl SignedField for Field64 {
    // p = 2^64 − 2^32 + 1.
    const MAX_SIGNED: i128 = 0x7fff_ffff_8000_0000;

    fn from_residue(residue: u128) -> Self {
        let low = residue & u128::from(u64::MAX);
        Self::from(u64::try_from(low).expect("the low 64 bits"))
    }

    fn to_residue(self) -> u128 {
        u64::from(self).into()
    }
}

impl SignedField for Field128 {
    // p = 2^128 − 7·2^66 + 1.
    const MAX_SIGNED: i128 = i128::MAX - (7 << 65) + 1;

    fn from_residue(residue: u128) -> Self {
        Self::from(residue)
    }

    fn to_residue(self) -> u128 {
        self.into()
    }
}

/// Whether −`largest` ≤ `value` ≤ `largest`. Only the answer is declassified: the value may be
/// secret noise.
fn fits(value: i128, largest: i128) -> bool {
    let all_ones_if_negative = value >> 127;
    let magnitude = (value ^ all_ones_if_negative).wrapping_sub(all_ones_if_negative);
    let room = largest.cast_unsigned().wrapping_sub(magnitude.cast_unsigned());
    declassify(1 ^ (room >> 127) as u64)
}

/// The number of entries of a share to which noise is added at once where draws are independent.
pub(crate) const BLOCK: usize = 256;

/// Adds a draw to every entry of a share. `fill` has to overwrite the integers that it gets, for
/// `block` entries of the share or, at its end, fewer; they are wiped afterwards. After an error,
/// also for a draw outside (−p/2, p/2), some entries lack noise, and the share must not be
/// released.
pub(crate) fn add_draws<F: SignedField>(
    share: &mut [F],
    block: usize,
    mut fill: impl FnMut(&mut [i128]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut draws = Zeroizing::new(vec![0; block]);
    for part in share.chunks_mut(block) {
        let draws = &mut draws[..part.len()];
        fill(draws)?;
        for (index, (entry, draw)) in part.iter_mut().zip(draws).enumerate() {
            let target = "the field";
            *entry += F::from_signed(*draw).ok_or(Error::Overflow { index, target })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use prio::field::FieldElementWithInteger as _;

    use super::*;

    fn maps_back_and_forth<F: SignedField + std::fmt::Debug>() {
        for value in [0, 1, -1, 10, -10, F::MAX_SIGNED, -F::MAX_SIGNED] {
            let element = F::from_signed(value).expect("in range");
            assert_eq!(element.to_signed(), value);
            let residue =
                value.cast_unsigned().wrapping_add(if value < 0 { F::MODULUS } else { 0 });
            assert_eq!(element.to_residue(), residue);
        }
        assert!(F::from_signed(F::MAX_SIGNED + 1).is_none());
        assert!(F::from_signed(-F::MAX_SIGNED - 1).is_none());
        assert!(F::from_signed(i128::MIN).is_none());
    }

    #[test]
    fn signed_integers_survive_the_field() {
        maps_back_and_forth::<Field64>();
        maps_back_and_forth::<Field128>();
    }

    #[test]
    fn the_largest_signed_integer_is_half_the_modulus_rounded_down() {
        assert_eq!(Field64::MODULUS, u128::from(Field64::modulus()));
        assert_eq!(Field128::MODULUS, Field128::modulus());
    }

    #[test]
    fn an_error_in_a_later_block_and_a_draw_beyond_the_field_are_not_swallowed() {
        let mut blocks = 0;
        let mut share = vec![Field64::from(0); 600];
        let failed = add_draws(&mut share, BLOCK, |draws| {
            blocks += 1;
            draws[0] = if blocks == 3 { Field64::MAX_SIGNED + 1 } else { 0 };
            Ok(())
        });
        let beyond = Error::Overflow { index: 0, target: "the field" };
        assert_eq!((failed, blocks), (Err(beyond.clone()), 3));
        assert_eq!(add_draws(&mut share, BLOCK, |_| Err(beyond.clone())), Err(beyond));
    }
}
