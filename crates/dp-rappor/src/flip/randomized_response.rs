//! Randomized response: a yes or no that is flipped with one probability.
//!
//! ```text
//! P(output = y | answer = b) = 1 − p if y = b, else p,     p = 1/(e^ε + 1)
//! ```
//!
//! Source: Warner, "Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias"
//! (JASA 1965). It is symmetric RAPPOR of one bit, with ε₀ = ε: ε-local differential privacy.

use dp_exact::{Epsilon, Interval};
use num_bigint::BigInt;
use rand_core::CryptoRng;

use super::SymmetricRappor;
use crate::{Error, Estimate};

/// Randomized response with parameter ε: flips one bit with probability exactly
/// p = 1/(e^ε + 1).
///
/// ```
/// use dp_rappor::{RandomizedResponse, os_rng};
///
/// let response = RandomizedResponse::new("1".parse()?)?;
/// let mut rng = os_rng()?;
/// let yes = (0..1000).filter(|client| response.randomize(&mut rng, client % 4 == 0)).count();
/// let estimate = response.estimate(yes, 1000);
/// assert!((estimate.value - 250.0).abs() < 7.0 * estimate.standard_error);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RandomizedResponse(SymmetricRappor);

impl RandomizedResponse {
    /// The mechanism with parameter ε, of any size that an [`Epsilon`] has.
    ///
    /// # Errors
    /// As [`SymmetricRappor::new`].
    pub fn new(epsilon: Epsilon) -> Result<Self, Error> {
        SymmetricRappor::new(epsilon).map(Self)
    }

    /// The parameter ε, and the exact privacy loss of one report: pure local differential privacy.
    #[must_use]
    pub fn epsilon(&self) -> &Epsilon {
        self.0.epsilon0()
    }

    /// The probability that `answer` is reported as `output`, enclosed with at least `precision`
    /// bits.
    #[must_use]
    pub fn probability(&self, answer: bool, output: bool, precision: u32) -> Interval {
        self.0.probability(u32::from(answer != output), 1, precision)
    }

    /// Flips the answer with probability p.
    ///
    /// One 64-bit word and two comparisons for every answer and flip; more only with probability at
    /// most 3·2^−64.
    #[must_use]
    pub fn randomize<R: CryptoRng + ?Sized>(&self, rng: &mut R, answer: bool) -> bool {
        self.0.randomize_bit(rng, answer)
    }

    /// The unbiased estimate of how many of `reports` clients hold a yes, from the `count` of them
    /// that reported one: (count·(e^ε + 1) − reports)/(e^ε − 1), with the standard error
    /// √(reports·e^ε)/(e^ε − 1).
    pub fn estimate(&self, count: impl Into<BigInt>, reports: u64) -> Estimate {
        self.0.estimate(count, reports)
    }
}
