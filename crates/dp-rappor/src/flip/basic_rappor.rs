//! Basic RAPPOR, reported once: symmetric RAPPOR under the parameter of its first paper.
//!
//! ```text
//! every bit of a one-hot vector flips with 1/(1 + e^(ε/2)),     ε₀ = ε/2
//! ```
//!
//! Source: Erlingsson, Pihur, Korolova, "RAPPOR: Randomized Aggregatable Privacy-Preserving Ordinal
//! Response" (CCS 2014), whose parameter is the privacy loss of a whole one-hot vector: two of them
//! differ in two bits, and 2·(ε/2) = ε.

use dp_exact::{Epsilon, Rational};

use super::SymmetricRappor;
use crate::Error;

impl SymmetricRappor {
    /// Basic RAPPOR with parameter ε: symmetric RAPPOR with ε₀ = ε/2, so that replacing one one-hot
    /// vector by another has the privacy loss ε, exactly.
    ///
    /// ```
    /// use dp_rappor::SymmetricRappor;
    ///
    /// let rappor = SymmetricRappor::basic(&"5".parse()?)?;
    /// assert_eq!(rappor.epsilon0().to_string(), "2.5");
    /// assert_eq!(rappor.local_epsilon(2).to_string(), "5");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If ε/2 has more bits than an [`Epsilon`] holds.
    pub fn basic(epsilon: &Epsilon) -> Result<Self, Error> {
        let half = Rational::new(1, 2)? * epsilon.value();
        let epsilon0 = Epsilon::new(half).map_err(|error| error.renamed("epsilon/2"))?;
        Self::new(epsilon0)
    }
}
