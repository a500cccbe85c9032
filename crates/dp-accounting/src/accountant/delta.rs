//! The δ at an ε of all releases together.

use dp_calibration::privacy_loss::PRECISION;
use dp_calibration::{Error, accepted};
use dp_exact::{Dyadic, Epsilon, Interval, Rational, Rounding};

use super::Accountant;
use super::epsilon_search::too_long;
use super::loss_sum::SumMethod;

/// The largest accepted relative width of the enclosure by characteristic functions.
const NARROW: f64 = 5e-3;

impl Accountant {
    /// The δ at ε of all releases together, enclosed; with aggregated RAPPOR an upper bound for every
    /// dataset, and a lower one if all other clients hold the value that is removed.
    ///
    /// # Errors
    /// If ε is outside 1e-9 to 10 000, or the lattice would be too long.
    pub fn delta(&self, epsilon: &Epsilon) -> Result<Interval, Error> {
        let epsilon = accepted::answered_epsilon(epsilon)?;
        if self.largest(Rounding::Up)?.is_some_and(|largest| largest <= *epsilon) {
            return Ok(self.infinite_probability());
        }
        let method = SumMethod::of(&self.parts()?);
        match self.delta_by(epsilon, method) {
            Err(_) if self.has_other_way(method)? => self.delta_by(epsilon, SumMethod::Lattice),
            found => found,
        }
    }

    /// Enclosure of the δ at ε by one method.
    ///
    /// # Errors
    /// If the lattice would be too long.
    fn delta_by(&self, epsilon: &Rational, method: SumMethod) -> Result<Interval, Error> {
        let rate = epsilon.to_f64();
        let tilt = self.best_tilt(|bound, tilt| bound - tilt * rate)?;
        let (tilt, upward, downward) = self.sums_from_both_sides(tilt, method)?;
        let upper = upward.delta(epsilon, &tilt).ok_or_else(too_long)?;
        let lower = match &downward {
            Some(downward) => downward.delta(epsilon, &tilt).ok_or_else(too_long)?,
            None => upper.clone(),
        };
        let one = Interval::integer(1, PRECISION);
        let most = |end: &Dyadic| end.clone().min(one.upper().clone());
        let finite = Interval::hull_of(most(lower.lower()), most(upper.upper()), PRECISION);
        let infinite = self.infinite(PRECISION)?;
        Ok(&infinite + (one - &infinite) * finite)
    }

    /// Enclosure of the δ at ε of all releases together, by characteristic functions where these enclose
    /// it within a relative 0.005, which is faster than [`Self::delta`].
    pub(crate) fn quick_delta(&self, epsilon: &Epsilon) -> Result<Interval, Error> {
        let parts = self.parts()?;
        let rate = accepted::answered_epsilon(epsilon)?;
        if self.largest(Rounding::Up)?.is_some_and(|largest| largest <= *rate) {
            return Ok(self.infinite_probability());
        }
        if parts.len() > 1 {
            match self.delta_by(rate, SumMethod::Quick) {
                Ok(quick) if is_narrow(&quick) => return Ok(quick),
                _ => {}
            }
        }
        self.delta(epsilon)
    }
}

/// Whether both ends of an enclosure of δ agree within a relative 0.005.
fn is_narrow(delta: &Interval) -> bool {
    let width = delta.upper().to_f64() - delta.lower().to_f64();
    width <= NARROW * delta.lower().to_f64()
}
