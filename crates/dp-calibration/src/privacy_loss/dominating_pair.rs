//! A mechanism that is known by a pair of laws at least as far apart as its own.

use std::sync::Arc;

use dp_exact::{Interval, Rational, Rounding, elementary};
use num_bigint::BigInt;

use super::view::{PRECISION, Side};
use crate::Error;

/// Bits after the point of a loss that is rounded to one side.
const LOSS_BITS: u32 = 96;

/// (privacy loss, probability), in ascending order of loss.
pub type Outcomes = Vec<(Rational, Rational)>;

/// A release of some independent parts, for each of which two pairs of laws are known: one that
/// dominates it for every dataset (Zhu, Dong, Wang 2022, Definition 7: its hockey-stick divergence
/// of every order is at least as large), and one that some dataset attains.
#[derive(Clone, Debug)]
pub struct DominatingPair {
    parts: u32,
    largest: Rational,
    known: Result<Arc<Known>, Error>,
}

/// The losses of the two pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// From above, for every dataset.
    pub above: Outcomes,
    /// From below, for one dataset.
    pub below: Outcomes,
    /// At most the probability of an infinite loss from above.
    pub infinite: Rational,
}

impl DominatingPair {
    /// `parts` independent parts, none of which has a finite loss above `largest`. The outcomes are
    /// (likelihood ratio, probability under the numerator): of the pair that dominates, and of the
    /// one that is attained. They and their losses are computed here; where that fails, the pair keeps the error.
    #[must_use]
    pub fn new(
        parts: u32,
        largest: Rational,
        outcomes: impl FnOnce() -> Result<[Outcomes; 2], Error>,
    ) -> Self {
        let known = || {
            let [dominating, attained] = outcomes()?;
            Ok(Arc::new(Known::new(dominating, attained)?))
        };
        Self { parts, largest, known: known() }
    }

    /// How many independent parts there are.
    #[must_use]
    pub const fn parts(&self) -> u32 {
        self.parts
    }

    /// No finite loss of a part is larger.
    #[must_use]
    pub const fn largest(&self) -> &Rational {
        &self.largest
    }

    /// The losses of a part.
    ///
    /// # Errors
    /// Why they are not known.
    pub fn known(&self) -> Result<&Arc<Known>, Error> {
        self.known.as_ref().map_err(Clone::clone)
    }
}

impl Known {
    fn new(dominating: Outcomes, attained: Outcomes) -> Result<Self, Error> {
        let mut above = losses(dominating, Rounding::Up)?;
        let below = losses(attained, Rounding::Down)?;
        let infinite = far(&mut above);
        Ok(Self { above, below, infinite })
    }

    /// The losses to one side.
    #[must_use]
    pub fn on(&self, side: Side) -> &[(Rational, Rational)] {
        match side {
            Side::Upward => &self.above,
            Side::Downward => &self.below,
        }
    }

    /// About the standard deviation of the loss from above.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        deviation(&self.above)
    }
}

/// Takes away outcomes with losses of more than forty deviations, and returns their probability: to
/// call such a loss infinite is on the safe side, and costs next to nothing.
fn far(outcomes: &mut Outcomes) -> Rational {
    let reach = 40.0 * deviation(outcomes);
    let near = outcomes.partition_point(|(loss, _)| loss.to_f64() <= reach);
    let far = outcomes.split_off(near);
    far.into_iter().fold(Rational::zero(), |sum, (_, mass)| sum + mass)
}

/// About the standard deviation of the loss.
fn deviation(outcomes: &Outcomes) -> f64 {
    let square =
        |(loss, mass): &(Rational, Rational)| elementary::powi(loss.to_f64(), 2) * mass.to_f64();
    outcomes.iter().map(square).sum::<f64>().sqrt()
}

/// Likelihood ratios as losses, rounded, with their probabilities, in ascending order.
fn losses(outcomes: Outcomes, rounding: Rounding) -> Result<Outcomes, Error> {
    let mut losses = Vec::with_capacity(outcomes.len());
    for (ratio, mass) in outcomes {
        let loss = Interval::rational(&ratio, PRECISION).ln();
        // Its end, to as many digits as are of use: all later steps are exact in it.
        let end = loss.as_ref().and_then(|loss| match rounding {
            Rounding::Up => shorter(loss.upper().to_rational()?, rounding),
            _ => shorter(loss.lower().to_rational()?, rounding),
        });
        let refused = || Error::parameter("likelihood ratio", &ratio, "a positive number");
        losses.push((end.ok_or_else(refused)?, mass));
    }
    losses.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(losses)
}

/// The next multiple of 2^−96.
fn shorter(loss: Rational, rounding: Rounding) -> Option<Rational> {
    let units = BigInt::from(1) << LOSS_BITS;
    let loss = loss * Rational::integer(units.clone());
    let whole = match rounding {
        Rounding::Up => loss.ceil(),
        _ => loss.floor(),
    };
    Rational::new(whole, units).ok()
}
