//! Bits and noise together where reports of too many ones are dropped, and every aggregator sees which.
//!
//! With V the weight of the client's report outside the D coordinates that may change, the client's own drop adds at
//! most min(P(V > m − D)·(E^D − α)₊/(E^D + 1), α·π₀) to δ, π₀ being the probability of a drop. Of the others those
//! with V > m − D are revealed, as without noise (`docs/hedging.md`, section 5).

use dp_calibration::{Adjacency, Error};
use dp_exact::directed::{Bounds, add_down, add_up, div_up, mul_up, sub_up};
use dp_exact::{Delta, Rational, elementary};

use super::Hedged;
use crate::accepted_ranges::float_below;
use crate::aggregated_rappor::MultiHot;
use crate::epsilon_search::certified_epsilon;
use crate::pair_product::NODES;

impl Hedged {
    /// An upper bound on the ε at δ of bits and noise together, for every dataset of the others, where inputs
    /// have several ones, reports of more than `max_weight` ones are dropped, and every aggregator sees which.
    /// `None` where the joint distribution takes too long, or the client's own drop alone exceeds δ.
    ///
    /// # Errors
    /// If δ is not between 1e-60 and 0.9, the length not from 1 to 2^20, or no coordinate may change.
    pub fn epsilon_multi_hot_with_drops(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        input: MultiHot,
        max_weight: u64,
    ) -> Result<Option<Rational>, Error> {
        let (counts, target) = (input.accepted(adjacency)?, float_below(delta)?);
        let drops = DropProbabilities::new(self, counts, input, max_weight, target)?;
        let local = self.rappor.local_epsilon_of_counts(counts);
        if drops.least(&local) > target {
            return Ok(None);
        }
        let (revealed, excess) = self.rappor.revealed_clients(drops.risky_other, target)?;
        let left = Self { rappor: self.rappor.without(revealed)?, ..self.clone() };
        let Some(product) = left.product(target, counts, NODES)? else {
            return Ok(None);
        };
        let epsilon = certified_epsilon(target, &local, |alpha| {
            add_up(add_up(product.delta(alpha), excess), drops.own(alpha))
        })?;
        Ok(Some(epsilon))
    }
}

/// Upper bounds on probabilities that a report is dropped, or may be dropped for its many ones. V
/// is the number of ones outside the D coordinates that may change, m the most ones of a kept
/// report.
#[derive(Clone, Debug)]
pub(super) struct DropProbabilities {
    /// Upper bound on π₀, the probability that the client's report is dropped.
    pub(super) dropped: f64,
    /// Upper bound on P(V > m − D) for the client, whose ones are all in the D coordinates.
    pub(super) risky: f64,
    /// Upper bound on P(V > m − D) for another client, whose ones may be outside the D coordinates.
    pub(super) risky_other: f64,
    /// Enclosure of e^(D·ε₀), the largest likelihood ratio of the client's D bits; `None` if floats
    /// do not hold it.
    largest_ratio: Option<Bounds>,
}

impl DropProbabilities {
    /// The bounds where reports of more than `max_weight` ones are dropped and `counts` coordinates
    /// may change. Tails are followed until they are negligible beside a δ of `target`.
    pub(super) fn new(
        policy: &Hedged,
        counts: u64,
        input: MultiHot,
        max_weight: u64,
        target: f64,
    ) -> Result<Self, Error> {
        let tail = |zeros, ones, weight| policy.rappor.weight_tail(zeros, ones, weight, target);
        let outside = input.length - counts;
        let beyond = max_weight.saturating_add(1);
        let ones = input.ones.min(input.length);
        let ones_outside = input.ones.min(outside);
        let heavy = beyond.saturating_sub(counts);
        Ok(Self {
            dropped: tail(input.length - ones, ones, beyond)?,
            risky: tail(outside, 0, heavy)?,
            risky_other: tail(outside - ones_outside, ones_outside, heavy)?,
            largest_ratio: Bounds::exp(&policy.rappor.local_epsilon_of_counts(counts)),
        })
    }

    /// Upper bound on what the client's own drop adds to δ, for an `alpha` just below e^ε.
    pub(super) fn own(&self, alpha: f64) -> f64 {
        // From a number next to e^ε and not above it to one that is not below.
        let above = alpha.next_up().next_up();
        self.excess_if_revealed(alpha).min(mul_up(above, self.dropped))
    }

    /// Upper bound on P(V > m − D)·(E^D − α)₊/(E^D + 1) for the client at α = `alpha`, with E =
    /// e^ε₀. The bound falls as `alpha` grows.
    fn excess_if_revealed(&self, alpha: f64) -> f64 {
        let revealed = self.largest_ratio.map_or(1.0, |ratio| {
            let left = sub_up(ratio.upper, alpha).max(0.0);
            div_up(left, add_down(ratio.upper, 1.0)).min(1.0)
        });
        mul_up(self.risky, revealed)
    }

    /// Approximate lower bound on what the client's own drop adds to δ, at every ε from 0 to
    /// 0.99·`most`.
    fn least(&self, most: &Rational) -> f64 {
        let revealed = self.excess_if_revealed(elementary::exp(0.99 * most.to_f64()));
        revealed.min(self.dropped)
    }
}
