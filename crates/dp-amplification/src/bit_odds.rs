//! The odds e^ε₀ of a randomized bit, as floating point bounds.

use dp_exact::{Epsilon, Rational};

use dp_calibration::Error;
use dp_exact::directed::Bounds;

/// The odds of a bit that is kept rather than flipped.
#[derive(Clone, Debug)]
pub(crate) struct BitOdds {
    /// Enclosure of E = e^ε₀.
    pub(crate) e: Bounds,
    /// Enclosure of 1/E.
    pub(crate) inverse_e: Bounds,
    /// The flip probability 1/(E + 1) rounded: no bound.
    pub(crate) p: f64,
    /// ε₀ rounded: no bound.
    pub(crate) epsilon0: f64,
}

impl BitOdds {
    /// The odds of a bit with privacy loss ε₀. Refuses an ε₀ outside 1e-6 to 100, or of more than
    /// 2048 bits.
    pub(crate) fn new(epsilon0: &Epsilon) -> Result<Self, Error> {
        let value = epsilon0.value();
        let refused = || {
            let accepted = "a number from 1e-6 to 100, of at most 2048 bits";
            Error::parameter("epsilon0", epsilon0, accepted)
        };
        let million = Rational::from(1_000_000_u64);
        if value.bits() > 2048 || value * &million < 1 || *value > 100 {
            return Err(refused());
        }
        let e = Bounds::exp(value).ok_or_else(refused)?;
        let inverse_e = Bounds::exp(&-value).ok_or_else(refused)?;
        Ok(Self { e, inverse_e, p: (e.lower + 1.0).recip(), epsilon0: value.to_f64() })
    }
}
