//! The tilted privacy losses of randomized response.

use dp_exact::{Interval, Rational};

use super::tilted::TiltedLoss;
use super::tilting::PRECISION;

/// The tilted distribution of the losses −ε and ε of randomized response, with odds 1 : e^ε. `None`
/// if a number is too large.
#[must_use]
pub fn response(epsilon: &Rational, tilt: &Rational) -> Option<TiltedLoss> {
    let real = |value: &Rational| Interval::rational(value, PRECISION);
    let whole = Interval::integer(1, PRECISION) + real(epsilon).exp()?;
    let moved = tilt * epsilon;
    let low = real(&-&moved).exp()?.checked_div(&whole)?;
    let high = real(&(epsilon + &moved)).exp()?.checked_div(&whole)?;
    let none = Interval::integer(0, PRECISION);
    TiltedLoss::new(epsilon + epsilon, -epsilon, &[low, high], &none)
}

/// The tilted distribution of the losses −ε, 0 and ε of k-ary randomized response, with odds 1 : k
/// − 2 : e^ε. `None` if a number is too large or there are less than two answers.
#[must_use]
pub fn kary_response(epsilon: &Rational, answers: u64, tilt: &Rational) -> Option<TiltedLoss> {
    let real = |value: &Rational| Interval::rational(value, PRECISION);
    let others = Interval::integer(answers.checked_sub(2)?, PRECISION);
    let whole = Interval::integer(1, PRECISION) + &others + real(epsilon).exp()?;
    let moved = tilt * epsilon;
    let low = real(&-&moved).exp()?.checked_div(&whole)?;
    let middle = others.checked_div(&whole)?;
    let high = real(&(epsilon + &moved)).exp()?.checked_div(&whole)?;
    let none = Interval::integer(0, PRECISION);
    TiltedLoss::new(epsilon.clone(), -epsilon, &[low, middle, high], &none)
}
