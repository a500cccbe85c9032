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
//! **More clients hide more.** Another client's verdict is independent of all others, and what is
//! seen of n + 1 clients is what is seen of n, with one more verdict and, if it is accepted, its
//! bits added: a randomized function of it that does not depend on the protected client. Every
//! dataset of n others is one of n − 1 others and one more. So by data processing a guarantee for
//! every dataset of n clients holds for n + 1, whether each verdict is seen or their number; and
//! the listing of the largest crowd for which it is possible bounds every larger one.
//!
//! **Others.** Let V be the weight of a client's randomized report outside the coordinates that
//! the protected client may change: two under replacement, one under deletion; call their number
//! D. Where V ≤ m − D the report is accepted whatever its D bits are, and given V those are
//! randomized as ever. Reveal the reports of all other clients; they only help the adversary,
//! except the D bits of those with V ≤ m − D. The latter hide the client as in a sum without
//! dropping. Each of the n − 1 others has V > m − D with probability at most
//! π = P(Ber(q) + Bin(d − D − 1, p) > m − D), independently, so that the number R of revealed ones
//! is stochastically at most Bin(n − 1, π). What remains is F = E\[H_(n−R)\], the guarantee of
//! n − R clients (`revealed`).
//!
//! **The client**: `own_report`.

mod case;
mod enumeration;
mod limit;
mod lower;
mod own_report;
mod revealed;
#[cfg(test)]
mod tests;

use dp_exact::{Delta, Rational, elementary};

use self::case::Case;
pub use self::case::DroppingBounds;
pub use self::limit::{Verdicts, WeightLimit};
pub(crate) use self::revealed::Revealed;
use super::count_law::CountLaw;
use super::cover::cover_known;
use super::curve::Curve;
use super::{AggregatedRappor, depth_for, rounded_up};
use dp_calibration::{Adjacency, Error};
use dp_exact::directed::count;

/// The clients that hide each other although reports are dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hiding {
    /// How many there are, the protected one among them.
    pub clients: u64,
    /// The probability that there are fewer, at most.
    pub delta_of_others: Rational,
    /// What the protected client's own report adds to δ by being dropped or not, at most: the
    /// probability of a weight at which the verdict depends on what it holds, times q − p.
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
        Case::new(self, delta, adjacency, limit)?.epsilon(verdicts)
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
        let case = Case::new(self, delta, adjacency, limit)?;
        let (revealed, excess) = Revealed::at_most(self.clients - 1, case.heavy()?, case.target)?;
        Ok(Hiding {
            clients: self.clients - revealed,
            delta_of_others: rounded_up(excess)?,
            critical: rounded_up(case.own.most())?,
        })
    }

    /// A curve that dominates every dataset for a client whose bit is known, with what it leaves
    /// out.
    fn known(&self, depth: f64) -> Option<(Curve, f64)> {
        cover_known(&self.flip, self.clients, self.resolution(depth, 1.0))
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
        Ok(self.weight_law(zeros, ones, target)?.at_least(weight))
    }

    /// Bin(zeros, p) + Bin(ones, q), as the weight of a part of a report.
    pub(super) fn weight_law(&self, zeros: u64, ones: u64, target: f64) -> Result<CountLaw, Error> {
        let depth = depth_for(target) + elementary::ln(count(self.clients));
        CountLaw::new(&self.flip, zeros, ones, depth)
            .ok_or_else(|| Self::unresolved(&self.epsilon0))
    }
}
