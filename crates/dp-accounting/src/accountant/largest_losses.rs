//! The bound by the largest privacy losses alone.
//!
//! A sum of losses is at most the sum S of their largest values. So the releases together are
//! S-differentially private, but for the event, of probability κ = 1 − Π(1 − δ_i), that some loss is
//! infinite: (S, δ) holds for every δ ≥ κ. Basic composition says the same for δ ≥ Σδ_i. No bound that
//! follows the distribution of the sum is worth more than this one where δ is far below the probability of S,
//! and none has an answer at δ = κ.
//!
//! From below: the finite losses are all at their largest with a probability π, so that
//! δ(ε) ≥ κ + (1 − κ)·π·(1 − e^(ε−S)), which gives ε ≥ S + ln(1 − t/π) for t = (δ − κ)/(1 − κ) < π.

use dp_exact::{Delta, Interval, Rational, Rounding};

use super::accounted_mechanism::InfiniteLoss;
use super::precision::{DIGITS, added, precise};
use super::{Accountant, ComposedEpsilon, Repeated, any_infinite};
use crate::theorem::Theorem;
use dp_calibration::Error;
use dp_calibration::privacy_loss::PRECISION;

/// The most bits of a product of probabilities that is computed exactly.
const EXACT_BITS: u64 = 1 << 16;

impl Accountant {
    /// Bounds on the ε at δ: from above S, the sum of the largest losses, and from below S + ln(1 −
    /// t/π). Here κ is the probability of an infinite loss, t = (δ − κ)/(1 − κ), and π the
    /// probability that all finite losses are the largest. `None` if a loss has no largest value,
    /// or δ is not certainly at least κ.
    pub(super) fn by_largest(&self, delta: &Delta) -> Result<Option<ComposedEpsilon>, Error> {
        let Some(upper) = self.largest(Rounding::Up)? else {
            return Ok(None);
        };
        if !self.has_room_for_infinite_losses(delta.value()) {
            return Ok(None);
        }
        let Some(sum) = self.largest(Rounding::Down)? else {
            return Ok(None);
        };
        let lower = self.below_largest(delta.value(), &sum)?;
        let by = Theorem::LargestLosses;
        Ok(Some(ComposedEpsilon { upper, lower, by }))
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
        let infinite = |entry: &Repeated| {
            entry.release.infinite_probability() * &Rational::from(u64::from(entry.times))
        };
        let sum = |sum: Rational, entry: &Repeated| sum + infinite(entry);
        if self.entries.iter().fold(Rational::zero(), sum) <= *delta {
            return true;
        }
        let infinite = self.infinite_probability();
        if let Some(order) = infinite.compare_rational(delta) {
            return order.is_le();
        }
        // Equal numbers are infinite apart by no precision. κ in lowest terms is as long as this
        // product, so that a δ of few bits is not equal to a long one.
        let bits = |entry: &Repeated| match entry.release.infinite_probability() {
            none if none.is_zero() => 0,
            infinite => u64::from(entry.times) * infinite.bits(),
        };
        if self.entries.iter().map(bits).sum::<u64>() > EXACT_BITS {
            return false;
        }
        let kept = self.entries.iter().fold(Rational::one(), |kept, entry| {
            kept * (Rational::one() - entry.release.infinite_probability()).pow(entry.times)
        });
        Rational::one() - kept <= *delta
    }

    /// Enclosure of κ, the probability that some loss is infinite, with 128 bits of the smallest one.
    pub(super) fn infinite_probability(&self) -> Interval {
        let each = self.entries.iter().map(|entry| {
            let probability = entry.release.infinite_probability();
            (InfiniteLoss { least: probability.clone(), most: probability }, entry.parts())
        });
        any_infinite(&each.collect::<Vec<_>>(), PRECISION)
    }

    /// Lower bound on the ε at δ by the probability that all losses are the largest. It is from 0
    /// to their sum S = `sum`, rounded down to 15 digits.
    fn below_largest(&self, delta: &Rational, sum: &Rational) -> Result<Rational, Error> {
        let infinite = self.infinite_probability();
        let none = infinite.upper().cmp_rational(&Rational::zero()).is_eq();
        if delta.is_zero() && none {
            return Ok(sum.clone());
        }
        let precision = infinite.precision().max(precise([delta.clone()].into_iter()));
        let one = Interval::integer(1, precision);
        let left =
            (Interval::rational(delta, precision) - &infinite).checked_div(&(&one - &infinite));
        let mut certain = one.clone();
        for entry in &self.entries {
            let Some(odds) = entry.losses()?.part.odds_of_largest() else {
                return Ok(Rational::zero());
            };
            // 1/(1 + e^−odds)
            let rest = Interval::rational(&-odds, precision).exp();
            let each = rest.and_then(|rest| one.checked_div(&(&one + &rest)));
            certain = certain * each.ok_or(dp_exact::PrecisionError)?.powi(entry.parts());
        }
        let lower = left
            .and_then(|left| left.checked_div(&certain))
            .and_then(|share| (one - share).ln())
            .and_then(|loss| (Interval::rational(sum, precision) + loss).lower().to_rational());
        let lower = lower.filter(Rational::is_positive);
        let lower = lower.map(|lower| lower.round_to_digits(DIGITS, Rounding::Down));
        Ok(lower.unwrap_or_else(Rational::zero).min(sum.clone()))
    }
}
