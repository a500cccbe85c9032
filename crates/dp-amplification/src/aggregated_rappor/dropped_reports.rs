//! The clients that hide each other where reports of too many ones are visibly dropped.
//!
//! Let D be the number of coordinates that the protected client may change, m the largest accepted
//! weight, and V the weight of a report outside these coordinates. Reports with V > m − D count as
//! revealed. The client's own verdict depends on its value where m − D < V ≤ m alone, and that
//! probability is added to δ in one release, or for one-hot inputs less (`own_report`;
//! `docs/aggregated-rappor.md`, section 6).

use std::cell::LazyCell;

use dp_calibration::{Adjacency, Error, Result};
use dp_exact::directed::{Bounds, add_up, count, div_up, sub_down};
use dp_exact::search::{bisect, integer_midpoint};
use dp_exact::{Delta, Rational, elementary};

use super::own_report::OwnReport;
use super::{AggregatedRappor, MultiHot};
use crate::accepted_ranges::{depth_for, float_below, rounded_up, unresolved};
use crate::bit_odds::BitOdds;
use crate::count_distribution::CountDistribution;
use crate::epsilon_search::certified_epsilon;

/// The share of δ for the event that more reports are heavy than are counted as revealed.
const SHARE: f64 = 1e-4;

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
    /// The ε at δ for every dataset, where reports of `length` bits with more than `max_weight`
    /// ones are visibly dropped. Inputs are one-hot vectors (zero if deleted).
    ///
    /// # Errors
    /// If δ is not between 1e-60 and 0.9, or the length not from 1 to 2^20.
    pub fn epsilon_with_drops(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        length: u64,
        max_weight: u64,
    ) -> Result<DroppingBounds> {
        let input = MultiHot { length, ones: 1 };
        let (changed, target) = (input.accepted(adjacency)?, float_below(delta)?);
        let (outside, depth) = (length - changed, depth_for(target));
        let beyond = max_weight.saturating_add(1);
        let weight = beyond.checked_sub(changed).filter(|&weight| weight <= outside);
        let critical = weight.map_or(Ok(0.0), |weight| {
            let pmf = self.weight_distribution(outside, 0, target)?;
            Ok::<_, Error>(pmf.within(weight, weight + 1))
        })?;
        let heavy = beyond.saturating_sub(changed);
        let (revealed, excess) = self.revealed_clients(input, changed, heavy, target)?;
        let left = Self::new(self.epsilon0.clone(), self.clients - revealed)?;
        let own = OwnReport { adjacency, e: self.flip.e, critical };
        let (free, sent) = (left.curve(depth)?, BitOdds::known());
        let known = LazyCell::new(|| left.bits(depth, &sent, 1.0).curve());
        let known = |kappa: f64| match &*known {
            Some(curve) => add_up(excess, curve.with(curve, kappa)),
            None => 1.0,
        };
        let upper = certified_epsilon(target, &self.local_epsilon(adjacency), |alpha| {
            own.delta(alpha, add_up(excess, free.at(adjacency, alpha)), known)
        });
        Ok(DroppingBounds { upper, revealed, critical: rounded_up(critical)? })
    }

    /// The clients that remain where reports of more than `max_weight` ones are dropped and
    /// everyone sees which. A guarantee of [`RemainingClients::clients`] clients without dropping,
    /// at δ less [`RemainingClients::delta_of_others`] and [`RemainingClients::critical`], holds
    /// with dropping at δ, also with other randomness beside the clients' bits.
    ///
    /// # Errors
    /// If δ is not between 1e-60 and 0.9, the length not from 1 to 2^20, or no coordinate may
    /// change.
    pub fn remaining_clients(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        input: MultiHot,
        max_weight: u64,
    ) -> Result<RemainingClients> {
        let (changed, target) = (input.accepted(adjacency)?, float_below(delta)?);
        let outside = input.length - changed;
        let beyond = max_weight.saturating_add(1);
        let heavy = beyond.saturating_sub(changed);
        if heavy > outside {
            let (none, clients) = (Rational::zero(), self.clients);
            return Ok(RemainingClients { clients, delta_of_others: none.clone(), critical: none });
        }
        let critical = self.weight_distribution(outside, 0, target)?.within(heavy, beyond);
        let (revealed, excess) = self.revealed_clients(input, changed, heavy, target)?;
        Ok(RemainingClients {
            clients: self.clients - revealed,
            delta_of_others: rounded_up(excess)?,
            critical: rounded_up(critical)?,
        })
    }

    /// A number r < n of others whose reports may be dropped, with probability π at most, for
    /// `heavy` ones outside the `changed` coordinates, and a bound on P(Bin(n − 1, π) > r).
    fn revealed_clients(
        &self,
        input: MultiHot,
        changed: u64,
        heavy: u64,
        target: f64,
    ) -> Result<(u64, f64)> {
        let (others, outside) = (self.clients - 1, input.length - changed);
        if heavy > outside || others == 0 {
            return Ok((0, 0.0));
        }
        let ones = input.ones.min(outside);
        let each = self.weight_distribution(outside - ones, ones, target)?.at_least(heavy);
        let rest = sub_down(1.0, each);
        if rest <= 1e-12 {
            return Ok((others, 0.0));
        }
        let odds = div_up(each, rest);
        let odds = Bounds { lower: odds, upper: odds };
        let depth = 10.0 - elementary::ln(target * SHARE);
        let pmf = CountDistribution::binomial(others, odds, depth)
            .ok_or_else(|| unresolved(&self.epsilon0))?;
        let above = |r: u64| pmf.at_least(r + 1);
        if above(pmf.first) <= target * SHARE {
            return Ok((pmf.first, above(pmf.first)));
        }
        let most = pmf.last() + 1;
        let (_, r) =
            bisect(pmf.first, most.min(others), integer_midpoint, |&r| above(r) <= target * SHARE);
        Ok((r, above(r)))
    }

    /// The distribution of the ones in a randomized report of `zeros` zeros and `ones` ones, with
    /// tails negligible beside a δ of `target` for all clients together.
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
         are not counted on, the probability that there are more of them is charged to delta, and so is the \
         weight of the client's own report."
    }
}
