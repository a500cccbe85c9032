//! The bound by the largest privacy losses alone.
//!
//! A sum of losses is at most the sum S of their largest values. So the releases together are
//! S-differentially private, but for the event, of probability κ = 1 − Π(1 − δ_i), that some loss is
//! infinite: (S, δ) holds for every δ ≥ κ. Basic composition says the same for δ ≥ Σδ_i. No bound that
//! follows the distribution of the sum is worth more than this one where δ is far below the probability of S,
//! and none has an answer at δ = κ.
//!
//! From below: at δ = 0 no ε below S holds.

use dp_exact::{Delta, Interval, Rational, Rounding};

use super::accounted_mechanism::InfiniteLoss;
use super::precision::added;
use super::{Accountant, AccountedMechanism, ComposedEpsilon, Repeated, any_infinite};
use crate::theorem::Theorem;
use dp_calibration::Error;
use dp_calibration::privacy_loss::PRECISION;

impl Accountant {
    /// Bounds on the ε at δ: from above S, the sum of the largest losses, from below S at δ = 0
    /// without dominating pairs, and 0 elsewhere. `None` if a loss has no largest value, or δ is
    /// not certainly at least the probability κ of an infinite loss.
    pub(super) fn by_largest(&self, delta: &Delta) -> Result<Option<ComposedEpsilon>, Error> {
        let (Some(upper), Some(sum)) = (self.largest(Rounding::Up)?, self.largest(Rounding::Down)?)
        else {
            return Ok(None);
        };
        if !self.has_room_for_infinite_losses(delta.value()) {
            return Ok(None);
        }
        // The largest loss of a dominating pair is an upper bound.
        let is_dominated =
            |entry: &Repeated| matches!(entry.release, AccountedMechanism::Dominated(_));
        let is_attained = delta.value().is_zero() && !self.entries.iter().any(is_dominated);
        let lower = if is_attained { sum } else { Rational::zero() };
        Ok(Some(ComposedEpsilon { upper, lower, by: Theorem::LargestLosses }))
    }

    /// The sum S of the largest finite losses, in nats; for many kinds rounded in the fortieth
    /// digit. `None` if some loss has no largest value.
    pub(super) fn largest(&self, rounding: Rounding) -> Result<Option<Rational>, Error> {
        let mut all = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            let Some(largest) = entry.largest()? else {
                return Ok(None);
            };
            all.push(largest * Rational::from(u64::from(entry.parts())));
        }
        Ok(Some(added(&all, rounding)))
    }

    /// Whether δ is certainly at least κ, the probability that some loss is infinite.
    fn has_room_for_infinite_losses(&self, delta: &Rational) -> bool {
        let each = self.entries.iter().map(|entry| {
            entry.release.infinite_probability() * &Rational::from(u64::from(entry.times))
        });
        let sum = each.fold(Rational::zero(), |sum, infinite| sum + infinite);
        sum <= *delta || self.infinite_probability().upper().cmp_rational(delta).is_le()
    }

    /// Enclosure of κ, the probability that some loss is infinite, with 128 bits of the smallest one.
    pub(super) fn infinite_probability(&self) -> Interval {
        let each = self.entries.iter().map(|entry| {
            let probability = entry.release.infinite_probability();
            (InfiniteLoss { least: probability.clone(), most: probability }, entry.parts())
        });
        any_infinite(&each.collect::<Vec<_>>(), PRECISION)
    }
}
