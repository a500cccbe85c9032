//! Sums of Gaussians over the integers, the normalizers of the discrete Gaussian: S(s², a) =
//! Σ_{x∈ℤ} e^(−(x+a)²/(2s²)) for a = 0 and a = 1/2. By Poisson summation also S(s², a) =
//! s·√(2π)·Σ_{k∈ℤ} cos(2πka)·e^(−2π²s²k²) (Canonne, Kamath, Steinke 2020, section 2). At every
//! variance one of the two converges after a few terms.

use crate::dyadic::Toward;
use crate::{Interval, Rational, pi};

/// The shift a of the lattice of a [`gaussian_sum`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// The integers.
    Zero,
    /// The integers plus one half.
    Half,
}

/// Σ e^(−(x+a)²/(2·`variance`)) over all integers x, with a = 0 or 1/2. `None` unless the variance
/// is greater than 0.
#[must_use]
pub fn gaussian_sum(variance: &Rational, shift: Shift, precision: u32) -> Option<Interval> {
    if !variance.is_positive() {
        return None;
    }
    let extended = precision + 24;
    let sum = if variance * &Rational::from(4u64) < 1 {
        direct_sum(variance, shift, extended)?
    } else {
        dual_sum(variance, shift, extended)?
    };
    Some(sum.at_precision(precision))
}

/// The sum that [`gaussian_sum`] is, enclosed, as twice the terms at x + a for x ≥ 0, with the term
/// at 0 counted once. The ratio of neighbouring terms falls with x and is below e^(−2) for
/// variances below 1/4. `None` only for a variance of 0.
fn direct_sum(variance: &Rational, shift: Shift, precision: u32) -> Option<Interval> {
    let rate = (variance + variance).reciprocal()?;
    let term = |index: u32| {
        let point = match shift {
            Shift::Zero => Rational::integer(index),
            Shift::Half => Rational::new(2 * index + 1, 2).ok()?,
        };
        Interval::rational(&-(point.pow(2) * &rate), precision).exp()
    };
    let centre = term(0)?;
    let total = sum_and_tail(precision, term)?.shifted(1);
    Some(match shift {
        Shift::Zero => total - centre,
        Shift::Half => total,
    })
}

/// The sum that [`gaussian_sum`] is, enclosed, as s·√(2π)·(1 ± 2e^(−2π²s²) + 2e^(−8π²s²) ± …) for
/// the variance s² by Poisson summation, with alternating signs for a = 1/2. `None` if a step has
/// no enclosure.
fn dual_sum(variance: &Rational, shift: Shift, precision: u32) -> Option<Interval> {
    // The exponents are as large as the variance; their terms are then negligible.
    let variance = Interval::rational(variance, precision);
    let two_pi = pi(precision).shifted(1);
    let rate = -(two_pi.square() * &variance).shifted(-1);
    let term = |index: u32| {
        let square = Interval::integer(u64::from(index).pow(2), precision);
        let magnitude = (&rate * &square).exp()?;
        let odd = shift == Shift::Half && index % 2 == 1;
        Some(if odd { -magnitude } else { magnitude })
    };
    let sum = sum_and_tail(precision, term)?.shifted(1) - Interval::integer(1, precision);
    Some(sum * (two_pi * variance).sqrt()?)
}

/// Σ `term`(index) over index ≥ 0, enclosed; each term has to be less than half as large as the one
/// before. `None` if `term` gives none.
fn sum_and_tail(precision: u32, term: impl Fn(u32) -> Option<Interval>) -> Option<Interval> {
    let mut sum = term(0)?;
    let negligible = sum.upper().shifted(-i64::from(precision));
    for index in 1.. {
        let next = term(index)?;
        let magnitude = next.upper().clone().max(next.lower().negated());
        if magnitude <= negligible || magnitude.top() < -(1 << 39) {
            // The rest is below twice the first omitted term.
            let bound = magnitude.shifted(1).rounded(precision, Toward::Above);
            let rest = Interval::hull_of(bound.negated(), bound, precision);
            return Some(sum + rest);
        }
        sum = sum + next;
    }
    None
}
