//! One-hot RAPPOR among honest clients, where reports above a weight are dropped.
//!
//! Several releases: with C the event that whether the client's own report is dropped may depend on
//! its measurement, c = P(C), and L the sum of ε₀ over the bits that change, the k releases keep
//! δ_all(ε) ≤ δ(ε) + kc·δ(ε − L) + (kc)²/2 (`docs/guarantees.md`, section 5).

use dp_amplification::aggregated_rappor::{AggregatedRappor, RemainingClients, WeightLimit};
use dp_calibration::{Adjacency, NoiseDistribution};
use dp_exact::{Delta, Rational, Rounding};

use super::super::bit_sums::{BitSums, changed_counts};
use super::Rappor;
use crate::Error;
use crate::guarantees::{Circumstances, EpsilonDelta, share};

/// C is the event that the client's report is dropped for one of its neighbouring values alone.
/// Where P(C) is at most δ / `RARE`, C counts as if it revealed everything.
const RARE: u64 = 100;

/// The part of δ for the case that C occurs in one release is δ / `SECOND`.
const SECOND: u64 = 10;

/// The number of significant digits to which a remaining δ is rounded down.
const DIGITS: usize = 12;

impl Rappor {
    /// The changes that a neighbour may make to a vector: two bits (replacement), or one bit
    /// (deletion). Empty where more bits may change, or none.
    const fn changes(&self, adjacency: Adjacency) -> &'static [Adjacency] {
        match (self.input_weight, self.is_one_hot, adjacency) {
            (1, _, Adjacency::Deletion) => &[Adjacency::Deletion],
            (1, _, _) if self.length < 2 => &[],
            (1, true, _) => &[Adjacency::Replacement],
            (1, false, _) => &[Adjacency::Replacement, Adjacency::Deletion],
            _ => &[],
        }
    }

    /// Upper bound on ε of all honest clients' flips, and of aggregator noise if there is `noise`,
    /// where one or two bits change in each release. `None` where nothing is proved.
    pub(super) fn one_hot_epsilon(
        &self,
        adjacency: Adjacency,
        noise: Option<(&NoiseDistribution, u32)>,
        circumstances: &Circumstances,
    ) -> Result<Option<Rational>, Error> {
        let epsilon0 = self.rappor.epsilon0();
        let releases = circumstances.releases;
        if releases == 1 && noise.is_none() {
            let sum = AggregatedRappor::new(epsilon0.clone(), circumstances.honest_clients)?;
            let delta = &circumstances.delta;
            let bounds = sum.epsilon_with_drops(delta, adjacency, self.limit())?;
            return Ok(Some(bounds.upper));
        }
        self.despite_drops(circumstances, adjacency, |clients, delta| {
            BitSums::new(epsilon0, clients, noise)?.epsilon(delta, adjacency, releases)
        })
    }

    /// The pair of the largest ε over all changes that a neighbour may make, at the circumstances'
    /// δ. `None` where `epsilon` gives none for a change, or no change is listed.
    pub(super) fn largest(
        &self,
        circumstances: &Circumstances,
        epsilon: impl Fn(Adjacency) -> Result<Option<Rational>, Error>,
    ) -> Result<Option<EpsilonDelta>, Error> {
        let mut largest = None;
        for adjacency in self.changes(circumstances.adjacency) {
            match epsilon(*adjacency)? {
                Some(epsilon) => largest = largest.max(Some(epsilon)),
                None => return Ok(None),
            }
        }
        let loss = |epsilon| EpsilonDelta::new(epsilon, circumstances.delta.clone());
        largest.map(loss).transpose()
    }

    /// Upper bound on ε of all releases, where reports may be dropped for their weight. `epsilon`
    /// bounds ε without drops, from a number of clients and a δ. `None` if dropped reports use up
    /// δ, or `epsilon` gives no bound.
    pub(super) fn despite_drops(
        &self,
        circumstances: &Circumstances,
        adjacency: Adjacency,
        epsilon: impl Fn(u64, &Delta) -> Result<Option<Rational>, Error>,
    ) -> Result<Option<Rational>, Error> {
        let (clients, delta) = (circumstances.honest_clients, &circumstances.delta);
        let sum = AggregatedRappor::new(self.rappor.epsilon0().clone(), clients)?;
        let releases = Rational::from(u64::from(circumstances.releases));
        let each = match circumstances.releases {
            1 => delta.clone(),
            releases => share(delta, releases.into())?,
        };
        let RemainingClients { clients, delta_of_others, critical, .. } =
            sum.remaining_clients(&each, adjacency, self.limit())?;
        let left = delta.value() - &(delta_of_others * &releases);
        let critical = critical * &releases;
        let is_rare = &critical * &Rational::from(RARE) <= *delta.value();
        if is_rare || circumstances.releases == 1 {
            return match positive(&(left - &critical)) {
                Some(left) => epsilon(clients, &left),
                None => Ok(None),
            };
        }
        // δ/10 is for one release in C, and (kc)²/2 for two of them.
        let second = share(delta, SECOND)?;
        let two = (&critical * &critical).checked_div(&Rational::from(2u64));
        let left = left - second.value() - two.unwrap_or_else(Rational::one);
        let Some(left) = positive(&left) else {
            return Ok(None);
        };
        let Some(without) = epsilon(clients, &left)? else {
            return Ok(None);
        };
        let ratio = second.value().checked_div(&critical);
        let largest = Rational::new(9, 10)?;
        let ratio =
            ratio.map(|ratio| if ratio < Rational::one() { ratio.min(largest) } else { ratio });
        let within = match ratio.and_then(|ratio| positive(&ratio)) {
            Some(ratio) => epsilon(clients, &ratio)?,
            // One release in C is then rarer than its share of δ.
            None => Some(Rational::zero()),
        };
        let most = self.rappor.epsilon0().value() * &Rational::from(changed_counts(adjacency, 1));
        Ok(within.map(|within| without.max(within + &most)))
    }

    /// The length of a vector and the bound on a sent report's weight, as `dp_amplification` takes
    /// them.
    fn limit(&self) -> WeightLimit {
        WeightLimit { length: self.length as u64, max_weight: self.max_weight() as u64 }
    }
}

/// `number` as a δ, rounded down to 12 significant digits; `None` unless the result is above 0 and
/// at most 1.
fn positive(number: &Rational) -> Option<Delta> {
    let delta = Delta::new(number.round_to_digits(DIGITS, Rounding::Down));
    delta.ok().filter(|delta| !delta.value().is_zero())
}
