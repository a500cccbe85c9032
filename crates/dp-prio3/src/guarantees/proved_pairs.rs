//! The pairs (ε, δ) that are proved of the same releases, and the best one at a given δ.
//!
//! A pair with a smaller ε but a larger δ is not better: the answer to a δ is the **least ε among
//! the pairs of no larger δ** (`docs/guarantees.md`, section 3).

use std::iter::once;

use dp_exact::{Delta, Rational};

use super::condition::{NoiseSource, Remark};
use super::epsilon_delta::EpsilonDelta;
use crate::Error;

/// The pairs (ε, δ) that are proved for one set of releases, beside the pair that rests on the
/// protected client's own randomness alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProvedPairs {
    pairs: Vec<(NoiseSource, EpsilonDelta)>,
    failures: Vec<Remark>,
}

/// The proved pair with the least ε at a given δ, and remarks for the guarantee.
#[derive(Clone, Debug)]
pub(crate) struct BestPair {
    pub(crate) pair: EpsilonDelta,
    pub(crate) source: NoiseSource,
    /// The pairs that could not be computed.
    pub(crate) remarks: Vec<Remark>,
}

impl ProvedPairs {
    /// Whether there is neither a pair nor a failed computation.
    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.failures.is_empty()
    }

    /// Whether a pair of at most this δ has at most this ε.
    pub(crate) fn reaches(&self, epsilon: &Rational, delta: &Delta) -> bool {
        self.pairs.iter().any(|(_, pair)| pair.epsilon.value() <= epsilon && pair.delta <= *delta)
    }

    /// Adds a pair. `Ok(None)`, for an unproved pair, adds nothing; `Err` adds a remark on the
    /// failed computation.
    pub(crate) fn add(&mut self, source: NoiseSource, pair: Result<Option<EpsilonDelta>, Error>) {
        match pair {
            Ok(pair) => self.pairs.extend(pair.map(|pair| (source, pair))),
            Err(error) => self.failures.push(Remark::NotComputed { source, error }),
        }
    }

    /// The pair of least ε among the client's `own` pair and the pairs with δ ≤ `delta`. Of two
    /// pairs with equal ε the one with the smaller δ. With it the remarks on failed computations.
    pub(crate) fn best(self, own: EpsilonDelta, delta: &Delta) -> BestPair {
        let own = (NoiseSource::Client, own);
        let others = self.pairs.iter().filter(|(_, pair)| pair.delta <= *delta);
        // The first one of equal pairs.
        let best = once(&own).chain(others);
        let best = best.min_by_key(|(_, pair)| (pair.epsilon.value(), &pair.delta));
        let (source, pair) = best.expect("the client's own pair").clone();
        BestPair { pair, source, remarks: self.failures }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(epsilon: &str, delta: &str) -> EpsilonDelta {
        let epsilon = epsilon.parse().expect("a rational");
        EpsilonDelta::new(epsilon, delta.parse().expect("a delta")).expect("a pair")
    }

    /// The client's pair, others, the δ that is asked for; the best pair, its source.
    #[test]
    fn the_least_epsilon_at_no_larger_delta_is_best() {
        use NoiseSource::{Aggregators, Client, ClientAndAggregators};
        let (one, half) = (pair("1", "0"), pair("0.3", "1/2"));
        let (two, large, small) = (pair("2", "0"), pair("1", "1e-6"), pair("1", "1e-9"));
        let on_both = (ClientAndAggregators, &small);
        for (client, others, delta, best, source) in [
            (&one, vec![(Aggregators, &half)], "1e-9", &one, Client),
            (&one, vec![(Aggregators, &half)], "1/2", &half, Aggregators),
            (&two, vec![(Aggregators, &large), on_both], "1e-6", &small, on_both.0),
        ] {
            let mut pairs = ProvedPairs::default();
            others.into_iter().for_each(|(source, pair)| pairs.add(source, Ok(Some(pair.clone()))));
            let found = pairs.best(client.clone(), &delta.parse().expect("a delta"));
            assert_eq!((&found.pair, found.source), (best, source));
        }
    }
}
