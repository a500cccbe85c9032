//! The flip probability 1/(e^ε₀ + 1) of symmetric RAPPOR, as a real number known by enclosures.

use dp_exact::{Interval, Real};
use dp_rappor::SymmetricRappor;

use crate::Error;

/// p = 1/(e^ε₀ + 1).
#[derive(Clone, Debug)]
pub(crate) struct Flip(SymmetricRappor);

impl Flip {
    /// The probability for this ε₀.
    pub(crate) fn new(epsilon0: &str) -> Result<Self, Error> {
        Ok(Self(SymmetricRappor::new(epsilon0.parse()?)?))
    }

    /// The nearest float, for peers that take one.
    pub(crate) fn as_float(&self) -> f64 {
        self.enclose(64).midpoint()
    }
}

impl Real for Flip {
    fn enclose(&self, precision: u32) -> Interval {
        self.0.flip_probability(precision)
    }
}
