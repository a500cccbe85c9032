//! The largest parameter of a noise that keeps a target: floating point steers, a certified bound
//! accepts.

use dp_calibration::Refusal;
use dp_exact::{Epsilon, Rational, Rounding, elementary};

use crate::Error;

const DIGITS: usize = 7;

/// A bound of at least this fraction of the target ends the search.
const NEAR: f64 = 0.998;

/// The fraction of the target that a proposal aims at.
const AIM: f64 = 0.999;

const MOST_EVALUATIONS: usize = 32;

/// The slope of a bound against the multiple in `guess`, in logarithms, after one evaluation.
const FIRST_SLOPE: f64 = 1.1;

/// The slope, in logarithms, that a bound has at least for a proposal.
const LEAST_SLOPE: f64 = 0.5;

/// A bracket narrower than this, in logarithms, ends the search.
const LEAST_STEP: f64 = 1e-6;

/// The smallest and the largest parameter that a search tries: ε₀ or ε of client noise, the loss of
/// one step of aggregator noise, or the inverse of a number of clients.
const RANGE: (f64, f64) = (1e-10, 100.0);

/// About the largest parameter whose `bound` is at most `target`: that it is at most `target` is
/// certain, and it comes within a fifth of a percent if it can. `guess` estimates the parameter
/// whose bound is a multiple, its argument, of the target. Both grow with their argument. `Err` if
/// no tried parameter keeps the target, or `bound` fails.
pub(crate) fn largest_parameter(
    guess: impl Fn(f64) -> f64,
    target: &Rational,
    mut bound: impl FnMut(&Epsilon) -> Result<Rational, Error>,
) -> Result<Epsilon, Error> {
    let mut best: Option<Epsilon> = None;
    // Logarithms of multiples: the largest that kept the target, the smallest that did not.
    let (mut kept, mut failed) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut multiple = elementary::ln(AIM);
    // The last multiple and the logarithm of its bound over the aim; the parameter of that bound.
    let mut last: Option<(f64, f64)> = None;
    let mut tried = None;
    for _ in 0..MOST_EVALUATIONS {
        let parameter = guess(elementary::exp(multiple)).clamp(RANGE.0, RANGE.1);
        let rounded = Rational::from_f64(parameter)?.round_to_digits(DIGITS, Rounding::Down);
        let proposed = Epsilon::new(rounded)?;
        if tried.as_ref() == Some(&proposed) || failed - kept < LEAST_STEP {
            break;
        }
        let found = bound(&proposed)?;
        let fraction = (found.to_f64() / target.to_f64()).max(1e-300);
        let excess = elementary::ln(fraction / AIM);
        // The comparison of exact numbers alone accepts a parameter.
        if found <= *target {
            kept = kept.max(multiple);
            best = best.max(Some(proposed.clone()));
            if fraction >= NEAR {
                break;
            }
        } else {
            failed = failed.min(multiple);
        }
        // Where the line through the last two points meets the aim; outside of the bracket, its
        // middle.
        let slope = last.map_or(FIRST_SLOPE, |(before, excess_before)| {
            (excess - excess_before) / (multiple - before)
        });
        let step = (excess / slope.max(LEAST_SLOPE)).clamp(-2.0, 4.0);
        (tried, last) = (Some(proposed), Some((multiple, excess)));
        multiple = match multiple - step {
            next if kept < next && next < failed => next,
            _ => f64::midpoint(kept, failed),
        };
    }
    best.ok_or_else(|| {
        let what = "a parameter of the clients' noise that keeps this budget";
        Refusal::not_available(what, "allow a larger budget").into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(guess: f64, bound: impl Fn(f64) -> f64) -> (f64, usize) {
        let mut evaluations = 0;
        let target = Rational::from(4u64);
        let answer = largest_parameter(
            |multiple| guess * multiple,
            &target,
            |parameter| {
                evaluations += 1;
                Ok(Rational::from_f64(bound(parameter.value().to_f64()))?)
            },
        );
        (answer.expect("a parameter").value().to_f64(), evaluations)
    }

    #[test]
    fn smooth_bounds_take_few_evaluations() {
        let power = |x: f64| x * x.sqrt();
        let (answer, evaluations) = found(1.0, power);
        assert!((3.99..=4.0).contains(&power(answer)) && evaluations < 8, "{evaluations}");
        let root = |x: f64| 0.15 * ((x / 2.0).exp() - 1.0) + 0.01 * x * x;
        for guess in [0.1, 5.0, 7.0, 40.0] {
            let (answer, evaluations) = found(guess, root);
            assert!((3.99..=4.0).contains(&root(answer)), "{guess}: {answer}");
            assert!(evaluations < 14, "{guess}: {evaluations}");
        }
    }

    #[test]
    fn a_bound_that_jumps_over_the_target_ends_below_it_or_is_refused() {
        let (answer, _) = found(9.0, |x| if x > 2.5 { 5.0 } else { x });
        assert!((2.4..=2.5).contains(&answer), "{answer}");
        let target = Rational::from(1u64);
        let never = largest_parameter(|multiple| multiple, &target, |_| Ok(Rational::from(2u64)));
        assert!(never.expect_err("none").to_string().contains("allow a larger budget"));
    }
}
