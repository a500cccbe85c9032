//! Which policies can do a job, and why the others cannot.

use dp_calibration::{Adjacency, Query};
use dp_task::{AggregatorNoiseType, ClientNoiseType, PolicyName, VdafType};

use crate::client::{Kind, Local, coin_flip};
use crate::{Error, Job};

impl Job {
    /// Why a policy is not for this job, if it is not.
    pub(crate) fn misfit(&self, policy: &PolicyName) -> Option<String> {
        if policy.aggregator_noise == Some(AggregatorNoiseType::Compensation) {
            let reason = "it adds reports only to batches that lack some: with all of them it is \
                          multihot-one-hot-rappor";
            return Some(reason.to_owned());
        }
        let (of_policy, randomizer) = (policy.vdaf, policy.client_noise);
        if randomizer == Some(ClientNoiseType::BasicRappor) {
            let reason =
                "it is the policy of one-hot RAPPOR with the parameter epsilon = 2 epsilon0";
            return Some(reason.to_owned());
        }
        let is_of_answers = randomizer == Some(ClientNoiseType::KaryRandomizedResponse);
        if is_of_answers && self.adjacency == Adjacency::Deletion {
            let reason = "no answer counts nothing, so that deletion means nothing for it";
            return Some(reason.to_owned());
        }
        match (&self.query, of_policy) {
            (Query::Histogram { .. }, VdafType::MultihotCountVec) => match randomizer {
                Some(ClientNoiseType::OneHotRappor | ClientNoiseType::BasicRappor) => None,
                Some(_) => Some(
                    "one bit of a bucket is set, for which multihot-one-hot-rappor guarantees as much \
                     and drops fewer reports"
                        .to_owned(),
                ),
                None => Some("histogram policies add the same noise to shorter reports".to_owned()),
            },
            (Query::MultihotCountVec { .. }, VdafType::MultihotCountVec) => match randomizer {
                Some(ClientNoiseType::OneHotRappor | ClientNoiseType::BasicRappor) => {
                    Some("it takes vectors of which exactly one bit is set".to_owned())
                }
                _ => None,
            },
            (query, vdaf) if vdaf_of(query) == vdaf => None,
            (_, vdaf) => Some(format!("{} aggregates something else", vdaf.name())),
        }
    }

    /// What clients of this randomizer do, at some parameter.
    pub(crate) fn local(&self, randomizer: ClientNoiseType) -> Result<Local, Error> {
        let one_hot = match self.adjacency {
            Adjacency::Replacement => 2,
            Adjacency::Deletion => 1,
        };
        let kind = match randomizer {
            ClientNoiseType::CoinFlip | ClientNoiseType::RandomizedResponse => Kind::Bits(1),
            ClientNoiseType::KaryRandomizedResponse => Kind::Answers(self.estimates()),
            ClientNoiseType::OneHotRappor | ClientNoiseType::BasicRappor => Kind::Bits(one_hot),
            ClientNoiseType::SymmetricRappor => {
                Kind::Bits(self.ones().saturating_mul(one_hot).min(self.estimates()))
            }
        };
        let parameter = match randomizer {
            ClientNoiseType::CoinFlip => coin_flip()?,
            _ => "1".parse()?,
        };
        Ok(Local { parameter, kind })
    }

    /// The most ones of a measurement.
    pub(crate) fn ones(&self) -> u64 {
        match self.query {
            Query::MultihotCountVec { max_weight, .. } => {
                u64::try_from(max_weight).unwrap_or(u64::MAX)
            }
            _ => 1,
        }
    }
}

const fn vdaf_of(query: &Query) -> VdafType {
    match query {
        Query::Count => VdafType::Count,
        Query::Sum { .. } => VdafType::Sum,
        Query::Average { .. } => VdafType::Average,
        Query::SumVec { .. } => VdafType::SumVec,
        Query::Histogram { .. } => VdafType::Histogram,
        Query::MultihotCountVec { .. } => VdafType::MultihotCountVec,
        Query::L1BoundSum { .. } => VdafType::L1BoundSum,
    }
}
