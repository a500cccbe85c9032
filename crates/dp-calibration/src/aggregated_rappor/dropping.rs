//! The guarantee when reports of too many ones are dropped.
//!
//! A verifier that drops every report of weight above m looks at the data: acceptance of a report
//! depends on the very bits that are to be protected. Inputs are one-hot vectors of length d.
//!
//! **Who sees what.** Every aggregator learns which reports are dropped, and at least one of them
//! is honest, not all: so a guarantee in this trust model lets the adversary see every verdict.
//! Where all aggregators are honest, the number of dropped reports is all that is published, and
//! less is lost ([`Verdicts`]).
//!
//! **Few clients.** Where all datasets and all outcomes can be listed, the guarantee is exact
//! (`enumeration`). What follows holds for any size.
//!
//! **Others.** Let V be the weight of a client's randomized report outside the coordinates that
//! the protected client may change: two under replacement, one under deletion; call their number
//! D. Where V ≤ m − D the report is accepted whatever its D bits are, and given V those are
//! randomized as ever. Reveal the reports of all other clients; they only help the adversary,
//! except the D bits of those with V ≤ m − D. The latter hide the client as in a sum without
//! dropping. Each of the n − 1 others has V > m − D with probability at most
//! π = P(Ber(q) + Bin(d − D − 1, p) > m − D), independently, so that the number R of revealed ones
//! is stochastically at most Bin(n − 1, π). What remains is the guarantee of n − R clients
//! (`revealed`).
//!
//! **The client, replacement.** Its V has one law whatever it holds, and exchanging its two bits
//! exchanges the two inputs and keeps the weight. If V ≥ m it is accepted only with both bits 0,
//! which has one probability under both inputs: nothing is learnt. If V = m − 1 it is dropped
//! only with both bits 1, of probability pq under both. With ν the law of the sum for such a
//! report, were it counted, every set S has P(S) − αQ(S) ≤ [free] + (α − 1)·ν(S), hence at most
//! pq·(α − 1) more than without dropping; it is never more than (q² − αp²)₊, that of the report by
//! itself; and it is at most q² − p² times the divergence of a client whose bits are certainly
//! 1, 0 or 0, 1: with the rest of the probability both inputs give the same reports, and the
//! divergence is jointly convex. Such a client is hidden by the others alone; call its curve G.
//!
//! **The client, deletion.** If V = m the report is dropped with probability q against p, so that
//! (q − αp)₊ is lost with the probability of V = m. If V > m it is dropped.
//!
//! Altogether, for α = e^ε and with t the probability of the critical V,
//!
//!   δ(ε) ≤ F + t·(L − F)₊,  F = E[H_(n−R)(α)],
//!   L = min(F + pq(α − 1), q² − αp², (q² − p²)·E[G_(n−R)(α)]) under replacement,
//!   L = q − αp under deletion.

mod enumeration;
mod lower;
mod revealed;

use dp_exact::{Delta, Rational};

use self::enumeration::Enumeration;
pub(crate) use self::revealed::Revealed;
use super::count_law::CountLaw;
use super::cover::{Resolution, cover_known, slack};
use super::curve::Curve;
use super::{AggregatedRappor, OthersHold, at, depth_for, rounded_up, solve, target};
use crate::directed::{add_up, count, div_up, mul_down, mul_up, sub_down, sub_up};
use crate::{Adjacency, Error};

/// A bound on the weight of an accepted report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightLimit {
    /// The length d of the reports.
    pub length: u64,
    /// The largest weight m that is accepted.
    pub max_weight: u64,
}

/// What the adversary sees of the decisions which reports are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdicts {
    /// Each of them, as an aggregator does.
    Each,
    /// The number of accepted reports, as one does who sees only the result.
    Counted,
}

/// A guarantee in which the effect of dropped reports is included.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DroppingBounds {
    /// (`upper`, δ) holds for every dataset of the other clients.
    pub upper: Rational,
    /// How many of the other clients the guarantee does not count on, because their reports are
    /// so heavy that they may be dropped; 0 where all cases are listed.
    pub revealed: u64,
    /// What the dropping of more of the other clients' reports adds to δ, at most.
    pub delta_of_others: Rational,
    /// The probability that the client's own report has a weight at which it matters, at most.
    pub critical: Rational,
}

/// The clients that hide each other although reports are dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hiding {
    /// How many there are, the protected one among them.
    pub clients: u64,
    /// The probability that there are fewer, at most.
    pub delta_of_others: Rational,
    /// The probability that the protected client's own report has a weight at which the verdict
    /// depends on what it holds, at most.
    pub critical: Rational,
}

impl AggregatedRappor {
    /// The ε at δ for every dataset, where reports of more than `limit.max_weight` ones are
    /// dropped and the adversary sees which. The inputs are one-hot vectors (or, for the deleted
    /// client, zero).
    ///
    /// # Errors
    /// If δ is not between 1e-300 and 0.9, or the length is less than the number of changed
    /// coordinates or above 2^40.
    pub fn epsilon_with_drops(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        limit: WeightLimit,
    ) -> Result<DroppingBounds, Error> {
        self.epsilon_with_verdicts(delta, adjacency, limit, Verdicts::Each)
    }

    /// The same for what the adversary sees of the verdicts. It makes a difference for a few
    /// clients; beyond, the bound is the one for an adversary that sees each.
    ///
    /// # Errors
    /// As [`Self::epsilon_with_drops`].
    pub fn epsilon_with_verdicts(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        limit: WeightLimit,
        verdicts: Verdicts,
    ) -> Result<DroppingBounds, Error> {
        let target = target(delta)?;
        let changed = changed(adjacency, limit)?;
        let local = self.local_epsilon(adjacency);
        let rest = limit.length - changed;
        // V > m − D, that is V + D > m.
        let heavy = limit.max_weight.saturating_add(1).saturating_sub(changed);
        let critical = self.tail(rest, 0, heavy, target)?;
        if let Some(all) = Enumeration::new(&self.flip, self.clients, adjacency, limit, verdicts) {
            return Ok(DroppingBounds {
                upper: solve(target, &local, |alpha| all.upper(alpha))?,
                revealed: 0,
                delta_of_others: Rational::zero(),
                critical: rounded_up(critical)?,
            });
        }
        let each = self.tail(rest.saturating_sub(1), rest.min(1), heavy, target)?;
        let revealed = Revealed::new(self.clients - 1, each, target)?;
        let (mut free, mut known) = (Vec::new(), Vec::new());
        for &(missing, _) in &revealed.shares {
            let left = self.without(missing)?;
            free.push(left.curve(depth_for(target))?);
            if adjacency == Adjacency::Replacement && critical > 0.0 {
                known.push(left.known(depth_for(target)));
            }
        }
        let upper = solve(target, &local, |alpha| {
            let free = revealed.mean(free.iter().map(|curve| at(curve, adjacency, alpha)));
            let known = known.iter().map(|law| {
                let twice = |(curve, told): &(Curve, f64)| add_up(curve.two(alpha), 2.0 * told);
                law.as_ref().map_or(1.0, twice)
            });
            let known = revealed.mean(known);
            self.with_own_weight(free, known, critical, adjacency, alpha)
        })?;
        Ok(DroppingBounds {
            upper,
            revealed: revealed.most(),
            delta_of_others: rounded_up(revealed.excess)?,
            critical: rounded_up(critical)?,
        })
    }

    /// What is left of a crowd whose reports of too many ones are dropped: for guarantees in which
    /// more than the clients' own randomness hides them. A guarantee of [`Hiding::clients`] clients
    /// without dropping, at δ less [`Hiding::delta_of_others`] and [`Hiding::critical`], holds with
    /// dropping at δ.
    ///
    /// # Errors
    /// As [`Self::epsilon_with_drops`].
    pub fn hiding_despite_drops(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        limit: WeightLimit,
    ) -> Result<Hiding, Error> {
        let target = target(delta)?;
        let changed = changed(adjacency, limit)?;
        let rest = limit.length - changed;
        let heavy = limit.max_weight.saturating_add(1).saturating_sub(changed);
        let each = self.tail(rest.saturating_sub(1), rest.min(1), heavy, target)?;
        let revealed = Revealed::new(self.clients - 1, each, target)?;
        Ok(Hiding {
            clients: self.clients - revealed.most(),
            delta_of_others: rounded_up(revealed.excess)?,
            critical: rounded_up(self.tail(rest, 0, heavy, target)?)?,
        })
    }

    /// A curve that dominates every dataset for a client whose bit is known, with what it leaves
    /// out.
    fn known(&self, depth: f64) -> Option<(Curve, f64)> {
        let slack = slack(&self.flip, self.clients);
        cover_known(&self.flip, self.clients, Resolution { depth, slack })
    }

    /// An upper bound on δ with the dropping of the client's own report, for that without, and for
    /// that of a client whose bits are known, given `alpha` ≤ e^ε next to it.
    fn with_own_weight(
        &self,
        free: f64,
        known: f64,
        critical: f64,
        adjacency: Adjacency,
        alpha: f64,
    ) -> f64 {
        let (p, q) = self.flip_bounds();
        let alpha_p = alpha * p.0 * (1.0 - 1e-15);
        let own = match adjacency {
            Adjacency::Replacement => {
                // What grows with α needs the other side of e^ε.
                let growth = sub_up(alpha.next_up().next_up(), 1.0);
                let shared = add_up(free, mul_up(mul_up(p.1, q.1), growth));
                let alone = sub_up(mul_up(q.1, q.1), alpha_p * p.0 * (1.0 - 1e-15));
                let hidden = mul_up(sub_up(mul_up(q.1, q.1), mul_down(p.0, p.0)), known);
                shared.min(alone).min(hidden)
            }
            Adjacency::Deletion => sub_up(q.1, alpha_p),
        };
        add_up(free, mul_up(critical, sub_up(own, free).max(0.0)))
    }

    /// An upper bound on P(Bin(zeros, p) + Bin(ones, q) ≥ `weight`).
    pub(crate) fn tail(
        &self,
        zeros: u64,
        ones: u64,
        weight: u64,
        target: f64,
    ) -> Result<f64, Error> {
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

    /// Bounds for p and for q.
    fn flip_bounds(&self) -> ((f64, f64), (f64, f64)) {
        let e = self.flip.e;
        let p_upper = div_up(1.0, sub_down(e.lower, -1.0));
        let p_lower = crate::directed::div_down(1.0, add_up(e.upper, 1.0));
        let q = (sub_down(1.0, p_upper), sub_up(1.0, p_lower));
        ((p_lower, p_upper), q)
    }
}

/// The number of coordinates that change.
fn changed(adjacency: Adjacency, limit: WeightLimit) -> Result<u64, Error> {
    let changed: u64 = match adjacency {
        Adjacency::Replacement => 2,
        Adjacency::Deletion => 1,
    };
    if limit.length < changed || limit.length > 1 << 40 {
        let accepted = "an integer from the number of changed coordinates to 2^40";
        return Err(Error::parameter("length", limit.length, accepted));
    }
    Ok(changed)
}
