//! The sums of the randomized bits of all honest clients, with the noise of honest aggregators or
//! without.

use dp_amplification::aggregated_rappor::{AggregatedRappor, MultiHot};
use dp_amplification::hedged::Hedged;
use dp_calibration::{Adjacency, NoiseDistribution};
use dp_exact::{Delta, Epsilon, Rational};

use crate::Error;

/// The sums of honest clients' flipped bits, with or without aggregator noise, whose ε
/// `dp_amplification` bounds.
pub(super) enum BitSums {
    WithoutNoise(AggregatedRappor),
    WithNoise(Hedged),
}

impl BitSums {
    /// The sums over `clients` honest clients, who flip each bit with probability 1/(e^ε₀ + 1).
    /// `noise` has the distribution of one honest aggregator's noise, and the number of honest
    /// aggregators.
    pub(super) fn new(
        epsilon0: &Epsilon,
        clients: u64,
        noise: Option<(&NoiseDistribution, u32)>,
    ) -> Result<Self, Error> {
        Ok(match noise {
            None => Self::WithoutNoise(AggregatedRappor::new(epsilon0.clone(), clients)?),
            Some((noise, aggregators)) => {
                let hedged = Hedged::new(epsilon0.clone(), clients, noise.clone(), aggregators)?;
                Self::WithNoise(hedged)
            }
        })
    }

    /// Upper bound on ε at `delta` of `releases` releases together. In each release two counts
    /// change under replacement, one under deletion. `None` where nothing is proved.
    pub(super) fn epsilon(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        releases: u32,
    ) -> Result<Option<Rational>, Error> {
        if releases > 1 {
            return self.epsilon_of_counts(delta, changed_counts(adjacency, releases));
        }
        Ok(match self {
            Self::WithoutNoise(sum) => Some(sum.epsilon(delta, adjacency)?.upper),
            Self::WithNoise(sum) => sum.epsilon(delta, adjacency)?,
        })
    }

    /// Upper bound on ε at `delta` where `counts` counts change, over all releases. `None` where
    /// nothing is proved.
    pub(super) fn epsilon_of_counts(
        &self,
        delta: &Delta,
        counts: u64,
    ) -> Result<Option<Rational>, Error> {
        Ok(match self {
            Self::WithoutNoise(sum) => Some(sum.epsilon_of_counts(delta, counts)?),
            Self::WithNoise(sum) => sum.epsilon_of_counts(delta, counts)?,
        })
    }

    /// Upper bound on ε at `delta` of one release of vectors with several ones, where vectors of
    /// more than `max_weight` ones are dropped. `None` where nothing is proved.
    pub(super) fn epsilon_multi_hot(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        input: MultiHot,
        max_weight: u64,
    ) -> Result<Option<Rational>, Error> {
        Ok(match self {
            Self::WithoutNoise(sum) => {
                Some(sum.epsilon_multi_hot_with_drops(delta, adjacency, input, max_weight)?.upper)
            }
            Self::WithNoise(sum) => {
                sum.epsilon_multi_hot_with_drops(delta, adjacency, input, max_weight)?
            }
        })
    }
}

/// The number of counts that one person changes in `releases` releases together, of vectors with
/// one bit set.
pub(super) fn changed_counts(adjacency: Adjacency, releases: u32) -> u64 {
    let each: u64 = match adjacency {
        Adjacency::Replacement => 2,
        Adjacency::Deletion => 1,
    };
    each * u64::from(releases)
}
