//! Bernoulli(p) for rational p = n/d: U < n with U uniform on {0, …, d − 1}.
//! (Canonne, Kamath, Steinke 2020, section 5.1.)

use dp_exact::{ParameterError, Rational};
use num_bigint::BigUint;
use rand_core::CryptoRng;

use super::uniform;
use crate::Error;
use crate::error::within_limit;

/// A coin that is true with an exact rational probability.
///
/// ```
/// use dp_samplers::{Bernoulli, Rational, os_rng};
///
/// let certain = Bernoulli::new(&Rational::one())?;
/// assert!(certain.sample(&mut os_rng()?));
/// assert!(Bernoulli::new(&"1.5".parse()?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bernoulli {
    probability: Rational,
}

impl Bernoulli {
    /// The coin that is true with this probability.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless 0 ≤ probability ≤ 1 with at most [`Rational::MAX_BITS`] bits.
    pub fn new(probability: &Rational) -> Result<Self, Error> {
        within_limit("probability", probability)?;
        if probability.is_negative() || *probability > Rational::one() {
            let accepted = "a number from 0 to 1";
            return Err(ParameterError::new("probability", probability, accepted).into());
        }
        Ok(Self { probability: probability.clone() })
    }

    /// The probability of `true`.
    #[must_use]
    pub fn probability(&self) -> &Rational {
        &self.probability
    }

    /// Draws: true with exactly the given probability.
    pub fn sample<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> bool {
        let numerator = self.probability.numerator().magnitude();
        draw(numerator, self.probability.denominator().magnitude(), rng)
    }
}

/// True with probability `numerator`/`denominator`, which lies in [0, 1] and need not be reduced.
pub(super) fn draw<R: CryptoRng + ?Sized>(
    numerator: &BigUint,
    denominator: &BigUint,
    rng: &mut R,
) -> bool {
    uniform::below(denominator, rng) < *numerator
}
