//! Noise of aggregators: what it promises to one person, and how much a budget needs.

use dp_calibration::{
    Budget, Corner, NoiseLaw, conversion, discrete_gaussian, discrete_laplace, honest, laplace,
    zcdp,
};
use dp_exact::{Delta, Epsilon, Interval, Rational, Refusal, Rho, Rounding, elementary, work};
use dp_task::Mechanism;

use crate::Error;
use crate::moves::Moves;
use crate::promise::Loose;
use crate::search::largest_below;

/// Digits of a parameter.
const DIGITS: usize = 12;

/// What a single question about noise may cost, in units of work.
const QUESTION: u64 = 300_000_000;

/// The most questions about an ε.
const STEPS: usize = 12;

/// The most by which the scale of a pure promise may exceed that for (ε, δ) and still be taken: it
/// promises δ = 0.
const PURE_ALLOWANCE: (i64, u64) = (1001, 1000);

/// The answer, unless it costs too much or there is none.
fn asked<T>(question: impl FnOnce() -> Result<T, dp_calibration::Error>) -> Option<T> {
    work::limited(QUESTION, question).ok()
}

/// The least noise of one aggregator that keeps `budget`, and why less may do, if that is so.
pub(crate) fn least(
    mechanism: Mechanism,
    budget: &Budget,
    moves: &Moves,
) -> Result<(NoiseLaw, Option<Loose>), Error> {
    match mechanism {
        Mechanism::DiscreteGaussian => {
            let (variance, loose) = variance(budget, moves)?;
            Ok((NoiseLaw::DiscreteGaussian { variance }, loose))
        }
        Mechanism::DiscreteLaplace => {
            let (scale, loose) = scale(budget, moves)?;
            Ok((NoiseLaw::DiscreteLaplace { scale }, loose))
        }
        Mechanism::Compensation => Err(no_law()),
    }
}

fn no_law() -> Error {
    let change = "take discrete Laplace or Gaussian noise";
    Refusal::not_available("a law of compensation", change).into()
}

/// The least of the answers to all corners, and of one that is known; and whether one took too long.
fn least_of(
    answers: impl Iterator<Item = Option<Rational>>,
    known: Rational,
) -> (Rational, Option<Loose>) {
    let (mut least, mut are_all) = (known, false);
    for (place, answer) in answers.enumerate() {
        are_all = (are_all || place == 0) && answer.is_some();
        least = answer.map_or(least.clone(), |answer| answer.min(least));
    }
    (least, (!are_all).then_some(Loose::Costly))
}

fn variance(budget: &Budget, moves: &Moves) -> Result<(Rational, Option<Loose>), Error> {
    let (epsilon, delta) = match budget {
        Budget::ZeroConcentrated { rho } => {
            return Ok((zcdp::variance(rho, &moves.l2_squared)?, None));
        }
        Budget::Approximate { epsilon, delta } => (epsilon, delta),
        Budget::Pure { .. } | Budget::Renyi { .. } => return Err(never_pure()),
    };
    let by_norm = discrete_gaussian::calibrate_norm(epsilon, delta, &moves.l2_squared)?.variance;
    let by_corner = |corner: &Corner| {
        asked(|| discrete_gaussian::calibrate(epsilon, delta, corner)).map(|found| found.variance)
    };
    Ok(least_of(moves.corners.iter().map(by_corner), by_norm))
}

fn never_pure() -> Error {
    let what = "a pure promise (delta 0) of Gaussian noise, which has none";
    Refusal::not_available(what, "give a delta above 0, such as 1e-9").into()
}

fn scale(budget: &Budget, moves: &Moves) -> Result<(Rational, Option<Loose>), Error> {
    match budget {
        Budget::Pure { epsilon } => Ok((laplace::scale(epsilon, &moves.l1)?, None)),
        Budget::Approximate { epsilon, delta } => {
            let pure = laplace::scale(epsilon, &moves.l1)?;
            let by_corner = |corner: &Corner| {
                asked(|| discrete_laplace::calibrate(epsilon, delta, corner))
                    .map(|found| found.scale)
            };
            let (least, loose) = least_of(moves.corners.iter().map(by_corner), pure.clone());
            let (numerator, denominator) = PURE_ALLOWANCE;
            let allowance = Rational::new(numerator, denominator)?;
            Ok(match &least * &allowance < pure {
                true => (least, loose),
                false => (pure, loose),
            })
        }
        Budget::ZeroConcentrated { rho } => Ok((scale_of_rho(rho, moves)?, None)),
        Budget::Renyi { .. } => Err(no_law()),
    }
}

/// The least scale t, to twelve digits, whose coordinates' ρ = (d/t)·tanh(d/2t) add up to at most ρ.
fn scale_of_rho(target: &Rho, moves: &Moves) -> Result<Rational, Error> {
    let l1 = Rational::integer(num_bigint::BigInt::from(moves.l1.clone()));
    let guess = target.value().to_f64().sqrt() / 2.0;
    // In terms of the pure ε of one coordinate that moves by Δ₁: it rises with the ρ.
    let rate = largest_below(guess, target.value(), |epsilon| {
        let scale = l1.checked_div(epsilon.value()).ok_or_else(no_law)?;
        let law = NoiseLaw::DiscreteLaplace { scale };
        Ok(rho(&law, moves)?.value().clone())
    })?;
    l1.checked_div(rate.value()).ok_or_else(no_law)
}

/// An ε at δ that noise of so many honest aggregators promises for what a person moves, and why it is not
/// the least, if that is known.
pub(crate) fn epsilon(
    law: &NoiseLaw,
    delta: &Delta,
    moves: &Moves,
    honest: u32,
) -> Result<(Rational, Option<Loose>), Error> {
    match law {
        NoiseLaw::DiscreteLaplace { scale } => {
            let l1 = Rational::integer(num_bigint::BigInt::from(moves.l1.clone()));
            let pure = l1.checked_div(scale).ok_or_else(no_law)?;
            if delta.value().is_zero() {
                return Ok((pure, None));
            }
            let by_corner =
                |corner: &Corner| asked(|| discrete_laplace::epsilon(scale, delta, corner));
            Ok(least_of(moves.corners.iter().map(by_corner), pure))
        }
        NoiseLaw::DiscreteGaussian { variance } => {
            if delta.value().is_zero() {
                return Err(never_pure());
            }
            let by_norm = zcdp::epsilon(&rho(law, moves)?, delta)?;
            let exact = moves.corners.iter().map(|corner| {
                let counted = Rational::from(u64::from(honest.clamp(1, 64)));
                let guess = of_continuous(&(variance * &counted), delta, corner, &by_norm);
                least_epsilon(guess, by_norm.clone(), delta, |epsilon| match honest {
                    0 | 1 => asked(|| discrete_gaussian::delta(variance, epsilon, corner)),
                    _ => {
                        asked(|| honest::gaussian_delta(variance, epsilon, corner, honest.min(64)))
                    }
                })
            });
            Ok(least_of(exact, by_norm.clone()))
        }
    }
}

/// About the ε at δ of continuous noise of this variance (Balle, Wang 2018, Theorem 8), and a little
/// above: to steer.
fn of_continuous(variance: &Rational, target: &Delta, corner: &Corner, most: &Rational) -> f64 {
    let aim = Interval::rational(target.value(), 64)
        .ln()
        .map_or(-700.0, |log| log.midpoint());
    let square = Rational::integer(num_bigint::BigInt::from(corner.l2_squared())).to_f64();
    let ratio = (variance.to_f64() / square).sqrt();
    let is_enough = |epsilon: f64| {
        let (middle, half) = (epsilon * ratio, 0.5 / ratio);
        let (near, far) = (middle - half, middle + half);
        let log =
            -0.5 * near * near - 0.918_938_533_204_672_7 + elementary::ln(mills(near) - mills(far));
        log <= aim
    };
    let most = most.to_f64().max(1e-9);
    dp_exact::search::halved((most * 1e-3, most), 50, is_enough).1 * (1.0 + 1e-8)
}

/// About the normal tail over the normal density.
fn mills(place: f64) -> f64 {
    if place > 2.0 {
        let terms = (1..=120).rev().map(f64::from);
        return terms
            .fold(place, |below, term| place + term / below)
            .recip();
    }
    let density = elementary::exp(-0.5 * place * place) * 0.398_942_280_401_432_7;
    let (mut term, mut sum, mut odd) = (place, place, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        odd += 2.0;
        term *= place * place / odd;
        sum += term;
    }
    0.5 / density - sum
}

/// An ε of at most twelve digits, a little above the least, at which the certified δ is at most `target`,
/// from one that is known to be enough. ln δ is nearly a parabola in ε: few questions suffice.
fn least_epsilon(
    guess: f64,
    enough: Rational,
    target: &Delta,
    mut delta_at: impl FnMut(&Epsilon) -> Option<Interval>,
) -> Option<Rational> {
    let logarithm = |value: &Interval| Some(value.ln()?.midpoint());
    let aim = Interval::rational(target.value(), 64).ln()?.midpoint();
    let mut best = enough;
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut place = guess;
    for _ in 0..STEPS {
        let proposed = Rational::from_f64(place)
            .ok()?
            .round_to_digits(12, Rounding::Up);
        let epsilon = Epsilon::new(proposed).ok()?;
        let found = delta_at(&epsilon)?;
        let holds = found.upper().cmp_rational(target.value()).is_le();
        if holds && *epsilon.value() < best {
            best = epsilon.value().clone();
        }
        let here = (place, logarithm(&found)? - aim);
        points.push(here);
        let is_near = here.1.abs() < 1e-5;
        if holds && is_near {
            break;
        }
        // The line through the last two points, to a little below the target.
        let slope = match points
            .len()
            .checked_sub(2)
            .and_then(|last| points.get(last))
        {
            Some((x, y)) => (here.1 - y) / (here.0 - x),
            None => here.1.min(-1e-9) / (0.1 * here.0),
        };
        let step = (here.1 + 5e-6) / slope;
        if !step.is_finite() {
            break;
        }
        place = (place - step).clamp(place * 0.2, place * 2.0);
    }
    Some(best)
}

/// A ρ of zero-concentrated privacy that noise of one aggregator promises.
pub(crate) fn rho(law: &NoiseLaw, moves: &Moves) -> Result<Rho, Error> {
    match law {
        NoiseLaw::DiscreteGaussian { variance } => Ok(zcdp::rho(variance, &moves.l2_squared)?),
        NoiseLaw::DiscreteLaplace { scale } => {
            let of_corner = |corner: &Corner| {
                let step = num_bigint::BigInt::from(corner.step().clone());
                let each = Rational::integer(step).checked_div(scale)?;
                let each = conversion::pure_to_rho(&Epsilon::new(each).ok()?).ok()?;
                Some(each.value() * &Rational::from(corner.coordinates()))
            };
            let least = moves.corners.iter().filter_map(of_corner).min();
            let what = "the zero-concentrated privacy of this noise";
            let none = || Refusal::not_available(what, "take fewer releases");
            let rounded = least
                .ok_or_else(none)?
                .round_to_digits(DIGITS, Rounding::Up);
            Ok(Rho::new(rounded)?)
        }
    }
}

/// Δ₁/t of discrete Laplace noise.
pub(crate) fn pure(law: &NoiseLaw, moves: &Moves) -> Option<Rational> {
    let NoiseLaw::DiscreteLaplace { scale } = law else {
        return None;
    };
    let l1 = Rational::integer(num_bigint::BigInt::from(moves.l1.clone()));
    l1.checked_div(scale)
}
