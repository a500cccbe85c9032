//! The upper tail of the standard normal distribution, Q(x) = ∫_x^∞ φ(t) dt with
//! φ(t) = e^(−t²/2)/√(2π).
//!
//! Two expansions, both with rigorous bounds:
//!
//! - **Near 0**: Q(x) = 1/2 − φ(x)·Σ_{i≥0} x^(2i+1)/(1·3·5⋯(2i+1)), all terms positive. The
//!   difference cancels about −log₂ Q bits, so it is computed with that many more.
//! - **Far out**: Laplace's continued fraction Q(x)/φ(x) = 1/(x + 1/(x + 2/(x + 3/(x + ⋯)))).
//!   Its tails t_k = x + k/t_(k+1) are positive, so x < t_k < x + k/x; starting from that
//!   interval and working inward encloses the value (Abramowitz, Stegun 1964, 26.2.14).

use num_bigint::BigInt;

use crate::dyadic::{Toward, shift};
use crate::{Dyadic, Interval, pi};

impl Interval {
    /// P(N > x) for a standard normal N, at each x of this interval; `None` as for
    /// [`Interval::exp`].
    #[must_use]
    pub fn normal_tail(&self) -> Option<Self> {
        self.monotone(tail_of)
    }
}

/// Q(x), the probability that a standard normal number exceeds x, enclosed with `precision` bits.
/// `None` if a step has no enclosure.
fn tail_of(x: &Dyadic, precision: u32) -> Option<Interval> {
    if x.signum() < 0 {
        let other = tail_of(&x.negated(), precision)?;
        return Some(Interval::integer(1, precision) - other);
    }
    // Where x² is a quarter of the precision, both take about as many steps as there are bits.
    let square = x.mul(x, 64, Toward::Below);
    if square > Dyadic::new(precision / 4, 0) {
        far_tail(x, &square, precision)
    } else {
        near_tail(x, precision)
    }
}

/// The standard normal density φ(x), enclosed; `None` if a step has no enclosure.
fn density(x: &Interval) -> Option<Interval> {
    let exponential = (-x.square()).shifted(-1).exp()?;
    exponential.checked_div(&pi(x.precision()).shifted(1).sqrt()?)
}

/// Q(x), the upper tail of the standard normal distribution, by the continued fraction, for x > 0
/// whose square, rounded down in `square`, exceeds a quarter of the precision. `None` if a step has
/// no enclosure.
fn far_tail(x: &Dyadic, square: &Dyadic, precision: u32) -> Option<Interval> {
    // x² in fixed point loses as many bits in the exponential as it has before the point.
    let extended = precision + 16 + u32::try_from(square.top().clamp(0, 90)).ok()?;
    let bits = i64::from(extended);
    // The tails t_k in units of 2^−bits, rounded down and up: x < t_last < x + last/x, and inward
    // t_k = x + k/t_(k+1).
    let point = x.fixed(bits);
    let quotient = |k: u32, tail: &BigInt| (BigInt::from(k) << (2 * bits)) / tail;
    let last = steps(square, precision);
    let mut low = point.clone();
    let mut high = &point + quotient(last, &point) + 2;
    for k in (1..last).rev() {
        (low, high) = (&point + quotient(k, &high), &point + quotient(k, &low) + 2);
    }
    let tail = Interval::hull_of(Dyadic::new(low, -bits), Dyadic::new(high, -bits), extended);
    let result = density(&Interval::point(x, extended))?.checked_div(&tail)?;
    Some(result.at_precision(precision))
}

/// Number of steps of the continued fraction at x. After k steps it errs by about e^(−2x√k); far
/// out step k gains a factor of x²/k. Fewer steps only widen the enclosure.
fn steps(square: &Dyadic, precision: u32) -> u32 {
    // Far beyond 64 bits the number of steps no longer depends on the square.
    let square = u64::try_from(square.fixed(0)).unwrap_or(u64::MAX).max(1);
    let bits = u64::from(precision);
    // Cut to 32 bits they are enough for a wider enclosure.
    u32::try_from(bits * bits / 5 / square + bits / 6 + 8).unwrap_or(u32::MAX)
}

/// Q(x), the upper tail of the standard normal distribution, by the series, for x ≥ 0 whose square
/// is at most a quarter of the precision. `None` if a step has no enclosure.
fn near_tail(x: &Dyadic, precision: u32) -> Option<Interval> {
    // Q(x) > 2^(−x² − 4), and x² is at most a quarter of the precision.
    let extended = precision + precision / 4 + 24;
    let bits = i64::from(extended);
    let square = Dyadic::new(x.mantissa() * x.mantissa(), 2 * x.exponent());
    let doubled = u32::try_from(square.fixed(1)).ok()?;
    let square = square.fixed(bits);
    let above = &square + 1;

    // Terms and their sums in units of 2^−bits, rounded down and up: the product and the quotient
    // lose up to a unit each.
    let mut low = x.fixed(bits);
    let mut high = &low + 1;
    let (mut sum_low, mut sum_high) = (BigInt::ZERO, BigInt::ZERO);
    let (mut odd, negligible) = (1u32, BigInt::from(4));
    // Past odd > 2x² each term is at most half of the one before, so the rest is at most the last.
    while high > negligible || odd <= doubled {
        sum_low += &low;
        sum_high += &high;
        odd += 2;
        low = shift(&(low * &square), -bits) / odd;
        high = shift(&(high * &above), -bits) / odd + 2;
    }
    sum_high += high * 2;
    let sum =
        Interval::hull_of(Dyadic::new(sum_low, -bits), Dyadic::new(sum_high, -bits), extended);
    let below = sum * density(&Interval::point(x, extended))?;
    let half = Interval::integer(1, extended).shifted(-1);
    let tail = half - below;
    Some(tail.at_precision(precision))
}
