//! A sum of discrete Gaussians compared with a single one.
//!
//! With R = (1+η)/(1−η) from the ripple η at σ₀² the comparison of [`super`] says, for every σ² ≥ σ₀²,
//! since η falls as σ² grows,
//!
//!   δ(ε; σ²) ≤ R^k·δ*(ε − 2k·ln R; hσ²).
//!
//! So if τ is a min-safe variance of one discrete Gaussian for (ε − 2k·ln R, δ/R^k), then the larger of τ/h
//! and σ₀² is one for the sum. A good σ₀² is τ/h for (ε, δ) itself: the stricter promise has a larger one.
//! Where R is too large there, larger σ₀² are tried.

use dp_exact::{Delta, Epsilon, Rational, Rounding};

use super::{SMOOTH, ratio};
use crate::{Corner, Error, accepted, discrete_gaussian};

/// Digits of a variance.
const DIGITS: usize = 13;

/// Tenths of the σ² from which on the sum is compared with one discrete Gaussian, where it is too unlike
/// one at the wanted σ².
const FARTHER: [i64; 8] = [4, 5, 6, 7, 8, 10, 20, 10 * SMOOTH];

/// A min-safe variance of the sum; `None` where the sum is too unlike one discrete Gaussian.
pub(super) fn of_sum(
    alone: &Rational,
    corner: &Corner,
    honest: u32,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Result<Option<Rational>, Error> {
    // Rounded up: a little above the least, and every larger one is safe for (ε, δ).
    let least = part(alone, honest)?;
    let near = &least * &Rational::new(999_999, 1_000_000)?;
    // The comparison holds from any σ₀² on: where it says little at the wanted one, at a larger one.
    let farther = FARTHER.map(|tenths| Rational::new(tenths, 10));
    let farther = farther.into_iter().flatten().filter(|from| *from > near);
    let near_enough = Rational::new(999, 1000)?;
    let mut best: Option<Rational> = None;
    for from in std::iter::once(near.clone()).chain(farther) {
        if best.as_ref().is_some_and(|best| *best <= from) {
            break;
        }
        if let Some(found) = of_sum_from(&from, corner, honest, epsilon, delta)? {
            best = Some(best.map_or(found.clone(), |best| best.min(found)));
        }
        // Hardly anything is left to gain.
        if best
            .as_ref()
            .is_some_and(|best| best * &near_enough <= least)
        {
            break;
        }
    }
    Ok(best)
}

/// A variance of the sum divided among the draws, rounded up.
fn part(total: &Rational, honest: u32) -> Result<Rational, Error> {
    let part = total * &Rational::new(1, honest)?;
    Ok(part.round_to_digits(DIGITS, Rounding::Up))
}

/// By comparison of the sum with one discrete Gaussian for all variances from σ₀² = `from` on.
fn of_sum_from(
    from: &Rational,
    corner: &Corner,
    honest: u32,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Result<Option<Rational>, Error> {
    let Some((factor, shift)) = ratio(from, corner, honest) else {
        return Ok(None);
    };
    let stricter = factor
        .upper()
        .to_rational()
        .and_then(|factor| delta.value().checked_div(&factor))
        .map(|delta| delta.round_to_digits(40, Rounding::Down));
    let (Some(stricter), Ok(less)) = (stricter, Epsilon::new(epsilon.value() - &shift)) else {
        return Ok(None);
    };
    let (Ok(stricter), Ok(_)) = (Delta::new(stricter), accepted::epsilon(&less)) else {
        return Ok(None);
    };
    if accepted::delta(&stricter).is_err() {
        return Ok(None);
    }
    let noise = discrete_gaussian::calibrate(&less, &stricter, corner)?;
    Ok(Some(part(&noise.variance, honest)?.max(from.clone())))
}
