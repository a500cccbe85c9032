//! The largest parameter of the clients' noise that keeps a target: floating point steers, a certified
//! bound accepts.

use dp_exact::{Epsilon, Rational, Refusal, Rounding, elementary};

use crate::Error;

/// Digits of a parameter.
const DIGITS: usize = 7;

/// A bound of at least this part of the target ends the search.
const NEAR: f64 = 0.995;

/// The part of the target that a proposal aims at.
const AIM: f64 = 0.9985;

/// The most questions.
const QUESTIONS: usize = 24;

/// Questions up to which an estimate steers.
const STEERED: usize = 4;

/// The most values of an estimate for one question.
const ESTIMATES: usize = 16;

/// The largest parameter.
const MOST: f64 = 100.0;

/// The coordinate in which a bound is nearly linear.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Coordinate {
    /// The parameter ε₀: a client's own noise.
    Linear,
    /// e^(ε₀/2): the noise of all honest clients has a standard deviation of about e^(−ε₀/2).
    Exponential,
    /// x/√(x + k) with x = e^ε − 1, for answers of k values: the answers of all honest clients have a
    /// standard deviation of about one over it.
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

    fn parameter(self, place: f64) -> f64 {
        match self {
            Self::Linear => place,
            Self::Exponential => 2.0 * elementary::ln(place),
            Self::Answers(values) => {
                let square = place * place;
                let x = (square + (square * square + 4.0 * square * values).sqrt()) / 2.0;
                elementary::ln_1p(x)
            }
        }
    }
}

/// An end of a bracket, if one is known: a place and the bound there.
type End = Option<(f64, f64)>;

/// A fast estimate of a bound: no bound itself.
pub(crate) type Estimate<'a> = &'a dyn Fn(f64) -> Option<f64>;

/// About the largest parameter whose `bound`, which grows with it, is at most `target`, from a guess and
/// with an estimate of the bound, if there is one. That the answer keeps the target is certain, as `bound`
/// is. That no parameter keeps it whose bound is more than half a percent closer is what the search aims
/// at.
pub(crate) fn largest(
    coordinate: Coordinate,
    guess: f64,
    estimate: Option<Estimate<'_>>,
    target: &Rational,
    mut bound: impl FnMut(&Epsilon) -> Result<Rational, Error>,
) -> Result<Epsilon, Error> {
    let aim = target.to_f64() * AIM;
    // Where the estimate has this value.
    let steer = |value: f64, from: f64| estimated(coordinate, estimate?, value, from);
    let (mut keeps, mut fails): (End, End) = (None, None);
    let mut best: Option<Epsilon> = None;
    let mut aimed = aim;
    let guess = guess.clamp(1e-9, MOST);
    let mut parameter = steer(aim, guess).unwrap_or(guess);
    for question in 0..QUESTIONS {
        let rounded = Rational::from_f64(parameter)?.round_to_digits(DIGITS, Rounding::Down);
        let proposed = Epsilon::new(rounded)?;
        let found = bound(&proposed)?;
        let here = (coordinate.of(proposed.value().to_f64()), found.to_f64());
        if found <= *target {
            if best.as_ref().is_none_or(|best| *best < proposed) {
                (best, keeps) = (Some(proposed), Some(here));
            }
            if here.1 >= NEAR * target.to_f64() || parameter >= MOST {
                break;
            }
        } else {
            fails = Some(here);
        }
        // The estimate is off by a factor that changes little.
        aimed *= aim / here.1.max(1e-300);
        let steered = (question < STEERED).then(|| steer(aimed, parameter)).flatten();
        let next = steered.filter(|next| is_between(coordinate.of(*next), keeps, fails));
        let next = next
            .unwrap_or_else(|| coordinate.parameter(proposal(keeps, fails, here, aim, coordinate)));
        if next.total_cmp(&parameter).is_eq() {
            break;
        }
        parameter = next.clamp(1e-9, MOST);
    }
    best.ok_or_else(|| {
        let what = "a parameter of the clients' noise that keeps this budget";
        Refusal::not_available(what, "allow a larger budget").into()
    })
}

/// Whether a place lies between one that keeps the target and one that fails it.
fn is_between(place: f64, keeps: End, fails: End) -> bool {
    keeps.is_none_or(|(low, _)| place > low) && fails.is_none_or(|(high, _)| place < high)
}

/// The parameter at which the estimate has a value, from one that is near.
fn estimated(coordinate: Coordinate, estimate: Estimate<'_>, value: f64, from: f64) -> Option<f64> {
    let (mut low, mut high): (End, End) = (None, None);
    let mut parameter = from;
    for _ in 0..ESTIMATES {
        let found = estimate(parameter)?;
        let here = (coordinate.of(parameter), found);
        if (found / value - 1.0).abs() < 1e-4 {
            break;
        }
        match found <= value {
            true => low = Some(here),
            false => high = Some(here),
        }
        let next = coordinate.parameter(proposal(low, high, here, value, coordinate));
        parameter = next.clamp(1e-9, MOST);
    }
    Some(parameter)
}

/// The next place: where the line through both ends of the bracket meets the aim, but not too close to an
/// end; outside of a bracket, by the line through the origin.
fn proposal(keeps: End, fails: End, here: (f64, f64), aim: f64, coordinate: Coordinate) -> f64 {
    let origin = coordinate.of(0.0);
    match (keeps, fails) {
        (Some((low, at_low)), Some((high, at_high))) => {
            let part = (aim - at_low) / (at_high - at_low);
            let part = if part.is_finite() { part.clamp(0.02, 0.98) } else { 0.5 };
            low + part * (high - low)
        }
        _ => {
            let step = (aim / here.1.max(1e-300)).clamp(0.02, 8.0);
            origin + (here.0 - origin).max(1e-12) * step
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(coordinate: Coordinate, guess: f64, bound: impl Fn(f64) -> f64) -> (f64, usize) {
        let mut questions = 0;
        let target = Rational::from(4u64);
        let answer = largest(coordinate, guess, None, &target, |parameter| {
            questions += 1;
            Ok(Rational::from_f64(bound(parameter.value().to_f64()))?)
        });
        (answer.expect("a parameter").value().to_f64(), questions)
    }

    #[test]
    fn bounds_that_are_nearly_linear_take_few_questions() {
        let linear = |x: f64| x * x.sqrt();
        let (answer, questions) = found(Coordinate::Linear, 1.0, linear);
        assert!((3.98..=4.0).contains(&linear(answer)) && questions < 8, "{questions}");
        let root = |x: f64| 0.15 * ((x / 2.0).exp() - 1.0) + 0.01 * x * x;
        for guess in [0.1, 3.0, 5.0, 6.5, 9.0, 40.0] {
            let (answer, questions) = found(Coordinate::Exponential, guess, root);
            assert!((3.98..=4.0).contains(&root(answer)), "{guess}: {answer}");
            assert!(questions < 14, "{guess}: {questions}");
        }
    }

    #[test]
    fn a_bound_that_jumps_over_the_target_ends_below_it() {
        let (answer, _) = found(Coordinate::Linear, 9.0, |x| if x > 2.5 { 5.0 } else { x });
        assert!((2.4..=2.5).contains(&answer), "{answer}");
    }

    #[test]
    fn no_parameter_is_an_error() {
        let target = Rational::from(1u64);
        let never = largest(Coordinate::Linear, 1.0, None, &target, |_| Ok(Rational::from(2u64)));
        assert!(never.expect_err("none").to_string().contains("allow a larger budget"));
    }
}
