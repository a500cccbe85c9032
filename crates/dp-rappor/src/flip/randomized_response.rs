//! Randomized response: a yes or no that is flipped with one probability.
//!
//! ```text
//! P(output = y | answer = b) = 1 − p if y = b, else p,     p = 1/(e^ε + 1)
//! ```
//!
//! Source: Warner, "Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias"
//! (JASA 1965). It is symmetric RAPPOR of a vector of one bit, with ε₀ = ε. The two answers are
//! told apart with the ratio (1 − p)/p = e^ε: ε-local differential privacy, attained.

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
    /// None: those of [`SymmetricRappor::new`].
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
        self.0
            .probability(u32::from(answer != output), 1, precision)
    }

    /// Flips the answer with probability p.
    ///
    /// One 64-bit word, one table access and one comparison, whatever the answer and the flip; more
    /// only with probability at most 2^−56.
    #[must_use]
    pub fn randomize<R: CryptoRng + ?Sized>(&self, rng: &mut R, answer: bool) -> bool {
        let mut bit = [answer];
        self.0.randomize(rng, &mut bit);
        bit[0]
    }

    /// The unbiased estimate of how many of `reports` clients hold a yes, from the `count` of them
    /// that reported one: (count·(e^ε + 1) − reports)/(e^ε − 1), with the standard error
    /// √(reports·e^ε)/(e^ε − 1).
    pub fn estimate(&self, count: impl Into<BigInt>, reports: u64) -> Estimate {
        self.0.estimate(count, reports)
    }
}

#[cfg(test)]
mod tests {
    use dp_exact::Rational;

    use super::*;

    /// Of 2^64 words, how many flip the answer and how many keep it, counted in the table that
    /// `randomize` reads.
    fn flipping_and_keeping(response: &RandomizedResponse) -> [u128; 2] {
        let table = response.0.table();
        let mut counted = [0; 2];
        for (pattern, words) in (table.first()..).zip(table.masses()) {
            counted[usize::from(pattern & 1 == 0)] += u128::from(words);
        }
        counted
    }

    #[test]
    fn the_table_flips_as_often_as_stated_up_to_its_undecided_words() {
        for epsilon in ["1e-6", "1/10", "1", "5", "20", "100"] {
            let response = RandomizedResponse::new(epsilon.parse().unwrap()).unwrap();
            let undecided = u128::from(response.0.undecided());
            for (words, flipped) in flipping_and_keeping(&response)
                .into_iter()
                .zip([true, false])
            {
                let stated = response.probability(false, flipped, 192).shifted(64);
                let number = |words: u128| Rational::integer(words);
                assert!(stated.compare_rational(&number(words)).unwrap().is_ge());
                let most = number(words + undecided);
                assert!(stated.compare_rational(&most).unwrap().is_le(), "{epsilon}");
            }
        }
    }
}
