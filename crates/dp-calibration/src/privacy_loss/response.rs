//! The tilted privacy loss of randomized response.

use dp_exact::{Interval, Rational};

use super::tilted::TiltedLoss;
use super::tilting::PRECISION;

/// The tilted distribution of the losses −ε, 0 and ε of randomized response with k = `answers`,
/// with odds 1 : k − 2 : e^ε; the loss is never 0 for k = 2. `None` if a number is too large or
/// there are less than two answers.
#[must_use]
pub fn response(epsilon: &Rational, answers: u64, tilt: &Rational) -> Option<TiltedLoss> {
    let real = |value: &Rational| Interval::rational(value, PRECISION);
    let none = Interval::integer(0, PRECISION);
    let others = Interval::integer(answers.checked_sub(2)?, PRECISION);
    let whole = Interval::integer(1, PRECISION) + &others + real(epsilon).exp()?;
    let moved = tilt * epsilon;
    let low = real(&-&moved).exp()?.checked_div(&whole)?;
    let high = real(&(epsilon + &moved)).exp()?.checked_div(&whole)?;
    if answers == 2 {
        return TiltedLoss::new(epsilon + epsilon, -epsilon, &[low, high], &none);
    }
    let middle = others.checked_div(&whole)?;
    TiltedLoss::new(epsilon.clone(), -epsilon, &[low, middle, high], &none)
}
