//! Consistent estimates: the nearest ones that satisfy the constraints of all possible totals.
//!
//! The constraints follow from the public number of reports and from the policy, not from the
//! measurements: this is post-processing, and costs no privacy.

use std::fmt::{self, Display, Formatter};

use dp_calibration::Query;
use dp_task::{ClientNoiseType, Task};

use crate::outcome::as_f64;

/// A constraint on totals, or on means, of a public number of reports.
///
/// Estimates are projected to the nearest vector, in Euclidean distance, that satisfies it. These
/// vectors are a convex set that contains the truth: the error never grows in that distance. The
/// price is a bias: on average, estimates near an end of their range are shifted inwards.
///
/// ```
/// use dp_simulation::Consistency;
///
/// let mut buckets = [7.0, -3.0, 1.0];
/// Consistency::Partition.project(5, &mut buckets);
/// assert_eq!(buckets, [5.0, 0.0, 0.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consistency {
    /// Each total is from 0 to this number times the number of reports.
    Range(u128),
    /// Each mean is from 0 to this number.
    Mean(u128),
    /// Totals are at least 0 and add up to the number of reports: each report is in one bucket.
    Partition,
    /// Totals are at least 0 and add up to at most this number times the number of reports.
    Bounded(u128),
}

impl Consistency {
    /// The constraint on the totals of this task. One-hot randomizers keep the sum of all totals,
    /// so their totals are a partition.
    #[must_use]
    pub fn of_task(task: &Task) -> Self {
        let randomizer = task.policy_name().client_noise;
        match task.query() {
            _ if randomizer.is_some_and(ClientNoiseType::is_one_hot) => Self::Partition,
            Query::Count | Query::MultihotCountVec { .. } => Self::Range(1),
            Query::Sum { max_measurement } | Query::SumVec { max_measurement, .. } => {
                Self::Range(*max_measurement)
            }
            Query::Average { max_measurement } => Self::Mean(*max_measurement),
            Query::Histogram { .. } | Query::HistogramRanges { .. } => Self::Partition,
            Query::L1BoundSum { max_measurement, .. } => Self::Bounded(*max_measurement),
        }
    }

    /// Replaces the estimates over `reports` reports by the nearest ones that satisfy the
    /// constraint.
    pub fn project(self, reports: u64, estimates: &mut [f64]) {
        let most = |max: u128| float(max) * float(reports.into());
        match self {
            Self::Range(max) => clamp(estimates, most(max)),
            Self::Mean(max) => clamp(estimates, float(max)),
            Self::Partition => project_to_total(estimates, float(reports.into())),
            Self::Bounded(max) => {
                let total: f64 = estimates.iter().map(|estimate| estimate.max(0.0)).sum();
                if total > most(max) {
                    project_to_total(estimates, most(max));
                } else {
                    clamp(estimates, f64::INFINITY);
                }
            }
        }
    }
}

impl Display for Consistency {
    /// The projection and its bias, in words.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let (projection, bias) = match self {
            Self::Range(_) => (
                "each estimate is changed to the nearest value in the range of a total over these \
                 reports",
                INWARDS,
            ),
            Self::Mean(_) => (
                "each estimate is changed to the nearest value in the range of the measurements",
                INWARDS,
            ),
            Self::Partition => (
                "the estimates are changed to the nearest that are not negative and add up to the \
                 number of reports",
                TOGETHER,
            ),
            Self::Bounded(_) => (
                "the estimates are changed to the nearest that are not negative and add up to no \
                 more than these reports can",
                TOGETHER,
            ),
        };
        write!(
            formatter,
            "{projection}. This costs no privacy. It is biased: on average {bias}. The intervals \
             are about the estimates before it"
        )
    }
}

const INWARDS: &str = "estimates near an end of the range are shifted inwards";

const TOGETHER: &str = "totals near 0 come out too large, and large ones too small";

/// Replaces each estimate by the nearest number from 0 to `most`.
fn clamp(estimates: &mut [f64], most: f64) {
    let estimates = estimates.iter_mut();
    estimates.for_each(|estimate| *estimate = estimate.max(0.0).min(most));
}

/// Projects the estimates to the nearest ones that are at least 0 and add up to `total` ≥ 0: each
/// is lowered by one amount, but not below 0 (Held, Wolfe and Crowder 1974, "Validation of
/// subgradient optimization"; Duchi et al. 2008, "Efficient projections onto the l1-ball", fig. 1).
fn project_to_total(estimates: &mut [f64], total: f64) {
    let mut descending = estimates.to_vec();
    descending.sort_unstable_by(|one, other| other.total_cmp(one));
    let (mut sum, mut lowered) = (0.0, 0.0);
    for (count, estimate) in (1_u32..).zip(&descending) {
        sum += estimate;
        let candidate = (sum - total) / f64::from(count);
        // The largest estimate is lowered to at most the total.
        if count > 1 && *estimate <= candidate {
            break;
        }
        lowered = candidate;
    }
    let estimates = estimates.iter_mut();
    estimates.for_each(|estimate| *estimate = (*estimate - lowered).max(0.0));
}

/// The nearest float; the largest one beyond the range of `i128`.
fn float(integer: u128) -> f64 {
    i128::try_from(integer).map_or(f64::MAX, as_f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn consistency() -> impl Strategy<Value = Consistency> {
        prop::sample::select(vec![
            Consistency::Range(1),
            Consistency::Range(3),
            Consistency::Mean(7),
            Consistency::Partition,
            Consistency::Bounded(2),
        ])
    }

    proptest! {
        #[test]
        fn the_nearest_consistent_estimates_are_nearer_to_every_truth(
            of in consistency(),
            pairs in prop::collection::vec((-30.0..60.0_f64, 0.01..1.0_f64), 1..9),
        ) {
            let (raw, weights): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let mut moved = raw.clone();
            of.project(10, &mut moved);
            // Some vector that could be true of ten reports, the most of a total and of all totals.
            let total: f64 = weights.iter().sum();
            let (scale, most, sum) = match of {
                Consistency::Range(max) => (10.0 * float(max), 10.0 * float(max), f64::INFINITY),
                Consistency::Mean(max) => (float(max), float(max), f64::INFINITY),
                Consistency::Partition => (10.0 / total, 10.0, 10.0),
                Consistency::Bounded(max) => {
                    (10.0 * float(max) / total.max(1.0), f64::INFINITY, 10.0 * float(max))
                }
            };
            // The projection on a convex set: the angle at it is obtuse (variational inequality),
            // so it is nearer to the truth.
            let terms = raw.iter().zip(&moved).zip(&weights);
            let product: f64 =
                terms.map(|((raw, moved), weight)| (raw - moved) * (scale * weight - moved)).sum();
            prop_assert!(product <= 1e-9, "{of:?} {raw:?} {moved:?}");
            prop_assert!(moved.iter().all(|one| (0.0..=most + 1e-9).contains(one)), "{moved:?}");
            let all: f64 = moved.iter().sum();
            prop_assert!(all <= sum + 1e-9 && (of != Consistency::Partition || all > sum - 1e-9));
        }
    }
}
