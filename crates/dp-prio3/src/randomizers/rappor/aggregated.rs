//! What the bits of all honest clients hide in the sum of vectors with one bit, where heavy reports are
//! dropped.
//!
//! **Several releases.** Let C be the event that the client's own report is so heavy that whether it is
//! dropped may depend on its measurement. C has the same probability c under both measurements. Outside
//! of C a release is dominated by the pair of the counts, without the clients that may be dropped. In C it
//! is still a function of the client's randomized bits and of others, so that its privacy loss is at most
//! L, the sum of ε₀ over the places that change. With δ(ε) of k releases without C,
//!
//!   δ_all(ε) ≤ δ(ε) + kc·δ(ε − L) + (kc)²/2,
//!
//! as one release in C adds at most L to the loss, and two of k are in C with a probability of at most
//! (kc)²/2.

use dp_amplification::aggregated_rappor::{AggregatedRappor, RemainingClients, WeightLimit};
use dp_amplification::hedged::Hedged;
use dp_calibration::{Adjacency, NoiseDistribution};
use dp_exact::{Delta, Rational, Rounding};

use super::{Rappor, as_u64};
use crate::Error;
use crate::guarantees::{Circumstances, EpsilonDelta, share};

/// The largest share of δ that C may cost where it counts as if everything were revealed.
const RARE: u64 = 100;

/// One over the share of δ for one release in C.
const SECOND: u64 = 10;

/// Digits of what is left of a δ.
const DIGITS: usize = 12;

impl Rappor {
    /// What a neighbour does: two places change, or one if a measurement may be zero. Empty where more
    /// may change, or nothing.
    pub(crate) const fn changes(&self, adjacency: Adjacency) -> &'static [Adjacency] {
        match (self.input_weight, self.is_one_hot, adjacency) {
            (1, _, Adjacency::Deletion) => &[Adjacency::Deletion],
            (1, _, _) if self.length < 2 => &[],
            (1, true, _) => &[Adjacency::Replacement],
            (1, false, _) => &[Adjacency::Replacement, Adjacency::Deletion],
            _ => &[],
        }
    }

    /// The ε of the flips of all honest clients where one place or two change in each release.
    pub(super) fn aggregated(
        &self,
        adjacency: Adjacency,
        circumstances: &Circumstances,
    ) -> Result<Option<Rational>, Error> {
        let epsilon0 = || self.rappor.epsilon0().clone();
        let releases = circumstances.releases();
        if releases == 1 {
            let sum = AggregatedRappor::new(epsilon0(), circumstances.honest_clients())?;
            let delta = circumstances.delta();
            let bounds = sum.epsilon_with_drops(delta, adjacency, self.limit()?)?;
            return Ok(Some(bounds.upper));
        }
        self.despite_drops(circumstances, adjacency, |clients, delta| {
            let sum = AggregatedRappor::new(epsilon0(), clients)?;
            Ok(Some(sum.epsilon_of_counts(delta, counts(adjacency, releases))?))
        })
    }

    /// The ε of flips and noise together.
    pub(super) fn hedged(
        &self,
        adjacency: Adjacency,
        noise: &NoiseDistribution,
        aggregators: u32,
        circumstances: &Circumstances,
    ) -> Result<Option<Rational>, Error> {
        self.despite_drops(circumstances, adjacency, |clients, delta| {
            let epsilon0 = self.rappor.epsilon0().clone();
            let sum = Hedged::new(epsilon0, clients, noise.clone(), aggregators)?;
            match circumstances.releases() {
                1 => Ok(Some(sum.epsilon(delta, adjacency)?.upper)),
                releases => Ok(sum.epsilon_of_counts(delta, counts(adjacency, releases))?),
            }
        })
    }

    /// The largest ε over all that a neighbour may do; `None` where one of them has none.
    pub(crate) fn largest(
        &self,
        circumstances: &Circumstances,
        epsilon: impl Fn(Adjacency) -> Result<Option<Rational>, Error>,
    ) -> Result<Option<EpsilonDelta>, Error> {
        let mut largest = None;
        for adjacency in self.changes(circumstances.adjacency()) {
            match epsilon(*adjacency)? {
                Some(epsilon) => largest = largest.max(Some(epsilon)),
                None => return Ok(None),
            }
        }
        let loss = |epsilon| EpsilonDelta::new(epsilon, circumstances.delta().clone());
        largest.map(loss).transpose()
    }

    /// The ε of all releases, from `epsilon` of so many clients, whose reports are never dropped, at a
    /// δ; `None` if dropped reports leave nothing of δ.
    pub(crate) fn despite_drops(
        &self,
        circumstances: &Circumstances,
        adjacency: Adjacency,
        epsilon: impl Fn(u64, &Delta) -> Result<Option<Rational>, Error>,
    ) -> Result<Option<Rational>, Error> {
        let (clients, delta) = (circumstances.honest_clients(), circumstances.delta());
        let sum = AggregatedRappor::new(self.rappor.epsilon0().clone(), clients)?;
        let releases = Rational::from(u64::from(circumstances.releases()));
        let RemainingClients { clients, delta_of_others, critical, .. } =
            match circumstances.releases() {
                1 => sum.remaining_clients(delta, adjacency, self.limit()?)?,
                releases => {
                    let each = share(delta, releases.into())?;
                    sum.remaining_clients(&each, adjacency, self.limit()?)?
                }
            };
        let left = delta.value() - &(delta_of_others * &releases);
        let critical = critical * &releases;
        let is_rare = &critical * &Rational::from(RARE) <= *delta.value();
        if is_rare || circumstances.releases() == 1 {
            return match positive(&(left - &critical)) {
                Some(left) => epsilon(clients, &left),
                None => Ok(None),
            };
        }
        // A part of δ is for one release in C, and next to nothing for two of them.
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
        let most = self.rappor.epsilon0().value() * &Rational::from(counts(adjacency, 1));
        Ok(within.map(|within| without.max(within + &most)))
    }

    fn limit(&self) -> Result<WeightLimit, Error> {
        Ok(WeightLimit { length: as_u64(self.length)?, max_weight: as_u64(self.max_weight())? })
    }
}

/// A δ that is not above a number; `None` if that is not from 0 to 1.
fn positive(number: &Rational) -> Option<Delta> {
    let delta = Delta::new(number.round_to_digits(DIGITS, Rounding::Down));
    delta.ok().filter(|delta| !delta.value().is_zero())
}

/// How many counts change in `releases` releases of vectors with one bit.
pub(crate) fn counts(adjacency: Adjacency, releases: u32) -> u64 {
    let each: u64 = match adjacency {
        Adjacency::Replacement => 2,
        Adjacency::Deletion => 1,
    };
    each * u64::from(releases)
}
