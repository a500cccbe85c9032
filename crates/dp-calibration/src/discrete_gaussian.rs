//! Discrete Gaussian noise: what it promises, exactly.
//!
//! The discrete Gaussian has p(x) = e^(−x²/(2σ²))/Z on the integers, with Z = Σₓ e^(−x²/(2σ²))
//! (Canonne, Kamath, Steinke 2020, Definition 1). σ² is its variance *parameter*; the variance
//! itself is a little smaller.
//!
//! **A one-hot vector replaced.** Independent noise X on every coordinate of a histogram; one
//! client's bucket changes, so that one coordinate moves by +1 and another by −1. The likelihood
//! ratio depends only on W = X₁ − X₂, which moves by 2, and from
//! x² + (x−w)² = 2(x − w/2)² + w²/2
//!
//!   P(w) = e^(−w²/(4σ²))·A_(w mod 2)/Z²,  A₀ = Σₓ e^(−x²/σ²),  A₁ = Σₓ e^(−(x+½)²/σ²).
//!
//! The privacy loss at w is (w+1)/σ², so the exact δ at ε, the hockey-stick divergence
//! sup_S P(S) − e^ε·P(S − 2), is
//!
//!   δ(ε, σ²) = Σ_{w > εσ² − 1} [P(w) − e^ε·P(w+2)].
//!
//! Replacing in the other direction gives the same value, by symmetry. Deletion moves a single
//! coordinate by 1: leaving out the other one is a function of the pair, so its δ is at most this.
//!
//! **Calibration** cannot bisect, because δ is not monotone in σ²: at ε = 50 it is below 1e-6 at
//! σ = 0.1415, above at 0.195, and below again at 0.1998. [`calibrate_one_hot`] starts where
//! zero-concentrated privacy suffices, and works downward by ranges of variances, each with one
//! certified bound on δ over the whole range. Its answer is safe, and so is every larger one.

mod calibration;

use dp_exact::{Epsilon, Interval, Rational, Shift, gaussian_sum, refine};

use crate::lattice_gaussian::{Moved, positive_part};
use crate::{Error, accepted};

pub use calibration::{Calibration, calibrate_one_hot};

/// The relative width, as a power of two, of the enclosure that [`one_hot_delta`] returns.
const WIDTH: i64 = -64;

/// The exact δ of discrete Gaussian noise with variance parameter σ² = `variance` on every
/// coordinate of a histogram, under replacement of one client's bucket.
///
/// The interval contains δ and is narrower than 2^−64 of it: nineteen digits.
///
/// ```
/// use dp_calibration::discrete_gaussian::one_hot_delta;
///
/// // σ = 23.3903 is the published choice for (0.317, 1e-9), taken from continuous noise.
/// let sigma: dp_exact::Rational = "23.3903".parse()?;
/// let delta = one_hot_delta(&sigma.pow(2), &"0.317".parse()?)?;
/// assert!(delta.compare_rational(&"1e-9".parse()?).is_some_and(|order| order.is_gt()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If ε is outside 1e-9 to 10 000, σ² outside 1e-9 to 1e30 or above 2^36/ε², or either has more
/// than 2048 bits.
pub fn one_hot_delta(variance: &Rational, epsilon: &Epsilon) -> Result<Interval, Error> {
    let epsilon = accepted::epsilon(epsilon)?;
    accepted::variance(variance, epsilon)?;
    let delta = refine(|precision| {
        if precision < 128 {
            return None;
        }
        let delta = one_hot_between(variance, variance, epsilon, precision)?;
        is_narrow(&delta).then_some(delta)
    })?;
    Ok(delta)
}

/// An interval whose upper end is at least δ(ε, σ²) for every σ² from `low` to `high`; where the
/// two are equal it encloses δ.
///
/// [`crate::lattice_gaussian`] bounds the sum; A₀ and A₁ grow with σ² and are taken at `high`, Z
/// grows as well and is taken at `low`.
fn one_hot_between(
    low: &Rational,
    high: &Rational,
    epsilon: &Rational,
    precision: u32,
) -> Option<Interval> {
    let two = Rational::integer(2);
    let half_high = high.checked_div(&two)?;
    let normalizer = gaussian_sum(low, Shift::Zero, precision)?.square();
    let weight = |shift| gaussian_sum(&half_high, shift, precision)?.checked_div(&normalizer);
    let (even, odd) = (weight(Shift::Zero)?, weight(Shift::Half)?);
    let moved = Moved {
        low: &(low * &two),
        high: &(high * &two),
        steps: 2,
        epsilon,
        weights: [&even, &odd],
    };
    positive_part(&moved, precision)
}

/// Whether the interval is positive and narrower than 2^[`WIDTH`] of its lower end.
pub(crate) fn is_narrow(interval: &Interval) -> bool {
    let precision = interval.precision();
    let end = |end: &dp_exact::Dyadic| Interval::hull_of(end.clone(), end.clone(), precision);
    let (lower, upper) = (end(interval.lower()), end(interval.upper()));
    let width = (upper - &lower).upper().clone();
    interval.is_positive() && width <= *lower.shifted(WIDTH).lower()
}
