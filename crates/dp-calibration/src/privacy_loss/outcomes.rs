//! Releases with any finite number of outcomes, whose losses are rounded to one side.
//!
//! The fewer the outcomes, the more the grid changes them. So two releases are combined first,
//! outcome by outcome, and then placed on the grid.

use dp_exact::{Interval, Rational, Rounding};
use num_bigint::BigInt;

use super::regrid::PlacedOutcome;
use super::tilted::{LONG, TiltedLoss, top};
use super::tilting::{BoundSide, PRECISION, Tilting};
use dp_exact::convolution::BITS;
use dp_exact::directed;
use dp_exact::fixed::{self, ONE};

/// The most outcomes of a release for which all pairs are formed.
const FEW: usize = 512;

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
    let pairs = times > 1 && outcomes.len() <= FEW;
    let one = if pairs { 26.0 } else { 18.4 } * deviation;
    let step = Rational::from_f64(one / directed::index(LONG)).ok()?;
    let step = step.round_to_digits(4, Rounding::Up);
    let single = PlacedOutcomes::new(outcomes, &step, tilting)?;
    if !pairs {
        return single.law(&step, tilting)?.times(times, tilting);
    }
    let mut law = single.twice()?.law(&step, tilting)?.times(times / 2, tilting)?;
    if times % 2 == 1 {
        law = law.beside(&single.law(&step, tilting)?, tilting)?;
    }
    Some(law)
}

/// Outcomes at their losses, counted from `offset` in steps of a grid, before they are moved onto
/// it.
struct PlacedOutcomes {
    /// The least loss.
    offset: Rational,
    /// Distances from the least loss, and weights.
    places: Vec<PlacedOutcome>,
    /// Upper bound on the total of the true weights.
    total: Interval,
    /// Enclosure of ln M, M = E[e^(λℓ)] for the privacy loss ℓ and the tilt λ.
    log_moment: Interval,
}

impl PlacedOutcomes {
    /// The places of `outcomes`, pairs of loss and probability in ascending order. Places are
    /// rounded to the side of `tilting`.
    fn new(outcomes: &[(Rational, Rational)], step: &Rational, tilting: &Tilting) -> Option<Self> {
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
        Some(Self { offset, places, total: Interval::integer(1, PRECISION), log_moment })
    }

    /// The outcomes of two independent releases, each with these; `None` if a weight is too large.
    fn twice(&self) -> Option<Self> {
        let pairs = self.places.len().pow(2);
        let mut places = Vec::with_capacity(pairs);
        for &(one, weight) in &self.places {
            for &(other, factor) in &self.places {
                let product = (u128::from(weight) * u128::from(factor)) >> BITS;
                let product = u64::try_from(product).ok()?;
                if product > 0 {
                    places.push((one + other, product));
                }
            }
        }
        places.sort_unstable();
        Some(Self {
            offset: &self.offset + &self.offset,
            places,
            total: &self.total * &self.total,
            log_moment: &self.log_moment + &self.log_moment,
        })
    }

    /// The distribution on the grid of this `step`; `None` if the grid would be too long.
    fn law(&self, step: &Rational, tilting: &Tilting) -> Option<TiltedLoss> {
        let known = (&self.total, &self.log_moment);
        let mut law = TiltedLoss::placed(&self.places, step, tilting, known)?;
        law.offset = law.offset + &self.offset;
        // Bounds to one side from the start.
        law.exact = false;
        Some(law)
    }
}
