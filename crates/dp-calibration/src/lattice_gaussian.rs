//! A Gaussian on the integers against the same Gaussian moved by a few steps.
//!
//! Let W be an integer with P(w) = c_(w mod 2)·e^(−w²/(2τ)), where c depends on the parity of w
//! only. Moving W by D ∈ {1, 2} gives the privacy loss
//!
//!   ln P(w)/P(w+D) = (2Dw + D²)/(2τ)                                     (for D = 2 or c₀ = c₁)
//!
//! which grows with w, so that the hockey-stick divergence is a sum over a half-line,
//!
//!   δ = Σ_{w > θ} [P(w) − e^ε·P(w+D)],  θ = ετ/D − D/2
//!
//! (Canonne, Kamath, Steinke 2020, Theorem 7). One integer of noise with sensitivity 1 has D = 1
//! and τ its variance parameter; a one-hot vector that is replaced has D = 2 and twice that.
//!
//! **A range of variances at once.** Each term is c·e^(−w²/(2τ))·(1 − e^(ε − (2Dw+D²)/(2τ))). For
//! w ≥ 0 the first exponential grows with τ, and the last factor falls and is positive only where
//! w > θ. So for every τ from `low` to `high`
//!
//!   δ(τ) ≤ Σ_{w > θ(low)} c·e^(−w²/(2·high))·(1 − e^(ε − (2Dw+D²)/(2·low))),
//!
//! with equality where low = high. This is what [`positive_part`] encloses, given upper ends for
//! c. No monotonicity of δ in τ is used; there is none.

use dp_exact::{Interval, Rational};
use num_bigint::BigInt;
use num_integer::Integer;

use crate::euler_maclaurin;

/// Terms after which a direct sum gives up.
const MAX_TERMS: u32 = 1 << 20;

/// A lattice Gaussian, its move, and the range of variances of interest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved<'a> {
    /// The smallest τ.
    pub(crate) low: &'a Rational,
    /// The largest τ.
    pub(crate) high: &'a Rational,
    /// D, 1 or 2.
    pub(crate) steps: u32,
    /// ε
    pub(crate) epsilon: &'a Rational,
    /// c for even and for odd w.
    pub(crate) weights: [&'a Interval; 2],
}

/// The sum over the half-line, see the top of this file.
pub(crate) fn positive_part(moved: &Moved<'_>, precision: u32) -> Option<Interval> {
    let start = moved.start()?;
    let first = Rational::integer(start.clone());
    let terms = moved.terms(&first, precision);
    // Either way takes time in proportion to the precision.
    let short = terms <= f64::from(precision.max(64)) / 2.0;
    if short || !euler_maclaurin::reaches(&first, moved.high, precision) {
        (terms < f64::from(MAX_TERMS)).then(|| direct(moved, &start, precision))?
    } else {
        closed(moved, &first, precision)
    }
}

impl Moved<'_> {
    /// The smallest integer w > θ(low).
    fn start(&self) -> Option<BigInt> {
        let steps = Rational::from(u64::from(self.steps));
        let threshold = (self.epsilon * self.low).checked_div(&steps)? - half(&steps);
        Some(threshold.floor() + 1)
    }

    /// About how many terms of the sum are above 2^−`precision` of the first.
    fn terms(&self, start: &Rational, precision: u32) -> f64 {
        let (start, tau) = (start.to_f64(), self.high.to_f64());
        let reach = 2.0 * tau * f64::from(precision) * std::f64::consts::LN_2;
        reach / (start + (start * start + reach).sqrt())
    }
}

/// Term by term. All terms are positive; past the last one that is computed they fall faster than
/// a geometric series of the ratio reached there.
pub(crate) fn direct(moved: &Moved<'_>, start: &BigInt, precision: u32) -> Option<Interval> {
    let exp = |value: &Rational| Interval::rational(value, precision).exp();
    let w = Rational::integer(start.clone());
    let rate = half(&moved.high.reciprocal()?);
    let steps = Rational::from(u64::from(moved.steps));
    let loss_rate = steps.checked_div(moved.low)?;
    let one = Interval::integer(1, precision);

    let mut bell = exp(&-(w.pow(2) * &rate))?;
    let mut ratio = exp(&-((&w + &w + Rational::one()) * &rate))?;
    let ratio_step = exp(&-(&rate + &rate))?;
    let mut excess = exp(&(moved.epsilon - (&w + half(&steps)) * &loss_rate))?;
    let excess_step = exp(&-loss_rate)?;

    let heaviest = moved.weights[0].hull(moved.weights[1]);
    let mut odd = usize::from(start.is_odd());
    let mut sum = Interval::integer(0, precision);
    for count in 0..MAX_TERMS {
        sum = sum + moved.weights[odd] * &bell * (&one - &excess);
        bell = bell * &ratio;
        ratio = ratio * &ratio_step;
        excess = excess * &excess_step;
        odd = 1 - odd;
        if count % 4 == 3 {
            let rest = (&heaviest * &bell).checked_div(&(&one - &ratio))?;
            let negligible = sum.shifted(-i64::from(precision));
            if *rest.upper() <= *negligible.upper() {
                let nothing = Interval::integer(0, precision);
                return Some(sum + rest.hull(&nothing));
            }
        }
    }
    None
}

/// By the Euler–Maclaurin formula. Completing the square,
/// e^(ε − (2Dw+D²)/(2·low) − w²/(2·high)) = e^(ε + e)·e^(−(w+s)²/(2·high)) with s = D·high/low and
/// e = D·(s − D)/(2·low). The terms are positive, so the weights can be taken out as their hull:
/// where this is used they agree to far more digits than are computed.
pub(crate) fn closed(moved: &Moved<'_>, start: &Rational, precision: u32) -> Option<Interval> {
    let tail = |x: &Rational| euler_maclaurin::half_line_sum(x, moved.high, precision);
    let steps = Rational::from(u64::from(moved.steps));
    let weight = moved.weights[0].hull(moved.weights[1]);
    let sum = if moved.low == moved.high {
        // Σ_{w ≥ start} − e^ε·Σ_{w ≥ start+D}, the common part of both taken together.
        let rate = half(&moved.high.reciprocal()?);
        let mut first = Interval::integer(0, precision);
        for step in 0..moved.steps {
            let w = start + Rational::from(u64::from(step));
            first = first + Interval::rational(&-(w.pow(2) * &rate), precision).exp()?;
        }
        let growth = Interval::rational(moved.epsilon, precision).exp_m1()?;
        first - growth * tail(&(start + steps))?
    } else {
        let moved_by = (&steps * moved.high).checked_div(moved.low)?;
        let exponent = half(&(&steps * &(&moved_by - &steps)).checked_div(moved.low)?);
        let growth = Interval::rational(&(moved.epsilon + exponent), precision).exp()?;
        tail(start)? - growth * tail(&(start + moved_by))?
    };
    Some(weight * sum)
}

/// x/2
fn half(value: &Rational) -> Rational {
    let two = Rational::integer(2);
    value.checked_div(&two).unwrap_or_else(Rational::zero)
}

#[cfg(test)]
mod tests;
