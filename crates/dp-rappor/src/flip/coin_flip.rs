//! The coin-flip survey: heads, tell the truth; tails, answer by a second coin.
//!
//! ```text
//! P(output = y | answer = b) = 1/2·[y = b] + 1/4 = 3/4 if y = b, else 1/4
//! ```
//!
//! Source: Warner 1965 as in Dwork, Roth, "The Algorithmic Foundations of Differential Privacy",
//! 2014, section 3.2. The ratio is exactly 3: ln 3-local differential privacy, and no smaller ε. It
//! is [`crate::SymmetricRappor`] of one bit at ln 3, which is not rational.
//!
//! Of n reports let b hold a yes and y report one. Then E\[y\] = n/4 + b/2 and Var\[y\] = 3n/16:
//!
//! ```text
//! estimate = 2y − n/2     standard deviation = √(3n)/2
//! ```

use dp_exact::Rational;
use num_bigint::BigInt;
#[cfg(not(feature = "std"))]
use num_traits::Float as _;
use rand_core::CryptoRng;

use crate::Estimate;
use crate::estimate::as_float;

/// The coin-flip survey: the truth with probability 1/2, else yes or no with 1/4 each. Exactly
/// ln 3-locally differentially private.
///
/// ```
/// use dp_rappor::{CoinFlip, os_rng};
///
/// let mut rng = os_rng()?;
/// let yes = (0..1000).filter(|client| CoinFlip.randomize(&mut rng, client % 4 == 0)).count();
/// let estimate = CoinFlip.estimate(yes, 1000);
/// assert!((estimate.value - 250.0).abs() < 7.0 * estimate.standard_error);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CoinFlip;

impl CoinFlip {
    /// e^ε: the largest ratio of the probabilities of one output under two answers.
    pub const RATIO: u32 = 3;

    /// The answer that is reported: the truth if the first coin says so, else the second coin.
    ///
    /// Both coins are bits of one 64-bit word; nothing branches.
    #[must_use]
    pub fn randomize<R: CryptoRng + ?Sized>(self, rng: &mut R, answer: bool) -> bool {
        let word = rng.next_u64();
        let (heads, second) = (word & 1 == 1, word & 2 == 2);
        (heads & answer) | (!heads & second)
    }

    /// The unbiased estimate 2·count − reports/2 of how many of `reports` clients hold a yes, with
    /// the standard error √(3·reports)/2.
    pub fn estimate(self, count: impl Into<BigInt>, reports: u64) -> Estimate {
        let count: BigInt = count.into();
        let doubled = Rational::integer(count * 4 - reports);
        let reports = as_float(reports);
        Estimate { value: doubled.to_f64() / 2.0, standard_error: (0.75 * reports).sqrt() }
    }
}
