//! The errors of estimates, with the noise of clients and of all aggregators. None of these figures
//! decides a guarantee.
//!
//! Margins of single totals follow from the exact tails of aggregator noise alone. Otherwise errors
//! are assumed to be normal. The known number of reports corrects the buckets of a histogram. The
//! errors of prefixes and ranges, corrected by the known number of reports, follow from one
//! variance and a factor ([`WorkloadVariance`]). K-ary answers in n buckets of equal shares add up
//! to 0: their errors equal the errors of independent noise with n/(n − 1) times the variance of a
//! bucket.

use dp_calibration::strategy_matrix::{Workload, WorkloadVariance};
use dp_calibration::utility::{Estimates, NoisyTotal, largest_noise};
use dp_calibration::{Query, VectorNoise};
use dp_exact::search::bisect_floats;
use dp_exact::{Interval, Rational, Rounding, directed, elementary};
use dp_prio3::mechanisms::{NoiseKind, NoiseMechanism};
use dp_task::PolicyName;
use serde::{Serialize, Serializer};

use crate::local_noise::{LocalNoise, Randomized};
use crate::target::{Accuracy, ErrorBound};
use crate::{Error, Job};

/// Largest number of aggregators whose sum of noises is exact; of more it is taken as normal.
pub(crate) const MAX_ADDED: usize = 64;

/// Probability with which an error may exceed its margin.
const BETA: f64 = 0.05;

/// Errors of the estimates, in their unit: of single totals, or of the prefixes or ranges of a
/// histogram by the job's workload.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EstimateErrors {
    /// Standard deviation of one estimate; of prefixes or ranges the root mean square over all.
    #[serde(serialize_with = "as_text")]
    pub std: f64,
    /// The error of one estimate exceeds this with probability at most 5 %.
    #[serde(serialize_with = "as_text")]
    pub margin_95: f64,
    /// The largest error of all estimates exceeds this with probability at most 5 %.
    #[serde(serialize_with = "as_text")]
    pub max_error_95: f64,
}

/// Writes a number as a text, with all of its digits.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's interface")]
fn as_text<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// The noise of each client, and of each aggregator with the budget that a policy states for it.
#[derive(Clone, Debug)]
pub(crate) struct PolicyNoise {
    pub(crate) clients: Option<LocalNoise>,
    pub(crate) aggregators: Option<NoiseMechanism>,
}

impl From<LocalNoise> for PolicyNoise {
    /// The noise of clients alone.
    fn from(local: LocalNoise) -> Self {
        Self { clients: Some(local), aggregators: None }
    }
}

impl PolicyNoise {
    /// The parameters by name. ε₀ of RAPPOR is `epsilon0`, every other ε of clients `epsilon`.
    pub(crate) fn parameters(&self, policy: &PolicyName) -> Vec<(&'static str, Rational)> {
        let name = policy.client_parameter().filter(|name| *name == "epsilon0");
        let name = name.unwrap_or("epsilon");
        let clients = self.clients.iter().map(|local| (name, local.parameter.value().clone()));
        let aggregators = self.aggregators.iter().map(|noise| {
            let (name, value) = noise.distribution().parameter();
            (name, value.clone())
        });
        clients.chain(aggregators).collect()
    }
}

impl Job {
    /// Standard deviation of one estimate over `reports` reports, in its unit. With the variances
    /// `sums` of prefixes or ranges it is the root mean square over these.
    pub(crate) fn std(
        &self,
        noise: &PolicyNoise,
        reports: u64,
        sums: Option<WorkloadVariance>,
    ) -> f64 {
        let of_sums = sums.map_or(1.0, |sums| sums.mean.sqrt());
        self.std_in_cells(noise, reports) * of_sums * self.unit(reports)
    }

    /// The errors of all estimates over `reports` reports, with `sums` as for [`std`](Self::std).
    pub(crate) fn errors(
        &self,
        noise: &PolicyNoise,
        reports: u64,
        sums: Option<WorkloadVariance>,
    ) -> Result<EstimateErrors, Error> {
        let estimates = self.estimates();
        let each = self.std_in_cells(noise, reports);
        let errors = match (sums, self.total_noise(noise)) {
            (None, Some(total)) => {
                let beta = Rational::new(1, 20)?;
                let largest = total.margin_of_all(0, estimates, &beta)?;
                [total.standard_deviation(0), total.margin(0, &beta)?, largest]
            }
            (None, None) => {
                // Of n independent errors none exceeds its margin with probability 1 − β if each
                // exceeds it with 1 − (1 − β)^(1/n).
                let none_exceeds = elementary::ln_1p(-BETA) / directed::count(estimates);
                let share = -elementary::exp_m1(none_exceeds);
                [each, normal_margin_95(each), each * two_sided(share)]
            }
            (Some(sums), _) => {
                let std = each * sums.mean.sqrt();
                // By the union bound, with the largest deviation for all.
                let share = BETA / directed::count(self.workload.estimates(estimates));
                [std, normal_margin_95(std), each * sums.largest.sqrt() * two_sided(share)]
            }
        };
        let [std, margin_95, max_error_95] = errors.map(|error| error * self.unit(reports));
        Ok(EstimateErrors { std, margin_95, max_error_95 })
    }

    /// The noise of all aggregators in a total; `None` if clients add noise, no aggregator does, or
    /// they are more than [`MAX_ADDED`].
    fn total_noise(&self, noise: &PolicyNoise) -> Option<NoisyTotal> {
        match (&noise.clients, &noise.aggregators) {
            (None, Some(noise)) if self.aggregators <= MAX_ADDED => {
                let aggregators = u32::try_from(self.aggregators).expect("at most 254");
                let total = NoisyTotal::of_aggregators(noise.distribution().clone(), aggregators);
                Some(total.with_known_sum(self.corrected_buckets(None)))
            }
            _ => None,
        }
    }

    /// Standard deviation, in cells of the grid, of a debiased total over `reports` reports with
    /// the noise of clients and of all aggregators.
    fn std_in_cells(&self, noise: &PolicyNoise, reports: u64) -> f64 {
        let added = noise.aggregators.as_ref().map(NoiseMechanism::distribution);
        let each = added.map_or(0.0, VectorNoise::standard_deviation);
        // Debiasing multiplies the noise of aggregators as well.
        let (variance, factor) = noise.clients.as_ref().map_or((0.0, 1.0), |local| {
            (local.variance(reports, self.estimates()), local.debiasing_factor())
        });
        let added = self.draws(noise.clients.as_ref()) * elementary::powi(factor * each, 2);
        (variance + added).sqrt()
    }

    /// The number d of totals that the known number of reports corrects: the buckets of a histogram
    /// whose clients do not randomize or give k-ary answers. 1 if none is corrected; prefixes and
    /// ranges have the correction in their [`WorkloadVariance`].
    fn corrected_buckets(&self, clients: Option<&LocalNoise>) -> u64 {
        let is_one_bucket =
            clients.is_none_or(|local| matches!(local.randomized, Randomized::Answer(_)));
        match (self.workload, &self.query) {
            (Workload::Buckets, Query::Histogram { .. }) if is_one_bucket => self.estimates(),
            _ => 1,
        }
    }

    /// The variance of the noise of all A aggregators in an estimate, before it is debiased, as a
    /// multiple of the variance of a draw: A, or A·(1 − 1/d) where d totals are corrected.
    pub(crate) fn draws(&self, clients: Option<&LocalNoise>) -> f64 {
        let kept = match self.corrected_buckets(clients) {
            1 => 1.0,
            buckets => 1.0 - directed::count(buckets).recip(),
        };
        directed::index(self.aggregators) * kept
    }

    /// One cell of a total in the unit of the estimate: the grid's step, 1 without a grid, divided
    /// by `reports` for a mean.
    pub(crate) fn unit(&self, reports: u64) -> f64 {
        let cell = self.grid.as_ref().map_or(1.0, |grid| grid.granularity().to_f64());
        match self.query {
            Query::Average { .. } => cell / directed::count(reports),
            _ => cell,
        }
    }

    /// The largest entry of a measurement, in cells.
    fn largest_entry(&self) -> f64 {
        Rational::integer(self.query.max_entry()).to_f64()
    }

    /// The error that an accuracy allows over `reports` reports, in the unit of the estimate.
    pub(crate) fn allowed(&self, accuracy: &Accuracy, reports: u64) -> f64 {
        let (Accuracy::StandardDeviation(bound) | Accuracy::Margin(bound)) = accuracy;
        match bound {
            ErrorBound::Absolute(value) => value.to_f64(),
            ErrorBound::Fraction(fraction) => {
                let largest = self.largest_entry() * directed::count(reports) * self.unit(reports);
                fraction.to_f64() * largest
            }
        }
    }

    /// The largest standard deviation of one total, in cells, with which normal errors have this
    /// accuracy: errors of the total or, with their variances `sums`, of prefixes or ranges.
    pub(crate) fn deviation_within(
        &self,
        accuracy: &Accuracy,
        reports: u64,
        sums: Option<WorkloadVariance>,
    ) -> f64 {
        let deviations = match accuracy {
            Accuracy::StandardDeviation(_) => 1.0,
            Accuracy::Margin(_) => two_sided(BETA),
        };
        let of_sums = sums.map_or(1.0, |sums| sums.mean.sqrt());
        self.allowed(accuracy, reports) / self.unit(reports) / deviations / of_sums
    }

    /// Sampling error of one estimate without any noise: of a bucket of average size for a
    /// histogram, or the root mean square over its prefixes or ranges if buckets have equal shares;
    /// an upper bound for other queries.
    #[must_use]
    pub fn sampling_error(&self) -> f64 {
        let of_share = |share: f64| share * (1.0 - share);
        let variance = match (self.workload, &self.query) {
            (Workload::Buckets, Query::Histogram { length }) => {
                of_share(directed::index(*length).recip())
            }
            (Workload::Percentiles | Workload::Ranges, Query::Histogram { length }) => {
                let sums = self.workload.of_independent_noise(self.estimates());
                sums.mean / directed::index(*length)
            }
            _ => of_share(0.5),
        };
        let each = self.largest_entry() * variance.sqrt();
        each * directed::count(self.clients).sqrt() * self.unit(self.clients)
    }

    /// The largest noise of one aggregator with which the error of a total with the noise of all
    /// aggregators is at most `allowed`, in cells, with probability 95 % or more.
    pub(crate) fn noise_of_margin(
        &self,
        kind: NoiseKind,
        allowed: f64,
    ) -> Result<VectorNoise, Error> {
        let aggregators = u32::try_from(self.aggregators).expect("at most 254");
        let estimate = Estimates { coordinates: 1, beta: Rational::new(1, 20)?, aggregators };
        let of = |parameter| kind.vector(parameter, self.totals());
        Ok(of(largest_noise(&estimate, self.corrected_buckets(None), allowed, of)?))
    }

    /// The number of totals; 2^32 − 1 where there are more.
    pub(crate) fn totals(&self) -> u32 {
        u32::try_from(self.estimates()).unwrap_or(u32::MAX)
    }
}

/// The noise of `length` totals whose standard deviation in each is `deviation` or, by 10^−12
/// relative and rounding down to 12 digits, slightly less.
pub(crate) fn noise_of_deviation(
    kind: NoiseKind,
    deviation: f64,
    length: u32,
) -> Result<VectorNoise, Error> {
    let parameter = match kind {
        // √(2q)/(1 − q) = 1/(√2·sinh(1/2t))
        NoiseKind::DiscreteLaplace => {
            (2.0 * elementary::asinh((std::f64::consts::SQRT_2 * deviation).recip())).recip()
        }
        NoiseKind::DiscreteGaussian => deviation * deviation,
        NoiseKind::DiscreteKNorm => {
            // The variance is at least t²(d + 1)(d + 2)/3 − 1/12.
            let square =
                directed::count(u64::from(length) + 1) * directed::count(u64::from(length) + 2);
            let most = ((deviation * deviation + 1.0) * 3.0 / square).sqrt();
            let is_too_large = |scale: f64| {
                let scale = Rational::from_f64(scale).expect("a finite scale");
                kind.vector(scale, length).standard_deviation() > deviation
            };
            bisect_floats((most / 64.0, most), 60, is_too_large).0
        }
    };
    let parameter = Rational::from_f64(parameter * (1.0 - 1e-12))?;
    Ok(kind.vector(parameter.round_to_digits(12, Rounding::Down), length))
}

/// The error that a normal estimate of this standard deviation exceeds with probability 5 %.
#[must_use]
pub fn normal_margin_95(std: f64) -> f64 {
    std * two_sided(BETA)
}

/// The normal quantile: |x| exceeds it, in standard deviations, with probability `beta`.
fn two_sided(beta: f64) -> f64 {
    let is_beyond = |deviations: f64| {
        let deviations = Rational::from_f64(deviations).expect("from 0 to 40");
        let tail = Interval::rational(&deviations, 64).normal_tail();
        2.0 * tail.expect("a tail of some e^-800 or more").midpoint() <= beta
    };
    bisect_floats((0.0, 40.0), 50, is_beyond).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_margins_are_the_known_ones() {
        assert!((two_sided(0.05) - 1.959_963_985).abs() < 1e-8);
        assert!((two_sided(1e-9) - 6.109_410_204).abs() < 1e-8);
    }
}
