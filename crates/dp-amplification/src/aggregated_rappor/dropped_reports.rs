//! The clients that hide each other where reports of too many ones are visibly dropped.
//!
//! Let D be the number of coordinates that the protected client may change, m the largest accepted
//! weight, and V the weight of a report outside these coordinates. Reports with V > m − D count as
//! revealed, and bounds are averaged over their number. The client's own verdict depends on its
//! value where m − D < V ≤ m alone, and that probability is added to δ in one release, or for
//! one-hot inputs less (`own_report`; `docs/aggregated-rappor.md`, section 6).

use std::cell::LazyCell;

use dp_calibration::{Adjacency, Error, Result};
use dp_exact::directed::{
    Bounds, add_up, count, div_up, mul_down, mul_up, sub_down, sub_up, to_index,
};
use dp_exact::search::{bisect, integer_midpoint};
use dp_exact::{Delta, Rational, elementary};

use super::own_report::OwnReport;
use super::{AggregatedRappor, MultiHot};
use crate::accepted_ranges::{depth_for, float_below, rounded_up, unresolved};
use crate::bit_odds::BitOdds;
use crate::count_distribution::CountDistribution;
use crate::dominating_curve::product;
use crate::epsilon_search::certified_epsilon;

/// The share of δ for the event that more reports are heavy than are counted as revealed.
const SHARE: f64 = 1e-4;

/// The most numbers of revealed clients that are told apart.
const GROUPS: u64 = 16;

/// Numbers of revealed clients are told apart where the fewest clients that remain are at most this
/// share of the most.
const CLOSE: f64 = 0.97;

/// The clients that hide each other although reports are dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemainingClients {
    /// Number of remaining clients, the protected one included.
    pub clients: u64,
    /// Upper bound on the probability that fewer than `clients` clients remain.
    pub delta_of_others: Rational,
    /// Upper bound on the probability that the client's own verdict may depend on its value.
    pub critical: Rational,
}

/// A guarantee in which the effect of dropped reports is included.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DroppingBounds {
    /// (`upper`, δ) holds for every dataset of the other clients.
    pub upper: Rational,
    /// Number of other clients that are not counted on, as their reports may be dropped.
    pub revealed: u64,
    /// Upper bound on the probability, paid in `upper`, that the own verdict tells the value.
    pub critical: Rational,
}

impl AggregatedRappor {
    /// Upper bound on the ε at δ of bits and noise together in one release, for every dataset,
    /// where reports of `length` bits with more than `max_weight` ones are visibly dropped. Inputs
    /// are one-hot vectors (zero if deleted). `None` where bits and noise together take too long.
    ///
    /// # Errors
    /// If δ is not between 1e-60 and 0.9, or the length not from 1 to 2^20.
    pub fn epsilon_with_drops(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        length: u64,
        max_weight: u64,
    ) -> Result<Option<DroppingBounds>> {
        let local = self.local_epsilon(adjacency);
        let input = MultiHot { length, ones: 1 };
        let (changed, target) = (input.accepted(adjacency)?, float_below(delta)?);
        let outside = length - changed;
        let beyond = max_weight.saturating_add(1);
        let weight = beyond.checked_sub(changed).filter(|&weight| weight <= outside);
        let critical = weight.map_or(Ok(0.0), |weight| {
            let pmf = self.weight_distribution(outside, 0, target)?;
            Ok::<_, Error>(pmf.within(weight, weight + 1))
        })?;
        let own = OwnReport { adjacency, e: self.flip.e, critical };
        let mut groups = Vec::new();
        let heavy = beyond.saturating_sub(changed);
        let mut numbers = self.revealed_clients(input, changed, heavy, target)?;
        if changed == 2 && (1..=outside).contains(&heavy) && self.clients > 1 {
            let fewer = self.unhidden_clients(outside, heavy, target)?;
            // Either bounds δ; the one with fewer revealed clients at δ is about the closer one.
            let at_delta = |numbers: &[(u64, f64)]| {
                numbers.iter().find(|(_, more)| *more <= target).map(|&(revealed, _)| revealed)
            };
            if at_delta(&fewer) < at_delta(&numbers) {
                numbers = fewer;
            }
        }
        let depth = depth_for(target);
        for (revealed, more) in numbers {
            let left = self.clients - revealed;
            let Some(free) = self.curve(left, &self.flip, depth)? else {
                return Ok(None);
            };
            let known =
                LazyCell::new(move || self.curve(left, &BitOdds::known(), depth).ok().flatten());
            groups.push((revealed, more, free, known));
        }
        let Some(&(revealed, ..)) = groups.last() else {
            return Ok(None);
        };
        let upper = certified_epsilon(target, &local, |alpha| {
            // E δ_R ≤ Σ (T_(i−1) − T_i)·δ_i + T_last, for δ_i that grow with the number revealed.
            let (mut sum, mut before, mut worst) = (0.0, 1.0, 0.0f64);
            for (_, more, free, known) in &groups {
                let known = |kappa: f64, less: f64| match &**known {
                    Some(curve) => product([curve; 2], [curve; 2], kappa, less),
                    None => 1.0,
                };
                worst = worst.max(own.delta(alpha, free.at(adjacency, alpha), known));
                sum = add_up(sum, mul_up(sub_up(before, *more).max(0.0), worst));
                before = *more;
            }
            add_up(sum, before)
        });
        Ok(Some(DroppingBounds { upper, revealed, critical: rounded_up(critical)? }))
    }

    /// The clients that remain where reports of more than `max_weight` ones are dropped and
    /// everyone sees which. A guarantee of [`RemainingClients::clients`] clients without dropping,
    /// at δ less [`RemainingClients::delta_of_others`] and [`RemainingClients::critical`], holds
    /// with dropping at δ, also with other randomness beside the clients' bits.
    ///
    /// # Errors
    /// If the length is not from 1 to 2^20, no coordinate may change, or reports may be dropped and
    /// δ is not between 1e-60 and 0.9.
    pub fn remaining_clients(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        input: MultiHot,
        max_weight: u64,
    ) -> Result<RemainingClients> {
        let changed = input.accepted(adjacency)?;
        let outside = input.length - changed;
        let beyond = max_weight.saturating_add(1);
        let heavy = beyond.saturating_sub(changed);
        if heavy > outside {
            let (none, clients) = (Rational::zero(), self.clients);
            return Ok(RemainingClients { clients, delta_of_others: none.clone(), critical: none });
        }
        let target = float_below(delta)?;
        let critical = self.weight_distribution(outside, 0, target)?.within(heavy, beyond);
        let revealed = self.revealed_clients(input, changed, heavy, target)?;
        let (revealed, excess) = revealed[revealed.len() - 1];
        Ok(RemainingClients {
            clients: self.clients - revealed,
            delta_of_others: rounded_up(excess)?,
            critical: rounded_up(critical)?,
        })
    }

    /// Ascending numbers r < n of others on whom the guarantee does not count, each with an upper
    /// bound on the probability that more than r of them have `heavy` ones or more outside the
    /// `changed` coordinates. The last bound is at most 1e-4 times the `target` δ. Never empty.
    /// `Err` if floats do not hold the distribution.
    fn revealed_clients(
        &self,
        input: MultiHot,
        changed: u64,
        heavy: u64,
        target: f64,
    ) -> Result<Vec<(u64, f64)>> {
        let (others, outside) = (self.clients - 1, input.length - changed);
        if heavy > outside || others == 0 {
            return Ok(vec![(0, 0.0)]);
        }
        let ones = input.ones.min(outside);
        let each = self.weight_distribution(outside - ones, ones, target)?.at_least(heavy);
        self.numbers_above(each, 1.0, target)
    }

    /// [`Self::revealed_clients`] of one-hot inputs under replacement, where reports of the
    /// critical weight count as far as they hide one of both counts: pairs (r, upper bound on the
    /// probability of more). A report is heavy from `heavy` ones on in the `outside` coordinates
    /// that do not change.
    fn unhidden_clients(&self, outside: u64, heavy: u64, target: f64) -> Result<Vec<(u64, f64)>> {
        let elsewhere = self.weight_distribution(outside - 1, 1, target)?;
        // P(V = m − 1) times the share of the bits in either count, rounded down.
        let (p, q) = (self.flip.p, 1.0 - self.flip.p);
        let share = if 2.0 * p <= 1.0 - p * p { (1.0 - p * p) / 2.0 } else { q * q / (2.0 * p) };
        let place = heavy.checked_sub(elsewhere.first).map(to_index);
        let critical = place.and_then(|place| elsewhere.lower.get(place)).copied().unwrap_or(0.0);
        let free = mul_down(elsewhere.normalized_down(critical), share * (1.0 - 1e-12)).max(0.0);
        // Of a client whose one is in these coordinates, the light reports alone.
        let here = self.weight_distribution(outside, 0, target)?.at_least(heavy);
        let each = sub_up(elsewhere.at_least(heavy), free).max(here);
        self.numbers_above(each, 2.0, target)
    }

    /// Ascending numbers r, each with an upper bound, at most 1, on `times`·P(Bin(n − 1, `each`) >
    /// r) for n − 1 other clients, the last of at most 1e-4 times the `target` δ; n − 1 alone, with
    /// 0, where `each` is about 1. `Err` if floats do not hold the distribution.
    fn numbers_above(&self, each: f64, times: f64, target: f64) -> Result<Vec<(u64, f64)>> {
        let (others, rest) = (self.clients - 1, sub_down(1.0, each));
        if rest <= 1e-12 {
            return Ok(vec![(others, 0.0)]);
        }
        let odds = div_up(each, rest);
        let odds = Bounds { lower: odds, upper: odds };
        let depth = 10.0 - elementary::ln(target * SHARE);
        let pmf = CountDistribution::binomial(others, odds, depth)
            .ok_or_else(|| unresolved(&self.epsilon0))?;
        let above = |r: u64| (times * pmf.at_least(r + 1)).min(1.0);
        if above(pmf.first) <= target * SHARE {
            return Ok(vec![(pmf.first, above(pmf.first))]);
        }
        let most = pmf.last() + 1;
        let (_, most) =
            bisect(pmf.first, most.min(others), integer_midpoint, |&r| above(r) <= target * SHARE);
        // Where nearly as many remain in any case, the worst case is close.
        let is_close = count(self.clients - most) > CLOSE * count(self.clients - pmf.first);
        let groups = if is_close { 1 } else { GROUPS.min(most - pmf.first) };
        let group = |i: u64| pmf.first + (most - pmf.first) * i / groups;
        Ok((1..=groups).map(group).map(|r| (r, above(r))).collect())
    }

    /// The distribution of the ones in a randomized report of `zeros` zeros and `ones` ones, with
    /// tails negligible beside a δ of `target` for all clients together. `Err` if floats do not
    /// hold it.
    fn weight_distribution(&self, zeros: u64, ones: u64, target: f64) -> Result<CountDistribution> {
        let depth = depth_for(target) + elementary::ln(count(self.clients));
        CountDistribution::new(&self.flip, zeros, ones, depth)
            .ok_or_else(|| unresolved(&self.epsilon0))
    }
}

impl DroppingBounds {
    /// Why `upper` holds.
    #[must_use]
    pub const fn certificate(&self) -> &'static str {
        "As without dropping, and in addition: clients whose reports may be so heavy that they are dropped \
         are not counted on, averaged over their number, and the weight of the client's own report is charged \
         to delta. Where most reports are dropped, epsilon_upper may be well above the least."
    }
}
