//! Bisection between a point where a predicate fails and one where it holds. Each end is a point at
//! which the predicate was asked, so the result is as certain as the predicate. [`bisect_floats`]
//! and [`minimize`] work on floats and only steer: their caller certifies the result.

use core::convert::Infallible;

use crate::{Rational, Rounding, elementary};
pub use num_integer::Average;

/// The last point where `holds` was false (or `low`), and the last one where it was true (or
/// `high`).
///
/// `propose` returns a point between both ends, or `None` to end the search.
///
/// ```
/// use dp_exact::search::{bisect, integer_midpoint};
///
/// // The least integer whose square is at least 1000.
/// let (below, least) = bisect(0u64, 1000, integer_midpoint, |n| n * n >= 1000);
/// assert_eq!((below, least), (31, 32));
/// ```
pub fn bisect<T>(
    low: T,
    high: T,
    propose: impl FnMut(&T, &T) -> Option<T>,
    mut holds: impl FnMut(&T) -> bool,
) -> (T, T) {
    let Ok(ends) = try_bisect(low, high, propose, |point| Ok::<_, Infallible>(holds(point)));
    ends
}

/// [`bisect`] by a predicate that may fail.
///
/// # Errors
/// The first error of `holds`.
pub fn try_bisect<T, E>(
    mut low: T,
    mut high: T,
    mut propose: impl FnMut(&T, &T) -> Option<T>,
    mut holds: impl FnMut(&T) -> Result<bool, E>,
) -> Result<(T, T), E> {
    while let Some(middle) = propose(&low, &high) {
        if holds(&middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok((low, high))
}

/// The integer half way between two, or `None` if there is none between them.
pub fn integer_midpoint<T: Average>(low: &T, high: &T) -> Option<T> {
    let middle = low.average_floor(high);
    (middle > *low).then_some(middle)
}

/// The middle of two numbers, rounded to `digits` digits; `None` if it is not between them.
pub fn decimal_midpoint(
    digits: usize,
    rounding: Rounding,
) -> impl Fn(&Rational, &Rational) -> Option<Rational> {
    let two = Rational::integer(2);
    move |low, high| {
        let middle = (low + high).checked_div(&two)?;
        let middle = middle.round_to_digits(digits, rounding);
        (*low < middle && middle < *high).then_some(middle)
    }
}

/// A range of floats around the point where `is_high` becomes true, halved `rounds` times.
#[must_use]
pub fn bisect_floats(
    (low, high): (f64, f64),
    rounds: u32,
    is_high: impl Fn(f64) -> bool,
) -> (f64, f64) {
    let mut rounds = 0..rounds;
    let middle = |low: &f64, high: &f64| rounds.next().map(|_| f64::midpoint(*low, *high));
    bisect(low, high, middle, |middle| is_high(*middle))
}

/// The λ > 0 that nearly minimizes a function with one minimum, for ln λ in a range. Each round
/// keeps 2/3 of the range.
#[must_use]
pub fn minimize(
    (mut low, mut high): (f64, f64),
    rounds: u32,
    function: impl Fn(f64) -> f64,
) -> f64 {
    for _ in 0..rounds {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        let (a, b) = (function(elementary::exp(left)), function(elementary::exp(right)));
        // Where the function overflows, the minimum is to the left.
        if a <= b || b.is_nan() {
            high = right;
        } else {
            low = left;
        }
    }
    elementary::exp(low)
}
