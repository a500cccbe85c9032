//! The odds e^ε₀ of a randomized bit, as floating point bounds.

use dp_exact::{Epsilon, Rational};

use dp_calibration::{Error, Result};
use dp_exact::directed::{Bounds, add_down, div_up, sub_up};

/// The largest privacy loss that is resolved where a bit is sent without randomization.
const MOST_KNOWN: f64 = 600.0;

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
    /// The odds of a bit with loss ε₀. Refuses an ε₀ outside 1e-6 to 100, or of over 2048 bits.
    pub(crate) fn new(epsilon0: &Epsilon) -> Result<Self> {
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

    /// The odds of a bit that is sent as it is, for upper bounds: with E = 1e300 bounds on (E −
    /// α)/(E + 1) are at least 1, and enclosures of (E − α)/(αE − 1) contain 1/α.
    pub(crate) fn known() -> Self {
        let bounds = |value: f64| Bounds { lower: value, upper: value };
        let (e, inverse_e) = (bounds(1e300), bounds(1e-300));
        Self { e, inverse_e, p: 0.0, epsilon0: MOST_KNOWN }
    }

    /// Whether the bit is sent without randomization.
    pub(crate) fn is_known(&self) -> bool {
        self.epsilon0 >= MOST_KNOWN
    }

    /// Upper bound on q − αp at α = `alpha`. A bit is kept with probability q and flipped with p.
    pub(crate) fn weight_upper(&self, alpha: f64) -> f64 {
        let e = self.e.upper;
        // (E − α)/(E + 1) grows with E.
        div_up(sub_up(e, alpha), add_down(1.0, e))
    }
}
