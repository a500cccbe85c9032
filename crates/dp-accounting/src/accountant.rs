//! An accountant over privacy losses: the guarantee of a sequence of releases together.
//!
//! The privacy losses of independent releases add up. The accountant keeps the distribution of the
//! sum and answers both ways with bounds from above and from below: [`Accountant::epsilon`],
//! [`Accountant::delta`]. Where losses have a common lattice that is not too fine, nothing is
//! discretized; else they go on a grid, once rounded upward and once downward. Many kinds are added
//! up by their characteristic functions (`spectrum`). The largest losses bound the sum as well: the
//! answer is the smaller of both bounds.
//!
//! Data and mechanisms may be chosen after seeing earlier releases, as long as the list of parameters is
//! fixed beforehand; `docs/composition.md` has the theorem, and why an accountant is no privacy filter.

mod accounted_mechanism;
mod composed_epsilon;
mod delta;
mod epsilon_search;
mod largest_losses;
mod loss_sum;
mod precision;
mod spectrum;

use std::sync::OnceLock;

use dp_calibration::privacy_loss::{BoundSide, PRECISION, Tilting};
use dp_calibration::{Error, accepted};
use dp_exact::search::minimize;
use dp_exact::{Delta, Interval, Rational, Rounding, elementary};

pub use self::accounted_mechanism::AccountedMechanism;
use self::accounted_mechanism::{InfiniteLoss, LossPart, PartLosses};
pub use self::composed_epsilon::ComposedEpsilon;
use self::epsilon_search::{solve, too_long};
use self::loss_sum::{LossSum, SumMethod};
pub(crate) use self::precision::added;
use self::precision::{is_small, precise};
use crate::theorem::Theorem;

/// The most releases, all together.
const MAX_RELEASES: u64 = 1 << 20;

/// The most losses, all together: one for each changed coordinate.
const MAX_PARTS: u64 = 1 << 31;

/// The largest tilt λ times the standard deviation of the summed loss, where losses may be rounded to a grid.
const STEEPEST: f64 = 250.0;

/// The least tilt λ times the standard deviation of the summed loss, for characteristic functions.
const FLATTEST: f64 = 0.25;

/// The most kinds of release for which lattices are tried after characteristic functions.
const BOTH: usize = 12;

/// A sequence of releases about the same clients.
#[derive(Clone, Debug, Default)]
pub struct Accountant {
    /// The releases, in the order in which they were added.
    entries: Vec<Repeated>,
}

/// A release, and the number of such releases.
#[derive(Clone, Debug)]
struct Repeated {
    release: AccountedMechanism,
    /// The number of such releases, at least 1.
    times: u32,
    /// The losses of one release, computed when they are first needed: losses of many clients' bits
    /// take long.
    losses: OnceLock<PartLosses>,
}

impl Repeated {
    /// The number of independent losses of this entry: its number of releases times the parts of
    /// one. At most 2^31 in all entries together.
    fn parts(&self) -> u32 {
        self.times * self.release.parts()
    }

    /// The distribution of the loss of one part, and bounds on the probability that the loss is
    /// infinite.
    ///
    /// # Errors
    /// If a parameter is out of range, or a dominating pair cannot be computed.
    fn losses(&self) -> Result<&PartLosses, Error> {
        if let Some(losses) = self.losses.get() {
            return Ok(losses);
        }
        let losses = self.release.losses()?;
        Ok(self.losses.get_or_init(|| losses))
    }

    /// The largest finite loss of one part in nats, or an upper bound on it; `None` if finite
    /// losses have no bound. It is known before the losses of a dominating pair are.
    fn largest(&self) -> Result<Option<Rational>, Error> {
        match &self.release {
            AccountedMechanism::Dominated(pair) => Ok(Some(pair.largest().clone())),
            _ => Ok(self.losses()?.part.largest()),
        }
    }
}

impl Accountant {
    /// Nothing released.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `times` releases.
    ///
    /// # Errors
    /// If a parameter of the release is out of its range, or there would be more than 2^20
    /// releases.
    pub fn add(&mut self, release: AccountedMechanism, times: u32) -> Result<(), Error> {
        let entry = Repeated { release, times, losses: OnceLock::new() };
        if !matches!(entry.release, AccountedMechanism::Dominated(_)) {
            entry.losses()?;
        }
        let before = self.entries.iter().map(|entry| u64::from(entry.times));
        Self::check_times(before.sum::<u64>() + u64::from(times))?;
        let parts = self.entries.iter().map(|entry| u64::from(entry.parts()));
        let parts = parts.sum::<u64>() + u64::from(times) * u64::from(entry.release.parts());
        if parts > MAX_PARTS {
            let accepted = "at most 2^31 changed coordinates, in all releases together";
            return Err(Error::parameter("coordinates", parts, accepted));
        }
        if times > 0 {
            self.entries.push(entry);
        }
        Ok(())
    }

    /// Checks the number of releases of all entries together.
    ///
    /// # Errors
    /// If there are more than 2^20.
    pub(crate) fn check_times(all: u64) -> Result<(), Error> {
        if all > MAX_RELEASES {
            let accepted = "at most 1048576 releases, all together";
            return Err(Error::parameter("times", all, accepted));
        }
        Ok(())
    }

    /// The ε at δ of all releases together, between bounds: the smaller of the bound by the distribution
    /// of the summed losses and of the sum of the largest losses. The second also answers at a δ that
    /// equals the probability of an infinite loss, is 0, or is very small.
    ///
    /// # Errors
    /// If δ is above 0.9 or has more than 2048 bits; if it is below the probability of an infinite loss;
    /// or, where a loss has no largest value, if it is below 1e-500 or not above that probability, or
    /// the lattice would be too long.
    pub fn epsilon(&self, delta: &Delta) -> Result<ComposedEpsilon, Error> {
        self.check_losses()?;
        let largest = self.by_largest(delta)?;
        let law = accepted::delta(delta).and_then(|aim| self.by_loss_distribution(delta, aim));
        match (law, largest) {
            (Ok(law), None) => Ok(law),
            (Ok(law), Some(largest)) => Ok(law.and(largest)),
            (Err(_), Some(largest)) if is_small(delta) => Ok(largest),
            (Err(error), _) => Err(error),
        }
    }

    /// Refuses a dominating pair that cannot be computed: an answer without it would be looser.
    fn check_losses(&self) -> Result<(), Error> {
        for entry in &self.entries {
            if let AccountedMechanism::Dominated(pair) = &entry.release {
                pair.losses()?;
            }
        }
        Ok(())
    }

    /// Bounds on the ε at δ by the distribution of the summed losses; `aim` is the value of `delta`.
    ///
    /// # Errors
    /// If δ is not certainly above the probability of an infinite loss, or a lattice would be too long.
    fn by_loss_distribution(
        &self,
        delta: &Delta,
        aim: &Rational,
    ) -> Result<ComposedEpsilon, Error> {
        let refused = || {
            let accepted = "a number above the probability of an infinite loss";
            Error::parameter("delta", delta, accepted)
        };
        if self.infinite_probability().lower().cmp_rational(aim).is_ge() {
            return Err(refused());
        }
        let infinite = self.infinite(precise([aim.clone()].into_iter()))?;
        let one = Interval::integer(1, PRECISION);
        let target = (Interval::rational(aim, infinite.precision()) - &infinite)
            .checked_div(&(one - &infinite))
            .filter(Interval::is_positive)
            .ok_or_else(refused)?;
        let log_target = target.ln().map_or(f64::MIN, |log| log.midpoint());
        let tilt = self.best_tilt(|bound, tilt| (bound - log_target) / tilt)?;
        let solved = |method| -> Result<ComposedEpsilon, Error> {
            let (tilt, upward, downward) = self.sums_from_both_sides(tilt, method)?;
            let upper = solve(&upward, &tilt, &target, log_target, BoundSide::Upper)?;
            let downward = downward.unwrap_or(upward);
            let lower = solve(&downward, &tilt, &target, log_target, BoundSide::Lower)?;
            let by = Theorem::LossDistribution;
            Ok(ComposedEpsilon { upper, lower, by })
        };
        let parts = self.parts()?;
        let method = SumMethod::of(&parts);
        let bounds = solved(method);
        if !self.has_other_way(method)? || bounds.as_ref().is_ok_and(ComposedEpsilon::is_close) {
            return bounds;
        }
        // Few kinds whose characteristic functions come back near 1: lattices tell more, if anything.
        match (bounds, solved(SumMethod::Lattice)) {
            (Ok(bounds), Ok(others)) => Ok(bounds.and(others)),
            (Ok(bounds), Err(_)) | (Err(_), Ok(bounds)) => Ok(bounds),
            (Err(error), Err(_)) => Err(error),
        }
    }

    /// Whether lattices are worth trying where `method` gave no close answer.
    fn has_other_way(&self, method: SumMethod) -> Result<bool, Error> {
        let parts = self.parts()?;
        let is_wide = parts.iter().any(|(part, _)| part.is_wide());
        Ok(method != SumMethod::Lattice && parts.len() <= BOTH && !is_wide)
    }

    /// Enclosure of the probability that some loss is infinite, in at least `precision` bits and with at
    /// least 128 bits of the smallest such probability. Its upper end includes cut tails of dominating pairs.
    fn infinite(&self, precision: u32) -> Result<Interval, Error> {
        let each = self.entries.iter();
        let each = each.map(|entry| Ok((entry.losses()?.infinite.clone(), entry.parts())));
        Ok(any_infinite(&each.collect::<Result<Vec<_>, Error>>()?, precision))
    }

    /// About the tilt λ at which `function`(b(λ), λ) is least. Here b(λ) is the rounded logarithm
    /// of a bound on δ at ε = 0 by Rényi divergence of order 1 + λ. Any λ is valid: it decides how
    /// close bounds are.
    fn best_tilt(&self, function: impl Fn(f64, f64) -> f64) -> Result<f64, Error> {
        let parts = self.parts()?;
        // Up to some twenty over the standard deviation of the sum.
        let wide = parts.iter().any(|(part, _)| part.is_wide());
        let range = (-14.0, if wide { 40.0 } else { 16.0 });
        let moment =
            |(part, times): &(&LossPart, u32), tilt| f64::from(*times) * part.log_moment(tilt);
        Ok(minimize(range, 80, |tilt| {
            let moments: f64 = parts.iter().map(|part| moment(part, tilt)).sum();
            let bound = moments - tilt * elementary::ln_1p(tilt.recip()) - elementary::ln_1p(tilt);
            function(bound, tilt)
        }))
    }

    /// The tilt that is used, near `tilt`; the distribution of the summed losses with every loss
    /// rounded up, which bounds δ from above; and with every loss rounded down, which bounds δ from
    /// below: `None` where no loss was rounded.
    fn sums_from_both_sides(
        &self,
        tilt: f64,
        method: SumMethod,
    ) -> Result<(Rational, LossSum, Option<LossSum>), Error> {
        let parts = self.parts()?;
        let square = |(part, times): &(&LossPart, u32)| {
            f64::from(*times) * elementary::powi(part.deviation(), 2)
        };
        let variance: f64 = parts.iter().map(square).sum();
        let is_rounded =
            parts.len() > 1 || matches!(parts.first(), Some((LossPart::Outcomes { .. }, _)));
        let tilt = if is_rounded { tilt.min(STEEPEST / variance.sqrt()) } else { tilt };
        let tilt = match method {
            SumMethod::Lattice => tilt,
            SumMethod::Spectrum | SumMethod::Quick => tilt.max(FLATTEST / variance.sqrt()),
        };
        let tilt = Rational::from_f64(tilt)?.round_to_digits(6, Rounding::Nearest);
        let compose = |side| {
            let tilting = Tilting { tilt: tilt.clone(), side };
            LossSum::new(&parts, &tilting, method).ok_or_else(too_long)
        };
        let upward = compose(BoundSide::Upper)?;
        let downward = if upward.is_exact() { None } else { Some(compose(BoundSide::Lower)?) };
        Ok((tilt, upward, downward))
    }

    /// The distinct parts, and how many losses of each there are in all entries together.
    fn parts(&self) -> Result<Vec<(&LossPart, u32)>, Error> {
        let mut parts: Vec<(&LossPart, u32)> = Vec::new();
        for entry in &self.entries {
            let one = &entry.losses()?.part;
            match parts.iter_mut().find(|(part, _)| *part == one) {
                Some((_, times)) => *times += entry.parts(),
                None => parts.push((one, entry.parts())),
            }
        }
        Ok(parts)
    }
}

/// Enclosure of 1 − Π(1 − p)^n over the `losses`: p is the probability that one is infinite, n
/// their number. It has at least `precision` bits, and at least 128 bits of the smallest p.
fn any_infinite(losses: &[(InfiniteLoss, u32)], precision: u32) -> Interval {
    let most = losses.iter().map(|(infinite, _)| infinite.most.clone());
    let precision = precise(most).max(precision);
    let one = Interval::integer(1, precision);
    let finite = losses.iter().fold(one.clone(), |finite, (infinite, times)| {
        let kept = |lost: &Rational| Interval::rational(&(Rational::one() - lost), precision);
        finite * kept(&infinite.least).hull(&kept(&infinite.most)).powi(*times)
    });
    one - finite
}

#[cfg(test)]
mod tests;
