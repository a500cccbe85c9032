//! The largest parameter of the clients' noise that keeps a target: floating point steers, a
//! certified bound accepts.

use dp_exact::{Epsilon, Rational, Refusal, Rounding, elementary};

use crate::Error;

/// Significant digits of a parameter.
const DIGITS: usize = 7;

/// A bound of at least this fraction of the target ends the search.
const NEAR: f64 = 0.995;

/// The fraction of the target that a proposal aims at.
const AIM: f64 = 0.9985;

/// Upper limit on evaluations of the bound.
const MOST_EVALUATIONS: usize = 24;

/// Number of evaluations up to which an estimate steers.
const STEERED: usize = 4;

/// Upper limit on evaluations of an estimate for one proposal.
const MOST_ESTIMATES: usize = 16;

/// The largest parameter, an ε₀ or ε of client noise, that a search tries.
const MOST: f64 = 100.0;

/// The smallest parameter, an ε₀ or ε of client noise, that a search tries.
const LEAST: f64 = 1e-9;

/// The coordinate in which a bound is nearly linear.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Coordinate {
    /// The parameter ε₀ itself: a client's own noise.
    Linear,
    /// e^(ε₀/2): the standard deviation of all honest clients' noise is about e^(−ε₀/2).
    Exponential,
    /// x/√(x + k) with x = e^ε − 1, for answers of k values: the standard deviation of all honest
    /// clients' answers is about its reciprocal.
    Answers(f64),
}

impl Coordinate {
    fn of(self, parameter: f64) -> f64 {
        match self {
            Self::Linear => parameter,
            Self::Exponential => elementary::exp(parameter / 2.0),
            Self::Answers(values) => {
                let x = elementary::exp_m1(parameter);
                x / (x + values).sqrt()
            }
        }
    }

    fn parameter(self, coordinate: f64) -> f64 {
        match self {
            Self::Linear => coordinate,
            Self::Exponential => 2.0 * elementary::ln(coordinate),
            Self::Answers(values) => {
                let square = coordinate * coordinate;
                let x = (square + (square * square + 4.0 * square * values).sqrt()) / 2.0;
                elementary::ln_1p(x)
            }
        }
    }
}

/// The coordinate of a parameter, and the bound at that parameter.
type Point = (f64, f64);

/// The ends of a bracket, as far as they are known.
#[derive(Clone, Copy, Default)]
struct Bracket {
    keeps: Option<Point>,
    fails: Option<Point>,
}

impl Bracket {
    fn contains(&self, coordinate: f64) -> bool {
        self.keeps.is_none_or(|(low, _)| coordinate > low)
            && self.fails.is_none_or(|(high, _)| coordinate < high)
    }

    /// The next parameter: where the line through both ends meets the aim, but not too close to an
    /// end. Outside of a bracket, the line through `here` and the origin.
    fn proposal(&self, here: Point, aim: f64, coordinate: Coordinate) -> f64 {
        let next = match (self.keeps, self.fails) {
            (Some((low, at_low)), Some((high, at_high))) => {
                let fraction = (aim - at_low) / (at_high - at_low);
                let fraction = if fraction.is_finite() { fraction.clamp(0.02, 0.98) } else { 0.5 };
                low + fraction * (high - low)
            }
            _ => {
                let origin = coordinate.of(0.0);
                let step = (aim / here.1.max(1e-300)).clamp(0.02, 8.0);
                origin + (here.0 - origin).max(1e-12) * step
            }
        };
        coordinate.parameter(next)
    }
}

/// A fast estimate of a bound at a parameter; certifies nothing.
pub(crate) type Estimate<'a> = &'a dyn Fn(f64) -> Option<f64>;

/// Approximately the largest parameter whose `bound` is at most `target`. The bound grows with the
/// parameter. That the result keeps the target is certain, as `bound` is; the search ends within
/// half a percent of the target if it can.
pub(crate) fn largest_parameter(
    coordinate: Coordinate,
    guess: f64,
    estimate: Option<Estimate<'_>>,
    target: &Rational,
    mut bound: impl FnMut(&Epsilon) -> Result<Rational, Error>,
) -> Result<Epsilon, Error> {
    let aim = target.to_f64() * AIM;
    let steer = |value: f64, from: f64| estimated_parameter(coordinate, estimate?, value, from);
    let mut bracket = Bracket::default();
    let mut best: Option<Epsilon> = None;
    let mut aimed = aim;
    let guess = guess.clamp(LEAST, MOST);
    let mut parameter = steer(aim, guess).unwrap_or(guess);
    for evaluation in 0..MOST_EVALUATIONS {
        let rounded = Rational::from_f64(parameter)?.round_to_digits(DIGITS, Rounding::Down);
        let proposed = Epsilon::new(rounded)?;
        let found = bound(&proposed)?;
        let here = (coordinate.of(proposed.value().to_f64()), found.to_f64());
        if found <= *target {
            if best.as_ref().is_none_or(|best| *best < proposed) {
                (best, bracket.keeps) = (Some(proposed), Some(here));
            }
            if here.1 >= NEAR * target.to_f64() || parameter >= MOST {
                break;
            }
        } else {
            bracket.fails = Some(here);
        }
        // The ratio of the bound to its estimate changes little.
        aimed *= aim / here.1.max(1e-300);
        let steered = (evaluation < STEERED).then(|| steer(aimed, parameter)).flatten();
        let steered = steered.filter(|next| bracket.contains(coordinate.of(*next)));
        let next = steered.unwrap_or_else(|| bracket.proposal(here, aim, coordinate));
        if next.total_cmp(&parameter).is_eq() {
            break;
        }
        parameter = next.clamp(LEAST, MOST);
    }
    best.ok_or_else(|| {
        let what = "a parameter of the clients' noise that keeps this budget";
        Refusal::not_available(what, "allow a larger budget").into()
    })
}

/// The parameter at which the estimate is about `value`, searched from a parameter that is near.
fn estimated_parameter(
    coordinate: Coordinate,
    estimate: Estimate<'_>,
    value: f64,
    from: f64,
) -> Option<f64> {
    let mut bracket = Bracket::default();
    let mut parameter = from;
    for _ in 0..MOST_ESTIMATES {
        let found = estimate(parameter)?;
        let here = (coordinate.of(parameter), found);
        if (found / value - 1.0).abs() < 1e-4 {
            break;
        }
        match found <= value {
            true => bracket.keeps = Some(here),
            false => bracket.fails = Some(here),
        }
        parameter = bracket.proposal(here, value, coordinate).clamp(LEAST, MOST);
    }
    Some(parameter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(coordinate: Coordinate, guess: f64, bound: impl Fn(f64) -> f64) -> (f64, usize) {
        let mut evaluations = 0;
        let target = Rational::from(4u64);
        let answer = largest_parameter(coordinate, guess, None, &target, |parameter| {
            evaluations += 1;
            Ok(Rational::from_f64(bound(parameter.value().to_f64()))?)
        });
        (answer.expect("a parameter").value().to_f64(), evaluations)
    }

    #[test]
    fn bounds_that_are_nearly_linear_take_few_evaluations() {
        let linear = |x: f64| x * x.sqrt();
        let (answer, evaluations) = found(Coordinate::Linear, 1.0, linear);
        assert!((3.98..=4.0).contains(&linear(answer)) && evaluations < 8, "{evaluations}");
        let root = |x: f64| 0.15 * ((x / 2.0).exp() - 1.0) + 0.01 * x * x;
        for guess in [0.1, 5.0, 40.0] {
            let (answer, evaluations) = found(Coordinate::Exponential, guess, root);
            assert!((3.98..=4.0).contains(&root(answer)), "{guess}: {answer}");
            assert!(evaluations < 14, "{guess}: {evaluations}");
        }
    }

    #[test]
    fn a_bound_that_jumps_over_the_target_ends_below_it_or_is_refused() {
        let (answer, _) = found(Coordinate::Linear, 9.0, |x| if x > 2.5 { 5.0 } else { x });
        assert!((2.4..=2.5).contains(&answer), "{answer}");
        let target = Rational::from(1u64);
        let never =
            largest_parameter(Coordinate::Linear, 1.0, None, &target, |_| Ok(Rational::from(2u64)));
        assert!(never.expect_err("none").to_string().contains("allow a larger budget"));
    }
}
