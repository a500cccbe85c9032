//! Releases with any finite number of outcomes, whose losses are rounded to one side.

use dp_exact::{Interval, Rational, Rounding};
use num_bigint::BigInt;

use super::tilted::{LONG, TiltedLoss, top};
use super::tilting::{BoundSide, PRECISION, Tilting};
use dp_exact::convolution::BITS;
use dp_exact::directed;
use dp_exact::fixed::{self, ONE};

/// The tilted distribution of the loss of `times` releases, from the (loss, probability) pairs of
/// one in ascending order. `deviation` is an estimate of the standard deviation of its loss, which
/// sets the grid.
#[must_use]
pub fn outcomes(
    outcomes: &[(Rational, Rational)],
    times: u32,
    deviation: f64,
    tilting: &Tilting,
) -> Option<TiltedLoss> {
    let step = Rational::from_f64(18.4 * deviation / directed::index(LONG)).ok()?;
    let step = step.round_to_digits(4, Rounding::Up);
    single(outcomes, &step, tilting)?.times(times, tilting)
}

/// The distribution of one release on the grid of this `step`. Its losses are first rounded to
/// 2^−64 of a step, to the side of `tilting`. `None` if the grid would be too long.
fn single(
    outcomes: &[(Rational, Rational)],
    step: &Rational,
    tilting: &Tilting,
) -> Option<TiltedLoss> {
    let offset = outcomes.first()?.0.clone();
    let mut shares = Vec::with_capacity(outcomes.len());
    let mut all = Interval::integer(0, PRECISION);
    for (loss, mass) in outcomes {
        let share = Interval::rational(&(&tilting.tilt * loss), PRECISION).exp()?;
        let share = share * Interval::rational(mass, PRECISION);
        all = all + &share;
        shares.push(share);
    }
    let unit = top(&all);
    let inverse = Interval::integer(1, PRECISION).checked_div(&unit)?;
    let units = Rational::integer(BigInt::from(ONE)).checked_div(step)?;
    let mut places = Vec::with_capacity(outcomes.len());
    for ((loss, _), share) in outcomes.iter().zip(shares) {
        let place = (loss - &offset) * &units;
        let place = match tilting.side {
            BoundSide::Upper => place.ceil(),
            BoundSide::Lower => place.floor(),
        };
        let weight = fixed::floor(&(share * &inverse), BITS)?;
        let weight = u64::try_from(weight).ok()?;
        if weight > 0 {
            places.push((u128::try_from(place).ok()?, weight));
        }
    }
    // A loss was changed by at most 2^−64 of a step, a weight by the factor e^(λd).
    let moved = Interval::rational(&(units.reciprocal()? * &tilting.tilt), PRECISION);
    let moved = moved.hull(&Interval::integer(0, PRECISION));
    let log_moment = match tilting.side {
        BoundSide::Upper => unit.ln()? + moved,
        BoundSide::Lower => unit.ln()? - moved,
    };
    let total = Interval::integer(1, PRECISION);
    let mut law = TiltedLoss::placed(&places, step, tilting, (&total, &log_moment))?;
    law.offset = law.offset + &offset;
    // Bounds to one side from the start.
    law.exact = false;
    Some(law)
}
