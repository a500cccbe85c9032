//! A mechanism bounded by a pair of distributions whose divergences are at least as large.

use std::sync::Arc;

use dp_exact::{Interval, Rational, Rounding, elementary};
use num_bigint::BigInt;

use super::tilting::{BoundSide, PRECISION};
use crate::{Error, Result};

/// A loss is rounded to a multiple of 2 to the power of minus this.
const LOSS_BITS: u32 = 96;

/// At most this many losses are all kept, also where one is rare and far from the others.
const FEW: usize = 3;

/// (privacy loss, probability), in ascending order of loss.
pub type Outcomes = Vec<(Rational, Rational)>;

/// A release of independent parts; two pairs of distributions bound each part.
///
/// One pair dominates the part for every dataset: its hockey-stick divergence of every order is at
/// least as large (Zhu, Dong, Wang 2022, Definition 7). Some dataset attains the other pair.
#[derive(Clone, Debug)]
pub struct DominatingPair {
    /// How many independent parts the release has, each bounded by `losses`.
    pub(crate) parts: u32,
    /// Upper bound on every finite loss of a part.
    pub(crate) largest: Rational,
    /// The losses of a part, or the error of their computation.
    losses: Result<Arc<DominatingLosses>>,
}

/// The privacy losses of a pair that dominates a mechanism, and of a pair that it attains.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DominatingLosses {
    /// Losses of the dominating pair, rounded up: an upper bound for every dataset.
    pub(crate) above: Outcomes,
    /// Losses of the attained pair, rounded down: a lower bound, for one dataset.
    pub(crate) below: Outcomes,
    /// Upper bound on the probability of an infinite loss, which `above` leaves out.
    pub(crate) infinite: Rational,
}

impl DominatingPair {
    /// A release of `parts` independent parts without a finite loss above `largest`.
    ///
    /// `outcomes` returns (likelihood ratio, probability under the numerator) for the dominating
    /// pair and for the attained pair. If it fails, the pair keeps the error.
    #[must_use]
    pub fn new(
        parts: u32,
        largest: Rational,
        outcomes: impl FnOnce() -> Result<[Outcomes; 2]>,
    ) -> Self {
        let losses = outcomes().and_then(|[dominating, attained]| {
            let mut above = losses(dominating, Rounding::Up)?;
            let below = losses(attained, Rounding::Down)?;
            let infinite = match above.len() <= FEW {
                true => Rational::zero(),
                false => remove_far(&mut above),
            };
            Ok(Arc::new(DominatingLosses { above, below, infinite }))
        });
        Self { parts, largest, losses }
    }

    /// The losses of a part, or the error with which their computation failed.
    pub(crate) fn losses(&self) -> Result<&Arc<DominatingLosses>> {
        self.losses.as_ref().map_err(Clone::clone)
    }
}

impl DominatingLosses {
    /// The losses, with their probabilities, that bound δ from this side: of the dominating pair
    /// from above, of the attained pair from below.
    pub(crate) fn on(&self, side: BoundSide) -> &[(Rational, Rational)] {
        match side {
            BoundSide::Upper => &self.above,
            BoundSide::Lower => &self.below,
        }
    }

    /// About √E(ℓ²) for the loss ℓ of the dominating pair, in nats.
    pub(crate) fn deviation(&self) -> f64 {
        deviation(&self.above)
    }
}

/// Removes losses above 40·√E(ℓ²) from `outcomes`, which ascend, and returns their probability:
/// calling such a loss infinite is on the safe side, and costs next to nothing.
fn remove_far(outcomes: &mut Outcomes) -> Rational {
    let reach = 40.0 * deviation(outcomes);
    let near = outcomes.partition_point(|(loss, _)| loss.to_f64() <= reach);
    let far = outcomes.split_off(near);
    far.into_iter().fold(Rational::zero(), |sum, (_, mass)| sum + mass)
}

/// An estimate of √E(ℓ²) for the loss ℓ.
fn deviation(outcomes: &Outcomes) -> f64 {
    let square =
        |(loss, mass): &(Rational, Rational)| elementary::powi(loss.to_f64(), 2) * mass.to_f64();
    outcomes.iter().map(square).sum::<f64>().sqrt()
}

/// Privacy losses with their probabilities, ascending: the logarithms of likelihood ratios, rounded
/// to multiples of 2^−96, up for `Rounding::Up` and else down. `Err` if a ratio is not positive.
fn losses(outcomes: Outcomes, rounding: Rounding) -> Result<Outcomes> {
    let units = BigInt::from(1) << LOSS_BITS;
    let rounded = |ratio: &Rational| {
        let loss = Interval::rational(ratio, PRECISION).ln()?;
        let whole = match rounding {
            Rounding::Up => -(-loss).lower().floor_shifted(LOSS_BITS.into()),
            _ => loss.lower().floor_shifted(LOSS_BITS.into()),
        };
        Rational::new(whole, units.clone()).ok()
    };
    let mut losses = Vec::with_capacity(outcomes.len());
    for (ratio, mass) in outcomes {
        let refused = || Error::parameter("likelihood ratio", &ratio, "a positive number");
        losses.push((rounded(&ratio).ok_or_else(refused)?, mass));
    }
    losses.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(losses)
}
