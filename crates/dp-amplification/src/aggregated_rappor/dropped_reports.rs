//! The guarantee when reports of too many ones are dropped, and every aggregator sees which.
//!
//! Let D be the number of coordinates that the protected client may change, m the largest accepted weight, and V the
//! weight of a client's randomized report outside these coordinates. Where V ≤ m − D the report is accepted whatever
//! its D bits are, and hides the client as ever. Each of the n − 1 others has V > m − D with probability at most π and
//! is then revealed; all but r of them are not, except with a probability that is added to δ, and the guarantee of
//! n − r clients remains. The client's own verdict: `own_report` for one-hot inputs; with several ones the whole
//! probability of m − D < V ≤ m is added to δ (`docs/aggregated-rappor.md`, section 6).

use dp_calibration::{Adjacency, Error};
use dp_exact::binomial::BinomialBounds;
use dp_exact::directed::{Bounds, add_up, count, div_up, sub_down};
use dp_exact::search::{bisect, integer_midpoint};
use dp_exact::{Delta, Interval, Rational, Rounding, elementary};

use super::own_report::OwnReport;
use super::{AggregatedRappor, MAX_LENGTH, MultiHot};
use crate::accepted_ranges::{DIGITS, changed_counts, depth_for, float_below, rounded_up};
use crate::count_distribution::CountDistribution;
use crate::epsilon_search::{certified_epsilon, refuted_epsilon};
use crate::hockey_stick::OwnBit;
use crate::pair_product::{NODES, PairProduct};

/// The share of δ for the event that more reports are heavy than are counted as revealed.
const SHARE: f64 = 1e-4;

/// Bits of precision of the enclosure of a logarithm.
const PRECISION: u32 = 128;

/// A bound on the weight of an accepted report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightLimit {
    /// The length d of the reports.
    pub length: u64,
    /// The largest weight m that is accepted.
    pub max_weight: u64,
}

impl WeightLimit {
    /// d − D, the number of coordinates that do not change. Refuses a length below D or above 2^20.
    pub(super) fn outside(self, adjacency: Adjacency) -> Result<u64, Error> {
        let changed = changed_counts(adjacency);
        if (changed..=MAX_LENGTH).contains(&self.length) {
            return Ok(self.length - changed);
        }
        let accepted = "an integer from the number of changed coordinates to 2^20";
        Err(Error::parameter("length", self.length, accepted))
    }
}

/// A guarantee in which the effect of dropped reports is included.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DroppingBounds {
    /// (`upper`, δ) holds for every dataset of the other clients.
    pub upper: Rational,
    /// How many of the other clients the guarantee does not count on, because their reports are
    /// so heavy that they may be dropped.
    pub revealed: u64,
    /// Upper bound on the probability that more than `revealed` reports of others are heavy;
    /// `upper` includes it.
    pub delta_of_others: Rational,
    /// Upper bound on the probability that the verdict on the client's own report depends on its
    /// value; `upper` includes its cost.
    pub critical: Rational,
}

/// The clients that hide each other although reports are dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemainingClients {
    /// Number of remaining clients, the protected one included.
    pub clients: u64,
    /// Upper bound on the probability that fewer than `clients` clients remain.
    pub delta_of_others: Rational,
    /// Upper bound on the part of δ for the protected client's own drop: the probability that the verdict
    /// depends on its value, times q − p.
    pub critical: Rational,
}

impl AggregatedRappor {
    /// The ε at δ for every dataset, where reports of more than `limit.max_weight` ones are
    /// dropped and the adversary sees which. The inputs are one-hot vectors (or, for the deleted
    /// client, zero).
    ///
    /// # Errors
    /// If δ is not between 1e-60 and 0.9, or the length is less than the number of changed
    /// coordinates or above 2^20.
    pub fn epsilon_with_drops(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        limit: WeightLimit,
    ) -> Result<DroppingBounds, Error> {
        let (target, local) = (float_below(delta)?, self.local_epsilon(adjacency));
        let depth = depth_for(target);
        let own = OwnReport::new(self, adjacency, limit, target)?;
        let (revealed, excess) =
            self.revealed_clients(self.heavy_probability(adjacency, limit, target)?, target)?;
        let left = self.without(revealed)?;
        let free = left.curve(depth)?;
        let known = own.needs_known().then(|| left.bits(depth, OwnBit::Known, 1.0).curve());
        let known = |kappa: f64| match &known {
            Some(Some((curve, infinite))) => {
                add_up(excess, add_up(curve.two_counts(kappa), 2.0 * infinite))
            }
            _ => 1.0,
        };
        let upper = certified_epsilon(target, &local, |alpha| {
            own.delta(alpha, add_up(excess, free.at(adjacency, alpha)), known)
        })?;
        DroppingBounds::new(upper, revealed, excess, own.critical)
    }

    /// The clients that remain where reports of too many ones are dropped, for guarantees that rest on more
    /// than the clients' own randomness. A guarantee of [`RemainingClients::clients`] clients
    /// without dropping, at δ less [`RemainingClients::delta_of_others`] and [`RemainingClients::critical`], holds with
    /// dropping at δ.
    ///
    /// # Errors
    /// As [`Self::epsilon_with_drops`].
    pub fn remaining_clients(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        limit: WeightLimit,
    ) -> Result<RemainingClients, Error> {
        let target = float_below(delta)?;
        let own = OwnReport::new(self, adjacency, limit, target)?;
        let (revealed, excess) =
            self.revealed_clients(self.heavy_probability(adjacency, limit, target)?, target)?;
        Ok(RemainingClients {
            clients: self.clients() - revealed,
            delta_of_others: rounded_up(excess)?,
            critical: rounded_up(own.largest_addition())?,
        })
    }

    /// The ε at δ for every dataset of the others where inputs have several ones, reports of more
    /// than `max_weight` ones are dropped, and everyone sees which. A `max_weight` of `length`
    /// drops no report.
    ///
    /// Two inputs differ in at most D = min(d, 2w) coordinates, an input and zero in min(d, w). Their counts
    /// are independent under both inputs, and one pair dominates each count for every dataset: the product
    /// of D such pairs gives the guarantee.
    ///
    /// # Errors
    /// If δ is not between 1e-60 and 0.9, the length not from 1 to 2^20, or no coordinate may change.
    pub fn epsilon_multi_hot_with_drops(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        input: MultiHot,
        max_weight: u64,
    ) -> Result<DroppingBounds, Error> {
        let changed = input.accepted(adjacency)?;
        let (target, local) = (float_below(delta)?, self.local_epsilon_of_counts(changed));
        let outside = input.length - changed;
        let beyond = max_weight.saturating_add(1);
        let heavy = beyond.saturating_sub(changed);
        let critical = match heavy > outside {
            true => 0.0,
            false => self.weight_distribution(outside, 0, target)?.within(heavy, beyond),
        };
        let ones = input.ones.min(outside);
        let each = self.weight_tail(outside - ones, ones, heavy, target)?;
        let (revealed, excess) = self.revealed_clients(each, target)?;
        let curve = self.without(revealed)?.curve(depth_for(target))?;
        let upper = match PairProduct::new((curve, 0.0), changed, target, NODES) {
            Some(pmf) => certified_epsilon(target, &local, |alpha| {
                add_up(critical, add_up(excess, pmf.delta(alpha)))
            })?,
            None => local,
        };
        DroppingBounds::new(upper, revealed, excess, critical)
    }

    /// A lower bound on the ε at δ where reports of more than `limit.max_weight` ones are dropped and
    /// the number of dropped reports is seen, if all others hold the value that is removed. 0 where nothing
    /// is refuted.
    ///
    /// Let κ be a lower bound on the probability that no verdict depends on the changed value. If
    /// (ε, δ/κ) fails without dropping, then (ε − ln(1/κ), δ) fails with dropping.
    ///
    /// # Errors
    /// As [`Self::epsilon_with_drops`].
    pub fn attained_epsilon_with_drops(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        limit: WeightLimit,
    ) -> Result<Rational, Error> {
        let outside = limit.outside(adjacency)?;
        let heavy = heavy_weight(adjacency, limit);
        let dropped = self.weight_tail(outside, 0, heavy, float_below(delta)?)?;
        let Some((larger, lost)) = raised_by_drops(delta, self.clients(), dropped) else {
            return Ok(Rational::zero());
        };
        let raised = float_below(&larger)?;
        let local = self.local_epsilon(adjacency);
        let attained = self.attained(depth_for(raised), adjacency)?;
        let lower = refuted_epsilon(raised, &local, |alpha| attained.delta(alpha)) - lost;
        let lower = lower.round_to_digits(DIGITS, Rounding::Down);
        Ok(lower.max(Rational::zero()))
    }

    /// A number r < n of other clients to count as revealed if each report is heavy with
    /// probability at most `each`. Also returns an upper bound on P(Bin(n − 1, `each`) > r), at
    /// most `target`/10^4; add it to δ.
    pub(crate) fn revealed_clients(&self, each: f64, target: f64) -> Result<(u64, f64), Error> {
        let others = self.clients() - 1;
        if each <= 0.0 || others == 0 {
            return Ok((0, 0.0));
        }
        let rest = sub_down(1.0, each);
        if rest <= 1e-12 {
            return Ok((others, 0.0));
        }
        let odds = div_up(each, rest);
        let odds = Bounds { lower: odds, upper: odds };
        let depth = 10.0 - elementary::ln(target * SHARE);
        let pmf = BinomialBounds::new(others, odds, depth).ok_or_else(|| self.unresolved())?;
        let tails = pmf.upper_tails();
        let above = |r: u64| tails(r + 1);
        if above(pmf.first) <= target * SHARE {
            return Ok((pmf.first, above(pmf.first)));
        }
        let most = pmf.last() + 1;
        let (_, r) =
            bisect(pmf.first, most.min(others), integer_midpoint, |&r| above(r) <= target * SHARE);
        Ok((r, above(r)))
    }

    /// The distribution of the number of ones that one randomized report has among `zeros` zeros
    /// and `ones` ones. Tails are followed so far that n of them are negligible beside a δ of
    /// `target`.
    pub(super) fn weight_distribution(
        &self,
        zeros: u64,
        ones: u64,
        target: f64,
    ) -> Result<CountDistribution, Error> {
        let depth = depth_for(target) + elementary::ln(count(self.clients()));
        CountDistribution::new(&self.flip, zeros, ones, depth).ok_or_else(|| self.unresolved())
    }

    /// Upper bound on the probability that `zeros` zeros and `ones` ones of one randomized report
    /// have at least `weight` ones. Where it is below e^−14·`target`/n it may be loose.
    pub(crate) fn weight_tail(
        &self,
        zeros: u64,
        ones: u64,
        weight: u64,
        target: f64,
    ) -> Result<f64, Error> {
        if weight > zeros + ones {
            return Ok(0.0);
        }
        Ok(self.weight_distribution(zeros, ones, target)?.at_least(weight))
    }

    /// Upper bound, for one-hot inputs, on the probability that another client's report may be
    /// dropped for its ones outside the changed coordinates.
    fn heavy_probability(
        &self,
        adjacency: Adjacency,
        limit: WeightLimit,
        target: f64,
    ) -> Result<f64, Error> {
        let outside = limit.outside(adjacency)?;
        let ones = outside.min(1);
        self.weight_tail(outside - ones, ones, heavy_weight(adjacency, limit), target)
    }
}

/// The least number m − D + 1 of ones outside the D changed coordinates at which a report may be
/// dropped, or 0. The most ones of a kept report are m.
fn heavy_weight(adjacency: Adjacency, limit: WeightLimit) -> u64 {
    let beyond = limit.max_weight.saturating_add(1);
    beyond.saturating_sub(changed_counts(adjacency))
}

/// δ/κ and ln(1/κ), both rounded up, κ = (1 − `dropped`)^`reports` the probability that no report
/// is dropped; `None` if δ/κ exceeds 9/10.
fn raised_by_drops(delta: &Delta, reports: u64, dropped: f64) -> Option<(Delta, Rational)> {
    let kept = Rational::one() - Rational::from_f64(dropped).ok()?;
    let kept = Interval::rational(&kept, PRECISION);
    let kept = Some(kept).filter(Interval::is_positive)?.ln()?;
    let lost = -(Interval::integer(reports, PRECISION) * kept);
    let larger = Interval::rational(delta.value(), PRECISION) * lost.exp()?;
    let up = |end: &Interval| -> Option<Rational> {
        Some(end.upper().to_rational()?.round_to_digits(DIGITS, Rounding::Up))
    };
    let (larger, lost) = (up(&larger)?, up(&lost)?);
    let within = &larger * &Rational::integer(10) < 9;
    Some((Delta::new(larger).ok().filter(|_| within)?, lost))
}

impl DroppingBounds {
    /// The bounds with `excess` rounded up to a fraction, the value of `delta_of_others`, and with
    /// `critical` rounded up.
    fn new(upper: Rational, revealed: u64, excess: f64, critical: f64) -> Result<Self, Error> {
        Ok(Self {
            upper,
            revealed,
            delta_of_others: rounded_up(excess)?,
            critical: rounded_up(critical)?,
        })
    }

    /// Why `upper` holds, and the lower bound of [`AggregatedRappor::attained_epsilon_with_drops`].
    #[must_use]
    pub const fn certificate(&self) -> &'static str {
        "As without dropping, and in addition: clients whose reports may be so heavy that they are dropped \
         are not counted on, the probability that there are more of them is charged to delta, and so is the \
         weight of the client's own report. The lower bound is that of a sum without dropping, less the \
         logarithm of the probability that nothing is dropped; 0 where drops are to be expected."
    }
}
