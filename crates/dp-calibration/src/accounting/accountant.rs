//! An accountant over privacy losses: the guarantee of a sequence of releases together.
//!
//! The privacy losses of independent releases add up. The accountant keeps the distribution of the
//! sum and answers both ways with bounds from above and from below: [`Accountant::epsilon`],
//! [`Accountant::delta`]. Where losses have a common lattice that is not too fine, nothing is
//! discretized; else they go on a grid, once rounded upward and once downward. The largest losses
//! bound the sum as well: the answer is the smaller of both bounds.
//!
//! Data and mechanisms may be chosen after seeing earlier releases if the list of parameters is
//! fixed beforehand (`docs/composition.md`): an accountant is no privacy filter.

mod accounted_mechanism;
mod composed_epsilon;
mod epsilon_search;

use crate::discrete_gaussian::at_most_one;
use crate::privacy_loss::{BoundSide, PRECISION, TiltedLoss, Tilting, together};
use crate::{Error, Result, accepted};
use dp_exact::search::minimize;
use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding, elementary};

pub use self::accounted_mechanism::AccountedMechanism;
use self::accounted_mechanism::LossPart;
pub use self::composed_epsilon::ComposedEpsilon;
use self::composed_epsilon::{LARGEST_LOSSES, LOSS_DISTRIBUTION};
use self::epsilon_search::{solve, too_long};

/// The most releases, all together.
const MAX_RELEASES: u64 = 1 << 20;

/// The most losses, all together: one for each changed coordinate.
const MAX_PARTS: u64 = 1 << 31;

/// The largest tilt λ times the standard deviation of the summed loss, where losses are rounded.
const STEEPEST: f64 = 250.0;

/// The most fractions whose sum is exact. The common denominator grows with each.
const MANY: usize = 32;

/// The most bits of the powers from which the probability of an infinite loss is computed exactly.
const EXACT_BITS: u64 = 1 << 14;

/// Significant digits of a rounded sum.
const SUM_DIGITS: usize = 40;

/// A sequence of releases about the same clients.
#[derive(Clone, Debug, Default)]
pub struct Accountant {
    /// The releases, in the order in which they were added.
    entries: Vec<EqualLosses>,
}

/// The losses of equal releases.
#[derive(Clone, Debug)]
struct EqualLosses {
    /// The loss of one independent part, given that it is finite; `None` if it is 0.
    part: Option<LossPart>,
    /// The probability of an infinite loss of one part, without a dominating pair's cut tail.
    infinite: Rational,
    /// The number of releases, at least 1.
    times: u32,
    /// The number of independent parts in all these releases: at most 2^31 in all entries together.
    parts: u32,
}

impl Accountant {
    /// Why [`Self::delta`] encloses δ, in words.
    pub const CERTIFICATE: &'static str = LOSS_DISTRIBUTION;

    /// Nothing released.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `times` releases.
    ///
    /// # Errors
    /// If a parameter is out of its range, a dominating pair failed, or there are more than 2^20
    /// releases.
    pub fn add(&mut self, release: AccountedMechanism, times: u32) -> Result<()> {
        let (part, infinite, each) = release.losses()?;
        let before = self.entries.iter().map(|entry| u64::from(entry.times));
        Self::check_times(before.sum::<u64>() + u64::from(times))?;
        let parts = self.entries.iter().map(|entry| u64::from(entry.parts));
        let parts = parts.sum::<u64>() + u64::from(times) * u64::from(each);
        let accepted = "at most 2^31 changed coordinates, in all releases together";
        Error::check(parts <= MAX_PARTS, "coordinates", parts, accepted)?;
        if times > 0 {
            self.entries.push(EqualLosses { part, infinite, times, parts: times * each });
        }
        Ok(())
    }

    /// `Err` if `all`, the number of releases of all entries together, is above 2^20.
    pub(crate) fn check_times(all: u64) -> Result<()> {
        Error::check(all <= MAX_RELEASES, "times", all, "at most 1048576 releases, all together")
    }

    /// The ε at δ of all releases together, between bounds: the smaller of the bound by the
    /// distribution of the summed losses and of the sum of the largest losses. The second also
    /// answers at a δ that equals the probability of an infinite loss, is 0, or is very small.
    ///
    /// # Errors
    /// If δ is above 0.9 or has more than 2048 bits; if it is below the probability of an infinite
    /// loss; or, where a loss has no largest value, if it is below 1e-500 or not above that
    /// probability, or the lattice would be too long.
    pub fn epsilon(&self, delta: &Delta) -> Result<ComposedEpsilon> {
        let largest = self.by_largest(delta.value());
        let law = accepted::delta(delta).and_then(|aim| self.by_loss_distribution(delta, aim));
        // It may be 0.
        let is_small = delta.value().bits() <= 2048 && delta.value() * &Rational::integer(10) <= 9;
        match (law, largest) {
            (Ok(law), None) => Ok(law),
            (Ok(law), Some(largest)) => Ok(law.and(largest)),
            (Err(_), Some(largest)) if is_small => Ok(largest),
            (Err(error), _) => Err(error),
        }
    }

    /// Bounds on the ε at δ = `delta` by the largest losses alone. The upper one is their sum S, as
    /// (S, δ) holds for every δ of at least the probability κ of an infinite loss. The lower one is
    /// S where δ = κ exactly and there are no dominating pairs, else 0. `None` if a loss has no
    /// largest value, as of Gaussian noise, or δ is not certainly at least κ. Where δ is far below
    /// the probability of S, a bound by the distribution of the sum is no better than S, and at δ =
    /// κ there is none.
    fn by_largest(&self, delta: &Rational) -> Option<ComposedEpsilon> {
        let (upper, sum) = (self.largest(Rounding::Up)?, self.largest(Rounding::Down)?);
        let exact = self.exact_infinite();
        let may_exceed = match &exact {
            Some(infinite) => infinite > delta,
            None => self.infinite(PRECISION, false).upper().cmp_rational(delta).is_gt(),
        };
        if may_exceed {
            return None;
        }
        // At δ = κ no smaller ε holds: the finite losses come to S with a positive probability. The
        // largest loss of a dominating pair is an upper bound.
        let is_dominated =
            |entry: &EqualLosses| matches!(entry.part, Some(LossPart::Outcomes { .. }));
        let is_attained = exact.as_ref() == Some(delta) && !self.entries.iter().any(is_dominated);
        let lower = if is_attained { sum } else { Rational::zero() };
        Some(ComposedEpsilon { upper, lower, proof: LARGEST_LOSSES })
    }

    /// The sum of the largest finite losses of all releases, in nats: exact for at most 32 entries,
    /// else to forty digits, rounded as `rounding` says. `None` if a loss has no largest value, as
    /// of Gaussian noise.
    fn largest(&self, rounding: Rounding) -> Option<Rational> {
        let times = |entry: &EqualLosses| Rational::from(u64::from(entry.parts));
        let each = self.entries.iter().map(|entry| match &entry.part {
            Some(part) => Some(part.largest()? * times(entry)),
            None => Some(Rational::zero()),
        });
        Some(added(&each.collect::<Option<Vec<_>>>()?, rounding))
    }

    /// The exact probability that some loss is infinite, where the cut tails of dominating pairs
    /// count as finite. `None` if its powers have more than 2^14 bits.
    fn exact_infinite(&self) -> Option<Rational> {
        let may_be = || self.entries.iter().filter(|entry| !entry.infinite.is_zero());
        let bits = may_be().map(|entry| entry.infinite.bits() * u64::from(entry.parts));
        let finite = |one: Rational, entry: &EqualLosses| {
            one * (Rational::one() - &entry.infinite).pow(entry.parts)
        };
        (bits.sum::<u64>() <= EXACT_BITS)
            .then(|| Rational::one() - may_be().fold(Rational::one(), finite))
    }

    /// Enclosure of the probability that some loss is infinite, 1 − Π(1 − p)^n over n losses that
    /// are infinite with probability p each. If `with_tails`, its upper end counts the cut tails of
    /// dominating pairs as infinite as well. It has `precision` bits after the point, or the more
    /// that the smallest p > 0 needs.
    fn infinite(&self, precision: u32, with_tails: bool) -> Interval {
        let most = |entry: &EqualLosses| match &entry.part {
            Some(LossPart::Outcomes { known, .. }) if with_tails => known.infinite.clone(),
            _ => entry.infinite.clone(),
        };
        let precision = precise(self.entries.iter().map(most)).max(precision);
        let one = Interval::integer(1, precision);
        let mut finite = one.clone();
        for entry in &self.entries {
            // The losses of an entry are finite with probability (1 − p)^n.
            let kept = |lost: &Rational| Interval::rational(&(Rational::one() - lost), precision);
            let each = kept(&entry.infinite).hull(&kept(&most(entry)));
            finite = finite * each.powi(entry.parts);
        }
        one - finite
    }

    /// Bounds on the ε at δ = `aim`, the value of `delta`, by the distribution of summed losses.
    /// `Err` if δ is not certainly above the probability of an infinite loss, or the lattice would
    /// be too long.
    fn by_loss_distribution(&self, delta: &Delta, aim: &Rational) -> Result<ComposedEpsilon> {
        let refused = || {
            let accepted = match self.largest(Rounding::Up) {
                Some(_) => "a number of at least the probability of an infinite loss",
                None => "a number above the probability of an infinite loss",
            };
            Error::parameter("delta", delta, accepted)
        };
        let infinite = self.infinite(precise([aim.clone()].into_iter()), true);
        let one = Interval::integer(1, PRECISION);
        let target = (Interval::rational(aim, infinite.precision()) - &infinite)
            .checked_div(&(one - &infinite))
            .filter(Interval::is_positive)
            .ok_or_else(refused)?;
        let log_target = target.ln().expect("a positive number has a logarithm").midpoint();
        let tilt = self.best_tilt(|bound, tilt| (bound - log_target) / tilt);
        let (tilt, upward, downward) = self.sums_from_both_sides(tilt)?;
        let upper = solve(&upward, &tilt, &target, log_target, BoundSide::Upper)?;
        let downward = downward.unwrap_or(upward);
        let lower = solve(&downward, &tilt, &target, log_target, BoundSide::Lower)?;
        Ok(ComposedEpsilon { upper, lower, proof: LOSS_DISTRIBUTION })
    }

    /// About the tilt λ > 0 at which `function`(b(λ), λ) is least. b(λ) is about ln of the bound on
    /// δ at ε = 0 by the Rényi divergence of order 1 + λ of all finite losses. Any λ is valid.
    fn best_tilt(&self, function: impl Fn(f64, f64) -> f64) -> f64 {
        let parts = self.parts();
        // Up to some twenty over the standard deviation of the sum.
        let moment =
            |(part, times): &(&LossPart, u32), tilt| f64::from(*times) * part.log_moment(tilt);
        minimize((-14.0, 16.0), 80, |tilt| {
            let moments: f64 = parts.iter().map(|part| moment(part, tilt)).sum();
            let bound = moments - tilt * elementary::ln_1p(tilt.recip()) - elementary::ln_1p(tilt);
            function(bound, tilt)
        })
    }

    /// The tilt that is used, near `tilt`, and the distribution of the summed loss twice: with
    /// every loss rounded up, which bounds δ from above, and rounded down, which bounds it from
    /// below. The second is `None` where no loss was rounded: the first then gives both bounds.
    /// `Err` if one takes too many points.
    fn sums_from_both_sides(
        &self,
        tilt: f64,
    ) -> Result<(Rational, TiltedLoss, Option<TiltedLoss>)> {
        let parts = self.parts();
        let square = |(part, times): &(&LossPart, u32)| {
            f64::from(*times) * elementary::powi(part.deviation(), 2)
        };
        let variance: f64 = parts.iter().map(square).sum();
        let is_rounded =
            parts.len() > 1 || matches!(parts.first(), Some((LossPart::Outcomes { .. }, _)));
        let tilt = if is_rounded { tilt.min(STEEPEST / variance.sqrt()) } else { tilt };
        let tilt = Rational::from_f64(tilt)?.round_to_digits(6, Rounding::Nearest);
        let compose = |side| {
            let tilting = Tilting { tilt: tilt.clone(), side };
            let laws =
                parts.iter().map(|(part, times)| part.summed(*times, parts.len() == 1, &tilting));
            let laws = laws.collect::<Option<Vec<TiltedLoss>>>();
            laws.and_then(|laws| together(laws, &tilting)).ok_or_else(too_long)
        };
        let upward = compose(BoundSide::Upper)?;
        let downward = if upward.exact { None } else { Some(compose(BoundSide::Lower)?) };
        Ok((tilt, upward, downward))
    }

    /// The distinct parts, and how many losses of each there are in all entries together. Losses
    /// that are always 0 are left out.
    fn parts(&self) -> Vec<(&LossPart, u32)> {
        let mut parts: Vec<(&LossPart, u32)> = Vec::new();
        for entry in &self.entries {
            let Some(part) = &entry.part else { continue };
            match parts.iter_mut().find(|(known, _)| *known == part) {
                Some((_, times)) => *times += entry.parts,
                None => parts.push((part, entry.parts)),
            }
        }
        parts
    }

    /// The δ at ε of all releases together, enclosed; with aggregated RAPPOR an upper bound for
    /// every dataset, and a lower one if all other clients hold the value that is removed.
    ///
    /// # Errors
    /// If ε is outside 1e-9 to 10 000, or the lattice would be too long.
    pub fn delta(&self, epsilon: &Epsilon) -> Result<Interval> {
        self.delta_at(accepted::answered_epsilon(epsilon)?)
    }

    /// The total variation distance of all releases together for neighbouring batches, which is δ
    /// at ε = 0, enclosed as by [`Self::delta`].
    ///
    /// # Errors
    /// If the lattice would be too long.
    pub fn total_variation(&self) -> Result<Interval> {
        self.delta_at(&Rational::zero())
    }

    /// Enclosure of the δ at ε ≥ 0 of all releases together, infinite losses counted. Where ε is at
    /// least the sum of the largest losses, δ is the probability of an infinite loss. `Err` if the
    /// lattice would be too long.
    fn delta_at(&self, epsilon: &Rational) -> Result<Interval> {
        if self.largest(Rounding::Up).is_some_and(|largest| largest <= *epsilon) {
            return Ok(self.infinite(PRECISION, false));
        }
        let rate = epsilon.to_f64();
        let tilt = self.best_tilt(|bound, tilt| bound - tilt * rate);
        let (tilt, upward, downward) = self.sums_from_both_sides(tilt)?;
        let upper = upward.delta(epsilon, &tilt).ok_or_else(too_long)?;
        let lower = match &downward {
            Some(downward) => downward.delta(epsilon, &tilt).ok_or_else(too_long)?,
            None => upper.clone(),
        };
        let finite = Interval::hull_of(lower.lower().clone(), upper.upper().clone(), PRECISION);
        let infinite = self.infinite(PRECISION, true);
        let one = Interval::integer(1, PRECISION);
        Ok(at_most_one(&(&infinite + (one - &infinite) * finite)))
    }
}

// DIFFERENCE from draft-wang §B.5: Theorem 3.3, which is optimal, in the place of Theorem 3.4.

/// Bounds on the ε at δ of `times` of each release together.
///
/// # Errors
/// If a parameter is out of its range, or as [`Accountant::epsilon`].
pub fn compose(releases: &[(AccountedMechanism, u32)], delta: &Delta) -> Result<ComposedEpsilon> {
    let mut all = Accountant::new();
    for (release, times) in releases {
        all.add(release.clone(), *times)?;
    }
    all.epsilon(delta)
}

/// Upper bound on the ε at δ = `target` of `times` adaptively chosen releases, each of them
/// (`epsilon`, `delta`)-differentially private. Rounded up to 15 digits.
///
/// Theorem 3.3 of Kairouz, Oh, Viswanath 2015: no such release is worse than randomized response
/// with these parameters, and the bound is attained by `times` of those.
///
/// ```
/// use dp_calibration::accounting::optimal_of_pairs;
///
/// let (epsilon, none, delta) = ("0.1".parse()?, "0".parse()?, "1e-9".parse()?);
/// let composed = optimal_of_pairs(&epsilon, &none, 60, &delta)?;
/// assert!((composed.to_f64() - 4.387599523844493).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there are more than 2^20 releases, a parameter is out of the accountant's range, or `target`
/// is below 1 − (1 − `delta`)^`times`, which no ε meets.
pub fn optimal_of_pairs(
    epsilon: &Epsilon,
    delta: &Delta,
    times: u32,
    target: &Delta,
) -> Result<Rational> {
    let (epsilon, delta) = (epsilon.clone(), delta.clone());
    let release = AccountedMechanism::RandomizedResponse { epsilon, delta };
    Ok(compose(&[(release, times)], target)?.upper)
}

/// The number of bits after the point with which the smallest positive one of `numbers`, all at
/// most 1, has about 128 significant bits; 128 if none is positive.
fn precise(numbers: impl Iterator<Item = Rational>) -> u32 {
    let mut zeros = 0;
    for number in numbers.filter(Rational::is_positive) {
        let [below, above] = [number.denominator().bits(), number.numerator().magnitude().bits()];
        let bits = u32::try_from(below.saturating_sub(above));
        zeros = zeros.max(bits.expect("a number has fewer than 2^32 bits"));
    }
    PRECISION + zeros
}

/// The sum of `numbers`: exact for at most 32, else rounded to 40 digits by `rounding` at each
/// addition.
pub(crate) fn added(numbers: &[Rational], rounding: Rounding) -> Rational {
    numbers.iter().fold(Rational::zero(), |sum, number| {
        let sum = sum + number;
        if numbers.len() > MANY { sum.round_to_digits(SUM_DIGITS, rounding) } else { sum }
    })
}

#[cfg(test)]
mod tests;
