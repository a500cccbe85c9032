//! The discrete Laplace distribution P(x) ∝ e^(−|x|/t): Canonne, Kamath, Steinke 2020,
//! Algorithm 2.

use dp_exact::Rational;
use num_bigint::BigInt;
use num_traits::Zero;
use rand_core::CryptoRng;

use super::Geometric;
use crate::Error;

/// The discrete Laplace distribution of a rational scale, by Algorithm 2 of the paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscreteLaplace {
    /// The distribution of |x| before −0 is rejected.
    magnitude: Geometric,
}

impl DiscreteLaplace {
    /// The distribution P(x) ∝ e^(−|x|/scale) on the integers.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless scale > 0 with at most [`Rational::MAX_BITS`] bits.
    pub fn new(scale: &Rational) -> Result<Self, Error> {
        Ok(Self { magnitude: Geometric::new(scale)? })
    }

    /// Draws an integer.
    pub fn sample<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> BigInt {
        loop {
            let magnitude = BigInt::from(self.magnitude.sample(rng));
            let negative = rng.next_u64() & 1 == 1;
            if !negative {
                return magnitude;
            }
            // −0 would be a second way to draw 0: start again.
            if !magnitude.is_zero() {
                return -magnitude;
            }
        }
    }
}
