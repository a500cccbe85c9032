//! Bernoulli(e^−γ) for rational γ ≥ 0: Canonne, Kamath, Steinke 2020, Algorithm 1.

use dp_exact::{ParameterError, Rational};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Zero};
use rand_core::CryptoRng;

use super::bernoulli;
use crate::Error;
use crate::error::within_limit;

/// A coin that is true with probability e^−γ for an exact rational γ ≥ 0.
///
/// A large γ costs no more than a small one: the expected number of rounds is bounded.
///
/// ```
/// use dp_samplers::{BernoulliExp, Rational, os_rng};
///
/// let certain = BernoulliExp::new(&Rational::zero())?;
/// assert!(certain.sample(&mut os_rng()?));
/// # Ok::<(), dp_samplers::Error>(())
/// ```
///
/// # Timing
/// The running time depends on the outcome: see [`reference`](crate::reference).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BernoulliExp {
    gamma: Rational,
}

impl BernoulliExp {
    /// The coin that is true with probability e^−gamma.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless gamma ≥ 0 with at most [`Rational::MAX_BITS`] bits.
    pub fn new(gamma: &Rational) -> Result<Self, Error> {
        within_limit("gamma", gamma)?;
        if gamma.is_negative() {
            return Err(ParameterError::new("gamma", gamma, "a number of at least 0").into());
        }
        Ok(Self { gamma: gamma.clone() })
    }

    /// The exponent γ.
    #[must_use]
    pub fn gamma(&self) -> &Rational {
        &self.gamma
    }

    /// Draws: true with exactly the given probability.
    pub fn sample<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> bool {
        let numerator = self.gamma.numerator().magnitude();
        draw(numerator, self.gamma.denominator().magnitude(), rng)
    }
}

/// True with probability e^−γ, γ = `numerator`/`denominator` ≥ 0, which need not be reduced.
pub(super) fn draw<R: CryptoRng + ?Sized>(
    numerator: &BigUint,
    denominator: &BigUint,
    rng: &mut R,
) -> bool {
    if numerator <= denominator {
        return draw_up_to_one(numerator, denominator, rng);
    }
    // γ > 1: e^−γ = (1/e)^⌊γ⌋·e^−(γ − ⌊γ⌋). Each round fails with probability 1 − 1/e, so ⌊γ⌋ does
    // not bound the time.
    let (mut rounds, rest) = numerator.div_rem(denominator);
    while !rounds.is_zero() {
        if !draw_of_one(rng) {
            return false;
        }
        rounds -= 1_u32;
    }
    draw_up_to_one(&rest, denominator, rng)
}

/// True with probability 1/e.
pub(super) fn draw_of_one<R: CryptoRng + ?Sized>(rng: &mut R) -> bool {
    draw_up_to_one(&BigUint::one(), &BigUint::one(), rng)
}

/// True with probability e^−γ, γ = `numerator`/`denominator` ≤ 1. The number K of the first failure
/// among Bernoulli(γ/1), Bernoulli(γ/2), … exceeds k with probability γ^k/k!, so it is odd with
/// probability e^−γ.
fn draw_up_to_one<R: CryptoRng + ?Sized>(
    numerator: &BigUint,
    denominator: &BigUint,
    rng: &mut R,
) -> bool {
    let mut k = 1_u64;
    while bernoulli::draw(numerator, &(denominator * k), rng) {
        k += 1;
    }
    k % 2 == 1
}
