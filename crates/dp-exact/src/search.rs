//! Searches between a point where something fails and one where it holds.
//!
//! [`bisect`] moves two ends together and leaves one of them wherever the predicate answers, so that
//! what it returns is as certain as the predicate: where that is a certified comparison, so is the
//! result, whatever was proposed on the way. [`integer_midpoint`] and [`decimal_midpoint`] propose for integers
//! and for decimals. Over floating point numbers [`bisect_floats`] and [`minimize`] steer: what they find is
//! certified by whoever uses it.

use core::convert::Infallible;

use crate::{Rational, Rounding, elementary};
pub use num_integer::Average;

/// The ends of a search that no proposal moves any more: where `holds` is false, or `low`; and where it
/// is true, or `high`.
///
/// `propose` gets both ends and returns a point between them, or `None` to end the search.
///
/// ```
/// use dp_exact::search::{integer_midpoint, bisect};
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
/// The first one of `holds`.
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

/// The integer half way between two, or `None` if there is none between them. All integers are [`Average`], those of the
/// language and big ones.
pub fn integer_midpoint<T: Average>(low: &T, high: &T) -> Option<T> {
    let middle = low.average_floor(high);
    (middle > *low).then_some(middle)
}

/// Half way between two numbers, rounded to so many digits; `None` if that is not between them.
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

/// A range in floating point, halved so many times: about where `is_high` begins to be true.
#[must_use]
pub fn bisect_floats(
    (mut low, mut high): (f64, f64),
    rounds: u32,
    is_high: impl Fn(f64) -> bool,
) -> (f64, f64) {
    for _ in 0..rounds {
        let middle = f64::midpoint(low, high);
        if is_high(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    (low, high)
}

/// About where a function of λ > 0 with one minimum has it, for ln λ in a range, after so many
/// `rounds`, each of which leaves two thirds of the range.
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
