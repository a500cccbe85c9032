//! The guarantee when reports of too many ones are dropped.
//!
//! A verifier that drops every report of weight above m looks at the data: acceptance of a report
//! depends on the very bits that are to be protected. Inputs are one-hot vectors of length d.
//!
//! **Others.** Let V be the weight of a client's randomized report outside the coordinates that
//! the protected client may change: two under replacement, one under deletion; call their number
//! D. Where V ≤ m − D the report is accepted whatever its D bits are, and given V those are
//! randomized as ever. Reveal the reports of all other clients; they only help the adversary,
//! except the D bits of those with V ≤ m − D. The latter hide the client as in a sum without
//! dropping. Of the n − 1 others each has V > m − D with probability at most
//! π = P(Ber(q) + Bin(d − D − 1, p) > m − D), independently, so that more than r are revealed with
//! probability at most P(Bin(n − 1, π) > r) ≤ e^(k − λ)·(λ/k)^k, k = r + 1, λ = (n − 1)π < k
//! (Chernoff). What remains is the guarantee of n − r clients.
//!
//! **The client, replacement.** Its V has one law whatever it holds, and exchanging its two bits
//! exchanges the two inputs and keeps the weight. If V = m it is accepted only with both bits 0,
//! which has one probability under both inputs: nothing is learnt. If V = m − 1 it is dropped
//! only with both bits 1, of probability pq under both. With ν the law of the sum for such a
//! report, were it counted, every set S has P(S) − αQ(S) ≤ [free] + (α − 1)·ν(S), hence at most
//! pq·(α − 1) more than without dropping; and it is never more than (q² − αp²)₊, that of the
//! report by itself.
//!
//! **The client, deletion.** If V = m the report is dropped with probability q against p, so that
//! (q − αp)₊ is added with the probability of V = m.
//!
//! Altogether, for α = e^ε and with t the probability of the critical V,
//!
//!   δ(ε) ≤ H_(n−r)(α) + P(more than r revealed) + t·(what is added).

use dp_exact::{Delta, Interval, Rational, Rounding, refine};

use super::count_law::CountLaw;
use super::{AggregatedRappor, DIGITS, at, depth_for, target};
use crate::directed::{above, add_up, count, div_up, mul_up, sub_down, sub_up};
use crate::{Adjacency, Error};

/// The share of δ that may be spent on revealing more clients than allowed for.
const SHARE: f64 = 1e-4;

/// A bound on the weight of an accepted report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightLimit {
    /// The length d of the reports.
    pub length: u64,
    /// The largest weight m that is accepted.
    pub max_weight: u64,
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
    /// What the dropping of other clients' reports adds to δ, at most.
    pub delta_of_others: Rational,
    /// The probability that the client's own report has the weight at which it matters, at most.
    pub critical: Rational,
}

impl AggregatedRappor {
    /// The ε at δ for every dataset, where reports of more than `limit.max_weight` ones are
    /// dropped and the number of dropped reports is public. The inputs are one-hot vectors (or,
    /// for the deleted client, zero).
    ///
    /// # Errors
    /// If δ is not between 1e-300 and 0.9, the length is 0 or above 2^40.
    pub fn epsilon_with_drops(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        limit: WeightLimit,
    ) -> Result<DroppingBounds, Error> {
        let target = target(delta)?;
        let changed: u64 = match adjacency {
            Adjacency::Replacement => 2,
            Adjacency::Deletion => 1,
        };
        if limit.length < changed || limit.length > 1 << 40 {
            let accepted = "an integer from the number of changed coordinates to 2^40";
            return Err(Error::parameter("length", limit.length, accepted));
        }
        let rest = limit.length - changed;
        // V > m − D, that is V + D > m.
        let heavy = (limit.max_weight + 1).saturating_sub(changed);
        let others = self.tail(rest.saturating_sub(1), rest.min(1), heavy, target)?;
        let critical = self.tail(rest, 0, heavy, target)?;
        let (revealed, excess) = self.revealed(others, target)?;
        let (p, q) = self.flip_bounds();
        let added = |alpha: f64| -> f64 {
            // `alpha` is e^ε rounded down; what grows with it needs the other side.
            let growth = sub_up(alpha.next_up().next_up(), 1.0);
            let alone = match adjacency {
                Adjacency::Replacement => {
                    let shared = mul_up(mul_up(p.1, q.1), growth);
                    let squares = sub_up(mul_up(q.1, q.1), alpha * p.0 * p.0 * (1.0 - 1e-15));
                    shared.min(squares)
                }
                Adjacency::Deletion => sub_up(q.1, alpha * p.0 * (1.0 - 1e-15)),
            };
            add_up(excess, mul_up(critical, alone.max(0.0)))
        };
        let curve = self.without(revealed)?.curve(depth_for(target), 1.0)?;
        let upper = self.solve(target, adjacency, |alpha| {
            add_up(at(&curve, adjacency, alpha), added(alpha))
        })?;
        let rounded = |value| -> Result<Rational, Error> {
            Ok(Rational::from_f64(value)?.round_to_digits(DIGITS, Rounding::Up))
        };
        Ok(DroppingBounds {
            upper,
            revealed,
            delta_of_others: rounded(excess)?,
            critical: rounded(critical)?,
        })
    }

    /// An upper bound on P(Bin(zeros, p) + Bin(ones, q) ≥ `weight`).
    fn tail(&self, zeros: u64, ones: u64, weight: u64, target: f64) -> Result<f64, Error> {
        if weight == 0 {
            return Ok(1.0);
        }
        if weight > zeros + ones {
            return Ok(0.0);
        }
        let depth = depth_for(target) + count(self.clients).ln();
        let law = CountLaw::new(&self.flip, zeros, ones, depth)
            .ok_or_else(|| Self::unresolved(weight))?;
        Ok(law.at_least(weight))
    }

    /// How many others to give up on, and the probability that it is more, when each is given up
    /// with probability at most `each`.
    fn revealed(&self, each: f64, target: f64) -> Result<(u64, f64), Error> {
        let others = self.clients - 1;
        let mean = mul_up(count(others), each);
        if each <= 0.0 || others == 0 {
            return Ok((0, 0.0));
        }
        let allowed = target * SHARE;
        let log = |revealed: u64| {
            let k = count(revealed + 1);
            k - mean + k * (mean / k).ln()
        };
        let enough = |revealed: u64| count(revealed + 1) > mean && log(revealed) < allowed.ln();
        let (mut low, mut high) = (0, others);
        while low < high {
            let middle = low + (high - low) / 2;
            if enough(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        if low >= others || count(low + 1) <= mean {
            return Ok((others, 0.0));
        }
        let (mean, k) = (Rational::from_f64(mean)?, Rational::from(low + 1));
        let bound = refine(|precision| {
            let k = Interval::rational(&k, precision);
            let mean = Interval::rational(&mean, precision);
            (&k - &mean + &k * mean.checked_div(&k)?.ln()?).exp()
        })?;
        Ok((low, above(bound.upper())))
    }

    /// Bounds for p and for q.
    fn flip_bounds(&self) -> ((f64, f64), (f64, f64)) {
        let e = self.flip.e;
        let p_upper = div_up(1.0, sub_down(e.lower, -1.0));
        let p_lower = crate::directed::div_down(1.0, add_up(e.upper, 1.0));
        let q = (sub_down(1.0, p_upper), sub_up(1.0, p_lower));
        ((p_lower, p_upper), q)
    }
}
