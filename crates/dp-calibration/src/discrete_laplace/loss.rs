//! The privacy loss of one integer under discrete Laplace noise, for an accountant.

use dp_exact::Rational;
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;

use super::lattice::{self, Lattice};
use crate::privacy_loss::{TiltedLaw, View};

/// The law of the privacy loss of one integer that moves by `step` under noise of scale 1/`rate`, tilted:
/// on its own lattice of `step` + 1 losses where what is not negligible of that fits into `cells`, else
/// moved to a lattice of so many cells, to the side that the view names.
///
/// `None` if a number is too large, or the budget of work is used up.
#[must_use]
pub fn loss(rate: &Rational, step: &BigUint, cells: u32, view: &View) -> Option<TiltedLaw> {
    let steep = (1.0 + 2.0 * view.tilt.to_f64()) * rate.to_f64();
    let spacing = lattice::reach(step.to_f64()?, steep) / f64::from(cells);
    let lattice = Lattice::new(step, spacing, steep, view.tilt.clone())?;
    let whole = BigInt::from(step.clone());
    let is_own = lattice.cells == whole;
    let mut law = lattice::law(&Rational::integer(whole), rate, &lattice, view.side)?;
    law.exact = is_own;
    Some(law)
}

/// About ln E[e^(λℓ)] of one integer that moves by `step`, from the geometric sums.
#[must_use]
pub fn log_moment_about(step: f64, rate: f64, tilt: f64) -> f64 {
    let steep = (1.0 + 2.0 * tilt) * rate;
    let inner = -(-rate).exp_m1() / -(-steep).exp_m1();
    let inner = inner * ((-steep).exp() - (-steep * step).exp());
    let sum = inner + (-steep * step).exp();
    tilt * rate * step + sum.ln_1p() - (-rate).exp().ln_1p()
}

/// About the root of E[ℓ²] of one integer that moves by `step`, as with a scale that is not small.
#[must_use]
pub fn deviation_about(step: f64, rate: f64) -> f64 {
    let largest = step * rate;
    if largest < 1e-2 {
        return largest;
    }
    // From the moments of an exponential variable cut off at the largest loss.
    let square = largest * (largest - 2.0) + 4.0 - (-largest).exp() * (2.0 * largest + 4.0);
    square.max(0.0).sqrt()
}
