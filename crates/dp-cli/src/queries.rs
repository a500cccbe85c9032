//! What a query says of its measurements, and the query that a policy asks in its place.

use dp_calibration::Query;
use dp_task::{PolicyName, Randomizer, VdafType};

/// What a policy has to aggregate to answer this; `None` if it aggregates something else. A bucket is also a vector of
/// bits of which one is set.
pub(crate) fn as_asked(policy: PolicyName, query: &Query) -> Option<Query> {
    let is_one_hot = policy.client_noise.is_some_and(is_one_hot);
    match (policy.vdaf, query) {
        (VdafType::Count, Query::Count)
        | (VdafType::Sum, Query::Sum { .. })
        | (VdafType::Average, Query::Average { .. })
        | (VdafType::SumVec, Query::SumVec { .. })
        | (VdafType::L1BoundSum, Query::L1BoundSum { .. })
        | (VdafType::Histogram, Query::Histogram { .. }) => Some(query.clone()),
        (VdafType::MultihotCountVec, Query::MultihotCountVec { max_weight, .. }) => {
            (!is_one_hot || *max_weight == 1).then(|| query.clone())
        }
        (VdafType::MultihotCountVec, Query::Histogram { length }) => {
            Some(Query::MultihotCountVec {
                length: *length,
                max_weight: 1,
            })
        }
        (
            VdafType::Histogram,
            Query::MultihotCountVec {
                length,
                max_weight: 1,
            },
        ) => Some(Query::Histogram { length: *length }),
        _ => None,
    }
}

/// The largest number, or of a vector of bits the most ones; `None` where a measurement is a bit or a bucket.
pub(crate) fn bound(query: &Query) -> Option<u128> {
    match query {
        Query::Count | Query::Histogram { .. } => None,
        Query::Sum { max_measurement }
        | Query::Average { max_measurement }
        | Query::SumVec {
            max_measurement, ..
        }
        | Query::L1BoundSum {
            max_measurement, ..
        } => Some(*max_measurement),
        Query::MultihotCountVec { max_weight, .. } => u128::try_from(*max_weight).ok(),
    }
}

/// Whether a randomizer takes vectors with exactly one bit that is set.
pub(crate) const fn is_one_hot(randomizer: Randomizer) -> bool {
    matches!(
        randomizer,
        Randomizer::OneHotRappor | Randomizer::BasicRappor
    )
}
