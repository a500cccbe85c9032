//! Releases with finitely many outcomes: randomized response, on a lattice, and any others, rounded
//! to one side.

use dp_exact::{Interval, Rational, Rounding};

use super::tilted::{LONG, TiltedLoss, in_shares};
use super::tilting::{BoundSide, PRECISION, Tilting, real};
use dp_exact::directed;
use dp_exact::fixed::ONE;

/// The tilted distribution of the losses −ε, 0 and ε of randomized response with k = `answers`,
/// with odds 1 : k − 2 : e^ε; the loss is never 0 for k = 2. `None` for less than two answers.
pub(crate) fn response(epsilon: &Rational, answers: u64, tilt: &Rational) -> Option<TiltedLoss> {
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

/// The tilted distribution of the loss of `times` releases, from the (loss, probability) pairs of
/// one in ascending order, moved to the side of `tilting` on a grid. `deviation`, about √E(ℓ²) for
/// the loss ℓ of one release, sets the step of the grid. `None` if the grid would be too long.
pub(crate) fn outcomes(
    outcomes: &[(Rational, Rational)],
    times: u32,
    deviation: f64,
    tilting: &Tilting,
) -> Option<TiltedLoss> {
    let step = Rational::from_f64(18.4 * deviation / directed::index(LONG)).ok()?;
    let step = step.round_to_digits(4, Rounding::Up);
    single(outcomes, &step, tilting)?.times(times, tilting)
}

/// The tilted distribution of the loss of one release, moved to the side of `tilting` on the grid
/// of this `step`. Losses are first rounded to 2^−64 of the step. `None` if the grid would be too
/// long.
fn single(
    outcomes: &[(Rational, Rational)],
    step: &Rational,
    tilting: &Tilting,
) -> Option<TiltedLoss> {
    let offset = outcomes.first()?.0.clone();
    let shares = outcomes.iter().map(|(loss, mass)| {
        let share = Interval::rational(&(&tilting.tilt * loss), PRECISION).exp()?;
        Some(share * Interval::rational(mass, PRECISION))
    });
    let (weights, unit) = in_shares(&shares.collect::<Option<Vec<_>>>()?)?;
    let units = Rational::integer(ONE).checked_div(step)?;
    let mut places = Vec::with_capacity(outcomes.len());
    for ((loss, _), weight) in outcomes.iter().zip(weights).filter(|(_, weight)| *weight > 0) {
        let place = (loss - &offset) * &units;
        let place = match tilting.side {
            BoundSide::Upper => place.ceil(),
            BoundSide::Lower => place.floor(),
        };
        places.push((u128::try_from(place).ok()?, weight));
    }
    let total = Interval::integer(1, PRECISION);
    let mut law = TiltedLoss::placed(&places, step, tilting, (&total, &unit.ln()?))?;
    law.offset = law.offset + &offset;
    // Losses were rounded to 2^−64 of a step.
    Some(law.moved(&units.reciprocal()?, tilting))
}
