//! The largest parameter that keeps a target: floating point proposes, a certified bound decides.

use dp_exact::{Epsilon, Rational, Refusal, Rounding, elementary};

use crate::Error;

/// Digits of a parameter that is found.
const DIGITS: usize = 7;

/// How near to the target the search ends.
const NEAR: f64 = 0.9998;

/// The most questions.
const QUESTIONS: usize = 14;

/// About the largest x for which `bound` is at most `target`, where `bound` is an upper bound that
/// about rises with x. That the answer keeps the target is certain, as `bound` is; that no larger one
/// does is not.
pub(crate) fn largest_below(
    guess: f64,
    target: &Rational,
    bound: impl FnMut(&Epsilon) -> Result<Rational, Error>,
) -> Result<Epsilon, Error> {
    largest_within(QUESTIONS, NEAR, guess, target, bound)
}

/// The same with so many questions, and that near to the target.
pub(crate) fn largest_within(
    questions: usize,
    near: f64,
    guess: f64,
    target: &Rational,
    mut bound: impl FnMut(&Epsilon) -> Result<Rational, Error>,
) -> Result<Epsilon, Error> {
    let aim = target.to_f64() * (1.0 + near) / 2.0;
    let mut x = guess.clamp(1e-9, 1e4);
    let mut last: Option<(f64, f64)> = None;
    let mut best: Option<Epsilon> = None;
    for question in 0.. {
        let proposed = Rational::from_f64(x)?.round_to_digits(DIGITS, Rounding::Down);
        let proposed = Epsilon::new(proposed)?;
        let found = match bound(&proposed) {
            Ok(found) => found,
            // What was found before holds.
            Err(_) if best.is_some() => break,
            Err(error) => return Err(error),
        };
        let holds = found <= *target;
        if holds && best.as_ref().is_none_or(|best| *best < proposed) {
            best = Some(proposed);
        }
        let value = found.to_f64();
        let is_near = holds && value >= near * target.to_f64();
        if is_near || (best.is_some() && question >= questions) || question >= 4 * questions {
            break;
        }
        // The power with which the bound rises, between the last two questions.
        let power = last.map_or(1.0, |(x0, value0)| {
            let power = elementary::ln(value / value0) / elementary::ln(x / x0);
            if power.is_finite() {
                power.clamp(0.5, 4.0)
            } else {
                1.0
            }
        });
        last = Some((x, value));
        let step = elementary::powf(aim / value, power.recip());
        x *= step.clamp(0.05, 20.0);
        x = x.clamp(1e-9, 1e4);
    }
    best.ok_or_else(|| {
        let what = "a parameter of the clients' noise that keeps this budget";
        Refusal::not_available(what, "allow a larger budget").into()
    })
}
