//! Lazy comparison of a uniform random number with a real threshold, exact to the last bit.
//!
//! Let p be a real number in [0, 1], known by enclosures, and U uniform on [0, 1). The first n bits
//! of U are known as the integer u. With an enclosure lower ≤ p ≤ upper, (u + 1)/2^n ≤
//! lower decides U < p, and u/2^n ≥ upper decides U ≥ p; else more bits of U and a narrower
//! enclosure are taken. So the comparison says U < p with probability exactly p, for any enclosures
//! that contain p. With enclosures that shrink to a point, at most two values u in 2^n stay
//! undecided, so that it ends with probability 1, also where p is a multiple of 2^−n.

use dp_exact::{Dyadic, Real};
use num_bigint::{BigInt, BigUint};
use num_traits::One;
use rand_core::CryptoRng;

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
