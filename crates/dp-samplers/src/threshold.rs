//! Lazy comparison of a uniform random number with a real threshold, exact to the last bit.
//!
//! Let p be a real number in [0, 1], known by enclosures, and U uniform on [0, 1). The first n bits
//! of U are known as the integer u. With an enclosure lower ≤ p ≤ upper, (u + 1)/2^n ≤
//! lower decides U < p, and u/2^n ≥ upper decides U ≥ p; else more bits of U and a narrower
//! enclosure are taken. So the comparison says U < p with probability exactly p, for any enclosures
//! that contain p. With enclosures that shrink to a point, at most two values u in 2^n stay
//! undecided, so that it ends with probability 1, also where p is a multiple of 2^−n.
//!
//! The first n ≤ 64 bits are compared with two precomputed integers. Everything after that is the
//! cold path.

use dp_exact::{Dyadic, Interval, Real};
use num_bigint::{BigInt, BigUint};
use num_traits::One;
use rand_core::CryptoRng;

use crate::masks::{declassify, less};

/// The first comparison of a uniform U with p, by n ≤ 64 random bits: two integers instead of a
/// real number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Threshold {
    /// Words, the first bits of U, below this one decide that U < p.
    below: u64,
    /// How many words from `below` on are undecided; [`u64::MAX`] stands for all. Larger words
    /// decide U ≥ p.
    pub(crate) undecided: u64,
}

impl Threshold {
    /// The threshold for a probability p in `enclosure` and words of `bits` bits, 1 to 64.
    pub(crate) fn new(enclosure: &Interval, bits: u32) -> Self {
        let scale = u64::from(bits);
        let largest = u64::MAX >> (64 - bits);
        // Clamping calls the largest word undecided where p = 1, and the word 0 where p = 0: the
        // next bits decide, the distribution does not change.
        let clamp = |value: BigInt| match u64::try_from(&value) {
            Ok(word) => word.min(largest),
            Err(_) if value.sign() == num_bigint::Sign::Minus => 0,
            Err(_) => largest,
        };
        let below = clamp(enclosure.lower().floor_shifted(scale));
        let last = clamp(ceil_shifted(enclosure.upper(), scale) - 1);
        // Where the last word comes before the first, none is undecided.
        let undecided = last.checked_sub(below);
        Self { below, undecided: undecided.map_or(0, |more| more.saturating_add(1)) }
    }

    /// Whether `word`, the first bits of a uniform U, leaves U < p undecided. The answer is
    /// declassified.
    #[inline]
    pub(crate) fn is_undecided(self, word: u64) -> bool {
        let undecided = less(word.wrapping_sub(self.below), self.undecided);
        declassify(undecided | u64::from(self.undecided == u64::MAX))
    }

    /// Whether U < p for the threshold's p, where `word`, the first bits of U, is not undecided.
    #[inline]
    pub(crate) fn is_below(self, word: u64) -> bool {
        less(word, self.below) == 1
    }
}

/// Whether U < p, for U uniform on [0, 1) and p = `probability`. The first `bits` bits of U are
/// `word`, and were not enough to tell.
///
/// Draws 64 bits at a time and asks for that much more precision each time.
#[cold]
pub(crate) fn refine_tie<P, R>(probability: &P, word: u64, bits: u32, rng: &mut R) -> bool
where
    P: Real + ?Sized,
    R: CryptoRng + ?Sized,
{
    let mut known = BigUint::from(word);
    let mut bits = bits;
    loop {
        known = (known << 64_u32) + rng.next_u64();
        bits = bits.saturating_add(64);
        // Much narrower than 2^−bits, so that ties are rare.
        let enclosure = probability.enclose(bits.saturating_add(64));
        let scale = u64::from(bits);
        let here = BigInt::from(known.clone());
        if &here + BigInt::one() <= enclosure.lower().floor_shifted(scale) {
            return true;
        }
        if here >= ceil_shifted(enclosure.upper(), scale) {
            return false;
        }
    }
}

/// ⌈value·2^bits⌉.
pub(crate) fn ceil_shifted(value: &Dyadic, bits: u64) -> BigInt {
    -Dyadic::new(-value.mantissa(), value.exponent()).floor_shifted(bits)
}

#[cfg(test)]
mod tests;
