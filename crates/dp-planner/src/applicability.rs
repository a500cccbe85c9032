//! Which policies apply to a job, and why the others do not.

use dp_calibration::strategy_matrix::{StrategyMatrix, Workload};
use dp_calibration::{Adjacency, Query};
use dp_exact::directed::to_index;
use dp_exact::{Delta, Epsilon, Rational};
use dp_prio3::randomizers::Rappor;
use dp_task::{AggregatorNoiseType, ClientNoise, ClientNoiseType, PolicyName, VdafType};

use crate::local_noise::Randomized;
use crate::{Error, Job};

impl Job {
    /// The reason why a policy does not apply to this job; `None` if it applies.
    pub(crate) fn misfit(&self, policy: &PolicyName) -> Option<String> {
        let (vdaf, randomizer) = (policy.vdaf, policy.client_noise);
        let is_one_hot = randomizer.is_some_and(ClientNoiseType::is_one_hot);
        let reason = match (&self.query, vdaf) {
            _ if policy.aggregator_noise == Some(AggregatorNoiseType::Compensation) => {
                "it adds reports only to batches that lack some: with all of them it is \
                 multihot-one-hot-rappor"
            }
            _ if self.workload != Workload::Buckets && randomizer.is_some() => {
                "where clients add noise, the errors of percentiles and ranges are not known"
            }
            (Query::Histogram { length }, VdafType::Histogram) if policy.strategy().is_some() => {
                if self.workload != Workload::Buckets {
                    return StrategyMatrix::check_length(*length)
                        .err()
                        .map(|error| error.to_string());
                }
                "its strategy matrix makes single buckets noisier: it is for percentiles (--for percentiles) \
                 and ranges (--for ranges)"
            }
            (Query::Count, _) if randomizer == Some(ClientNoiseType::CoinFlip) => {
                "coin flips are randomized response with the parameter epsilon = ln 3"
            }
            _ if randomizer == Some(ClientNoiseType::BasicRappor) => {
                "it is the policy of one-hot RAPPOR with the parameter epsilon = 2 epsilon0"
            }
            _ if randomizer == Some(ClientNoiseType::KaryRandomizedResponse)
                && self.adjacency == Adjacency::Deletion =>
            {
                "no answer counts nothing, so that deletion means nothing for it"
            }
            (Query::Histogram { .. }, VdafType::MultihotCountVec) => match randomizer {
                Some(_) if is_one_hot => return None,
                Some(_) => {
                    "one bit of a bucket is set, for which multihot-one-hot-rappor guarantees as much \
                     and drops fewer reports"
                }
                None => "histogram policies add the same noise to shorter reports",
            },
            (Query::MultihotCountVec { .. }, VdafType::MultihotCountVec) if is_one_hot => {
                "it takes vectors of which exactly one bit is set"
            }
            (query, vdaf) if vdaf_of(query) == vdaf => return None,
            (_, vdaf) => return Some(format!("{} aggregates something else", vdaf.name())),
        };
        Some(reason.to_owned())
    }

    /// The query whose totals receive the policy's noise: the histogram behind the policy's
    /// strategy matrix, by which its totals are multiplied; without a matrix the job's query.
    pub(crate) fn query_of(&self, policy: &PolicyName) -> Query {
        match (policy.strategy(), &self.query) {
            (Some(family), &Query::Histogram { length }) => {
                Query::HistogramRanges { length, family }
            }
            (_, query) => query.clone(),
        }
    }

    /// What clients of a policy with this noise randomize, with the number of responses in which
    /// neighbours differ.
    pub(crate) fn randomized(&self, randomizer: ClientNoiseType) -> Randomized {
        let bits_per_one = match self.adjacency {
            Adjacency::Replacement => 2,
            Adjacency::Deletion | Adjacency::OneCoordinate => 1,
        };
        match randomizer {
            ClientNoiseType::CoinFlip | ClientNoiseType::RandomizedResponse => Randomized::Bits(1),
            ClientNoiseType::KaryRandomizedResponse => Randomized::Answer(self.estimates()),
            ClientNoiseType::OneHotRappor | ClientNoiseType::BasicRappor => {
                Randomized::Bits(bits_per_one)
            }
            ClientNoiseType::SymmetricRappor if self.adjacency == Adjacency::OneCoordinate => {
                Randomized::Bits(1)
            }
            ClientNoiseType::SymmetricRappor => {
                let changed = self.max_weight().saturating_mul(bits_per_one);
                Randomized::Bits(changed.min(self.estimates()))
            }
        }
    }

    /// The client noise of a policy of this kind with this parameter. One-hot RAPPOR may drop
    /// reports with a probability that is a negligible part of `delta` over all releases, other
    /// RAPPOR drops none.
    pub(crate) fn client_noise(
        &self,
        parameter: &Epsilon,
        kind: ClientNoiseType,
        delta: &Delta,
    ) -> Result<ClientNoise, Error> {
        // Basic RAPPOR, whose parameter is not ε₀, is planned as one-hot RAPPOR.
        kind.with(parameter.clone(), to_index(self.max_weight()), |epsilon0, _| {
            if !kind.is_one_hot() {
                // Measurements of unequal weight would be dropped unequally often.
                return Ok(Rational::zero());
            }
            let share = delta.value().checked_div(&Rational::from(u64::from(self.releases)));
            let share = Delta::new(share.expect("a job has at least one release"))?;
            Ok(Rappor::negligible_rate(to_index(self.estimates()), 1, epsilon0.clone(), &share)?)
        })
    }

    /// The largest number of ones in a vector of bits; 1 for other measurements.
    pub(crate) fn max_weight(&self) -> u64 {
        match self.query {
            Query::MultihotCountVec { max_weight, .. } => max_weight as u64,
            _ => 1,
        }
    }
}

/// The Prio3 type that computes a query.
#[must_use]
pub const fn vdaf_of(query: &Query) -> VdafType {
    match query {
        Query::Count => VdafType::Count,
        Query::Sum { .. } => VdafType::Sum,
        Query::Average { .. } => VdafType::Average,
        Query::SumVec { .. } => VdafType::SumVec,
        Query::Histogram { .. } | Query::HistogramRanges { .. } => VdafType::Histogram,
        Query::MultihotCountVec { .. } => VdafType::MultihotCountVec,
        Query::L1BoundSum { .. } => VdafType::L1BoundSum,
    }
}
