//! Unbiased estimates, their errors, and the range of totals.

// DIFFERENCE from draft-wang §6.1.2.1: the error counts the noise of every aggregator, honest or
// not, and the buckets of a histogram are corrected by the known number of reports.

use std::ops::{Range, RangeInclusive};

use dp_calibration::Query;
#[cfg(feature = "parties")]
use dp_calibration::strategy_matrix::NearlyNormal;
use dp_calibration::strategy_matrix::{CountError, CumulativeEstimate};
use dp_calibration::utility::NoisyTotal;
use dp_exact::Rational;
#[cfg(feature = "parties")]
use num_traits::ToPrimitive;

use super::Policy;
use crate::randomizers::Randomizer;
use crate::{Estimate, as_float};

/// The least variance of the noise in a total with which sums of noise behind a strategy matrix are
/// taken for nearly normal.
#[cfg(feature = "parties")]
const LEAST_NEARLY_NORMAL: f64 = 16.0;

impl Policy {
    /// The number that divides a total over `reports` reports to give the estimate: `reports` for a
    /// mean, else 1.
    #[must_use]
    pub fn divisor(&self, reports: u64) -> u64 {
        if matches!(self.query(), Query::Average { .. }) { reports } else { 1 }
    }

    /// The variance of the noise of all A aggregators in one total, and its excess kurtosis, which
    /// is 1/A of the excess kurtosis of one draw. Both are 0 if aggregators add no noise.
    fn noise_of_total(&self) -> (f64, f64) {
        let aggregators = as_float(self.aggregators());
        self.mechanism().map_or((0.0, 0.0), |noise| {
            (aggregators * noise.variance(), noise.excess_kurtosis() / aggregators)
        })
    }

    /// The number of randomized answers or bits in each total: `reports` and, with compensation,
    /// the bits that all aggregators add. Where a batch of this size has no plan it is `reports`,
    /// as then no aggregator releases its share.
    fn randomized_reports(&self, reports: u64) -> u64 {
        let plan = self.checked.added.compensator().and_then(|added| added.plan(reports).ok());
        plan.map_or(reports, |plan| plan.debias_count())
    }

    /// The policy whose collector takes the noisy totals of a histogram as they are: estimates do
    /// not add up to the number of reports, and have more error.
    #[must_use]
    pub fn with_raw_totals(self) -> Self {
        Self { raw_totals: true, ..self }
    }

    /// The number d of totals that the known number of reports corrects: the buckets of a histogram
    /// to which aggregators add noise. 1 where no total is corrected: other totals, raw ones, and
    /// behind a strategy matrix, whose estimator uses the number of reports itself.
    #[must_use]
    pub fn corrected_buckets(&self) -> u64 {
        match self.query() {
            Query::Histogram { length } if self.mechanism().is_some() && !self.raw_totals => {
                *length as u64
            }
            _ => 1,
        }
    }

    /// The noisy totals over `reports` reports as integers over their common denominator d, of
    /// [`Self::corrected_buckets`]. Each has its d-th of what all lack of the number of reports:
    /// the i-th is d·yᵢ + n − Σy. They saturate beyond totals that the policy accepts.
    pub(crate) fn corrected_totals(&self, totals: &[i128], reports: u64) -> (Vec<i128>, u64) {
        let buckets = self.corrected_buckets();
        if buckets == 1 {
            return (totals.to_vec(), 1);
        }
        let sum = totals.iter().fold(0_i128, |sum, total| sum.saturating_add(*total));
        let missing = i128::from(reports).saturating_sub(sum);
        let corrected = |total: &i128| total.saturating_mul(buckets.into()).saturating_add(missing);
        (totals.iter().map(corrected).collect(), buckets)
    }

    /// The estimates without rounding; `None` where clients randomize, for means, and behind a
    /// strategy matrix.
    #[must_use]
    pub fn exact_estimates(&self, totals: &[i128], reports: u64) -> Option<Vec<Rational>> {
        let is_rounded = self.checked.randomizer.is_some()
            || self.checked.added.strategy().is_some()
            || matches!(self.query(), Query::Average { .. });
        let (totals, buckets) = self.corrected_totals(totals, reports);
        let exact = |total: i128| Rational::integer(total).checked_div(&Rational::from(buckets));
        if is_rounded { None } else { totals.into_iter().map(exact).collect() }
    }

    /// Estimates, one for each total, from the signed noisy totals over `reports` reports. They are
    /// unbiased but for [`Self::bias_bound`]. The estimates of a histogram to which aggregators add
    /// noise add up to `reports`.
    #[must_use]
    pub fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        #[cfg(feature = "simulation")]
        if let Some(estimate) = self.deviation.as_ref().and_then(|one| one.estimates.as_ref()) {
            return estimate(&self.sound(), totals, reports);
        }
        let (mut variance, divisor) = (self.noise_of_total().0, self.divisor(reports));
        let (corrected, buckets) = self.corrected_totals(totals, reports);
        if buckets > 1 {
            // The correction takes the mean of the noise in all totals away: a d-th of its
            // variance.
            variance *= 1.0 - as_float(buckets).recip();
        }
        // Each corrected total as its whole part and the rest, from 0 to 1.
        let corrected = corrected.into_iter().map(|total| {
            let rest = as_float(total.rem_euclid(buckets.into())) / as_float(buckets);
            (total.div_euclid(buckets.into()), rest)
        });
        if let Some(randomizer) = self.checked.randomizer.as_ref() {
            let made_up = self.randomized_reports(reports) - reports;
            let slope = randomizer.slope();
            let stretched = slope / as_float(divisor);
            let noise = variance * stretched * stretched;
            let estimate = |(whole, rest): (i128, f64)| {
                let mut estimate = randomizer.estimate(whole, reports, made_up);
                if rest > 0.0 {
                    // Between two integers value and variance are linear in the total.
                    let next = randomizer.estimate(whole.saturating_add(1), reports, made_up);
                    let [low, high] =
                        [estimate, next].map(|one| one.standard_error * one.standard_error);
                    estimate.value += rest * slope;
                    estimate = estimate.with_noise(rest * (high - low));
                }
                estimate.divided(divisor).with_noise(noise)
            };
            return corrected.map(estimate).collect();
        }
        let standard_error = variance.sqrt();
        let Some(strategy) = self.checked.added.strategy() else {
            let estimate = |(whole, rest): (i128, f64)| {
                Estimate { value: as_float(whole) + rest, standard_error }.divided(divisor)
            };
            return corrected.map(estimate).collect();
        };
        let (estimator, deviations) = strategy.solver();
        let totals: Vec<f64> = totals.iter().copied().map(as_float).collect();
        let values = estimator.histogram(&totals, reports).into_iter().zip(deviations);
        let estimate = |(value, deviation): (f64, &f64)| Estimate {
            value,
            standard_error: deviation * standard_error,
        };
        values.map(estimate).collect()
    }

    /// The distribution function of a histogram, estimated from the signed noisy totals over
    /// `reports` reports; `None` if the measurement is no bucket, or the errors of its sums are not
    /// known.
    #[must_use]
    pub fn cumulative(&self, totals: &[i128], reports: u64) -> Option<CumulativeEstimate> {
        let errors = match (self.checked.added.strategy(), self.query()) {
            (Some(strategy), _) => {
                let (variance, kurtosis) = self.noise_of_total();
                strategy.solver().0.prefix_errors(variance, kurtosis)
            }
            (None, Query::Histogram { length }) => {
                let (total, buckets) = (self.noisy_total(reports)?, *length as u64);
                let prefixes = 1..=buckets;
                prefixes
                    .map(|end| CountError::of_sum(&total, end, buckets))
                    .collect::<Option<_>>()?
            }
            (None, _) => return None,
        };
        // The running totals end at the number of reports, also where the estimates are raw.
        let corrected = Self { raw_totals: false, ..self.clone() };
        let buckets = corrected.estimate(totals, reports).into_iter().map(|one| one.value);
        Some(CumulativeEstimate::new(buckets, reports, errors))
    }

    /// The error of the estimated number of reports in consecutive buckets, counted from 0; `None`
    /// where [`cumulative`](Self::cumulative) is, and for no bucket or one beyond the last.
    #[must_use]
    pub fn range_error(&self, buckets: Range<usize>) -> Option<CountError> {
        if buckets.is_empty() || buckets.end > self.query().totals() {
            return None;
        }
        if let Some(strategy) = self.checked.added.strategy() {
            let (variance, kurtosis) = self.noise_of_total();
            let error = strategy.solver().0.range(buckets).error(variance, kurtosis);
            return Some(CountError::NearlyNormal(error));
        }
        let Query::Histogram { length } = self.query() else { return None };
        CountError::of_sum(&self.noisy_total(0)?, buckets.len() as u64, *length as u64)
    }

    /// Half the width of the 95 % interval around an estimate that is not one noisy total, in
    /// standard errors. Behind a strategy matrix it is a weighted sum of the noise in all totals,
    /// which is taken for nearly normal with at most the excess kurtosis of one. Sums of narrower
    /// noise are few multiples of a step, and other noise has no known distribution: √20 standard
    /// errors hold for any (Chebyshev).
    #[cfg(feature = "parties")]
    pub(crate) fn standard_errors_of_95(&self) -> f64 {
        let (variance, excess_kurtosis) = self.noise_of_total();
        if self.checked.added.strategy().is_none() || variance < LEAST_NEARLY_NORMAL {
            return 20_f64.sqrt();
        }
        let error = NearlyNormal { standard_error: 1.0, excess_kurtosis };
        CountError::NearlyNormal(error).margin(0.95)
    }

    /// Upper bound on the bias of an estimate over `reports` reports, in absolute value: 0 unless
    /// clients drop vectors of several weights, of which heavier ones are dropped more often. It is
    /// part of every margin.
    #[must_use]
    pub fn bias_bound(&self, reports: u64) -> f64 {
        let rappor = self.checked.randomizer.as_ref().and_then(Randomizer::rappor);
        rappor.map_or(0.0, |rappor| rappor.bias_bound(reports))
    }

    /// The probabilities that a report adds one to a total, before any is dropped for its weight:
    /// if the client's measurement does, and if it does not. `None` if clients do not randomize.
    #[must_use]
    pub fn report_probabilities(&self) -> Option<[f64; 2]> {
        self.checked.randomizer.as_ref().map(Randomizer::report_probabilities)
    }

    /// The distribution of a noisy total over `reports` reports, corrected as in estimates, for
    /// confidence intervals; `None` behind a strategy matrix, where no estimate is one noisy total.
    #[must_use]
    pub fn noisy_total(&self, reports: u64) -> Option<NoisyTotal> {
        if self.checked.added.strategy().is_some() {
            return None;
        }
        let Ok(aggregators) = u32::try_from(self.aggregators()) else {
            unreachable!("at most 254 aggregators")
        };
        let noise = self.mechanism().map(|noise| noise.distribution().clone());
        let clients = self.checked.randomizer.as_ref().map(|randomizer| {
            let made_up = self.randomized_reports(reports) - reports;
            randomizer.noisy_total(reports, made_up)
        });
        let total = match (clients, noise) {
            (Some(clients), Some(noise)) => clients.with_noise(noise, aggregators),
            (Some(clients), None) => clients,
            (None, Some(noise)) => NoisyTotal::of_aggregators(noise, aggregators),
            (None, None) => return None,
        };
        Some(total.with_known_sum(self.corrected_buckets()))
    }

    /// The largest absolute value of a total over `reports` reports, at most as many as the policy
    /// allows, with the bits of compensation, but without the noise of aggregators.
    fn largest_total(&self, reports: u64) -> i128 {
        let reports = u128::from(self.randomized_reports(reports.min(self.max_reports())));
        i128::try_from(reports * self.checked.largest_change)
            .expect("totals of the most reports have room in the field")
    }

    /// An interval that holds all noisy totals over `reports` reports, except with probability
    /// 2^−64.
    #[must_use]
    pub fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        #[cfg(feature = "simulation")]
        if self.deviation.is_some() {
            return i128::MIN..=i128::MAX;
        }
        let (largest, noise) = (self.largest_total(reports), self.checked.added.noise_bound());
        let least = if self.checked.added.strategy().is_some() { -largest } else { 0 };
        least - noise..=largest + noise
    }

    /// The distance from the number of reports that the sum of the noisy totals of a histogram
    /// exceeds with probability at most 2^−64; `None` where the sum is not the number of reports
    /// and noise: other measurements, and behind a strategy matrix.
    #[cfg(feature = "parties")]
    pub(crate) fn sum_reach(&self) -> Option<i128> {
        #[cfg(feature = "simulation")]
        if self.deviation.is_some() {
            return None;
        }
        let Query::Histogram { length } = self.query() else { return None };
        if self.checked.added.strategy().is_some() {
            return None;
        }
        let Some(noise) = self.mechanism() else { return Some(0) };
        let (buckets, each) = (*length as u64, self.checked.added.noise_bound());
        // The sum of all draws in all totals.
        let draws = u32::try_from(buckets.saturating_mul(self.aggregators() as u64)).ok();
        let sum =
            draws.map(|draws| NoisyTotal::of_aggregators(noise.distribution().clone(), draws));
        let rare = Rational::integer(2).pow(64).reciprocal().expect("not 0");
        let reach = sum.and_then(|sum| sum.margin(0, &rare).ok()).and_then(|reach| reach.to_i128());
        // Where that is not known, no total is farther off than `each`.
        Some(reach.unwrap_or_else(|| each.saturating_mul(buckets.into())))
    }
}
