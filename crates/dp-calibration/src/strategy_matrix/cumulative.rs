//! The estimated distribution function of a histogram, its confidence intervals and percentiles.
//!
//! The error of a cumulative count is a weighted sum of independent symmetric noise. For corrected
//! totals its distribution is computed. Behind a strategy matrix it is taken for nearly normal: its
//! quantile at the tail probability β is z + (z³ − 3z)·κ/24 standard deviations, with z the normal
//! quantile and κ the error's excess kurtosis (Cornish, Fisher 1938, to the first order).

#![expect(clippy::cast_precision_loss, reason = "estimates are floating point")]

use dp_exact::search::bisect_floats;
use dp_exact::{Interval, Rational};

use crate::utility::NoisyTotal;

/// A symmetric distribution around 0 that is taken for nearly normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearlyNormal {
    /// The standard deviation, in reports.
    pub standard_error: f64,
    /// The excess kurtosis: 0 for Gaussian noise.
    pub excess_kurtosis: f64,
}

impl NearlyNormal {
    /// About the number that is exceeded as often as a standard normal one exceeds `normal` > 0,
    /// corrected for the excess kurtosis where `normal` is above √3.
    fn quantile(&self, normal: f64) -> f64 {
        let skewed = (normal * normal * normal - 3.0 * normal) / 24.0;
        self.standard_error * (normal + skewed.max(0.0) * self.excess_kurtosis)
    }
}

/// The distribution of the error of an estimated number of reports: symmetric around 0.
#[derive(Clone, Debug, PartialEq)]
pub enum CountError {
    /// The error of a sum behind a strategy matrix.
    NearlyNormal(NearlyNormal),
    /// The error of a sum of totals that are corrected by the number of reports.
    OfTotals(NoisyTotal),
    /// The error of a sum of many totals that the number of reports corrects: nearly normal, but
    /// for steps of 1.
    ManyTotals(NearlyNormal),
}

impl CountError {
    /// The error of the sum of `summed` of `buckets` totals with independent noise, which the
    /// number of reports corrects; `total` is one of them. `None` if clients randomize, or the
    /// noise is outside the range of [`NoisyTotal::margin`].
    ///
    /// Of more than 256 buckets, sums of more than 16 and of all but so few are taken for nearly
    /// normal from the standard error 20 on, and half a report is added for the steps of 1 that the
    /// noise in these buckets has. The excess kurtosis of a draw of variance v is below 3 + 1/v,
    /// and so the excess kurtosis of the sum of k buckets below 3/k + 1/400.
    #[must_use]
    pub fn of_sum(total: &NoisyTotal, summed: u64, buckets: u64) -> Option<Self> {
        if total.answers().is_some() || total.check_noise().is_err() {
            return None;
        }
        if summed >= buckets {
            // All buckets together are the number of reports.
            let known = NearlyNormal { standard_error: 0.0, excess_kurtosis: 0.0 };
            return Some(Self::NearlyNormal(known));
        }
        let sum = total.clone().sum_with_known_sum(summed, buckets);
        let (standard_error, fewer) = (sum.standard_deviation(0), summed.min(buckets - summed));
        if buckets > 256 && fewer > 16 && standard_error >= 20.0 {
            let excess_kurtosis = 3.0 / fewer as f64 + 1.0 / 400.0;
            return Some(Self::ManyTotals(NearlyNormal { standard_error, excess_kurtosis }));
        }
        Some(Self::OfTotals(sum))
    }

    /// The standard error, in reports.
    #[must_use]
    pub fn standard_error(&self) -> f64 {
        match self {
            Self::NearlyNormal(error) | Self::ManyTotals(error) => error.standard_error,
            Self::OfTotals(total) => total.standard_deviation(0),
        }
    }

    /// Half the width, in reports, of the interval that holds the truth with probability
    /// `confidence`.
    #[must_use]
    pub fn margin(&self, confidence: f64) -> f64 {
        let outside = 1.0 - confidence;
        self.quantile(outside, normal_quantile(outside / 2.0))
    }

    /// The error that is exceeded in absolute value with probability at most `outside`; `normal` >
    /// 0 is the number that a standard normal one exceeds so often on one side.
    fn quantile(&self, outside: f64, normal: f64) -> f64 {
        match self {
            Self::NearlyNormal(error) => error.quantile(normal),
            Self::ManyTotals(error) => error.quantile(normal) + 0.5,
            Self::OfTotals(total) => total.quantile(0, outside),
        }
    }
}

/// Estimates of the number of reports in the first 1, 2, …, n buckets.
#[derive(Clone, Debug, PartialEq)]
pub struct CumulativeEstimate {
    /// The estimates; the last one is the number of reports.
    pub values: Vec<f64>,
    /// The distributions of their errors.
    pub errors: Vec<CountError>,
}

/// A percentile as buckets, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Percentile {
    /// The estimate.
    pub bucket: usize,
    /// The first bucket of the confidence interval.
    pub lowest: usize,
    /// The last bucket of the confidence interval.
    pub highest: usize,
}

impl CumulativeEstimate {
    /// From unbiased estimates of all buckets, which add up to the number of reports, and the
    /// errors of their running totals.
    #[must_use]
    pub fn new(
        buckets: impl IntoIterator<Item = f64>,
        reports: u64,
        errors: Vec<CountError>,
    ) -> Self {
        let mut sum = 0.0;
        let mut values = Vec::new();
        for bucket in buckets {
            sum += bucket;
            values.push(sum);
        }
        if let Some(last) = values.last_mut() {
            *last = reports as f64;
        }
        Self { values, errors }
    }

    /// Half the width of the confidence interval of each cumulative count, in reports.
    ///
    /// `confidence` is the probability, between 0 and 1, with which each interval holds the truth.
    #[must_use]
    pub fn margins(&self, confidence: f64) -> Vec<f64> {
        let counts = self.values.len().saturating_sub(1).max(1);
        let outside = 1.0 - confidence;
        let normal = normal_quantile(outside / 2.0);
        let mut margins: Vec<f64> = Vec::with_capacity(self.errors.len());
        for error in &self.errors {
            // The count of the buckets after the k-th has the same error as the count of the first
            // k.
            let place = margins.len();
            let known = counts.checked_sub(place + 1).filter(|twin| *twin < place);
            let known = known.filter(|twin| self.errors[*twin] == *error);
            margins
                .push(known.map_or_else(|| error.quantile(outside, normal), |twin| margins[twin]));
        }
        margins
    }

    /// The bucket in which the share `level` of the reports, between 0 and 1, is reached: the first
    /// one whose cumulative count is at least `level` times the number of reports.
    ///
    /// The estimate is the number of cumulative counts that are estimated below that. The interval
    /// has every bucket that the intervals of `margins` allow, so that it holds the truth at least
    /// as often as these do at the two ends of the true bucket.
    #[must_use]
    pub fn percentile(&self, level: f64, margins: &[f64]) -> Percentile {
        // Without buckets the bucket 0 stands for none.
        let last = self.values.len().saturating_sub(1);
        let target = level * self.values.last().copied().unwrap_or(0.0);
        let below = self.values.iter().take(last).filter(|value| **value < target).count();
        let intervals = || self.values.iter().zip(margins).take(last);
        let lowest =
            intervals().position(|(value, margin)| value + margin >= target).unwrap_or(last);
        let highest = intervals().rposition(|(value, margin)| value - margin < target);
        let highest = highest.map_or(0, |place| place + 1);
        Percentile { bucket: below, lowest: lowest.min(below), highest: highest.max(below) }
    }

    /// The nearest distribution function in mean squares, from 0 to the number of reports.
    ///
    /// It costs no privacy. It is biased: too large near 0, too small near the number of reports.
    #[must_use]
    pub fn monotone(&self) -> Vec<f64> {
        // Without buckets there are no runs.
        let reports = self.values.last().copied().unwrap_or(0.0);
        // Runs of adjacent counts that would fall: their mean and their number.
        let mut runs: Vec<(f64, usize)> = Vec::new();
        for value in &self.values {
            runs.push((*value, 1));
            while let [.., (before, many), (mean, count)] = runs[..]
                && before >= mean
            {
                runs.truncate(runs.len() - 2);
                let sum = before * many as f64 + mean * count as f64;
                runs.push((sum / (many + count) as f64, many + count));
            }
        }
        let runs = runs.into_iter();
        runs.flat_map(|(mean, count)| vec![mean.clamp(0.0, reports.max(0.0)); count]).collect()
    }
}

/// About the x, from 0 to 40, that a standard normal number exceeds with the probability `tail`,
/// which is below one half.
fn normal_quantile(tail: f64) -> f64 {
    let is_enough = |x: f64| {
        let found =
            Rational::from_f64(x).ok().and_then(|x| Interval::rational(&x, 64).normal_tail());
        found.is_none_or(|found| found.midpoint() <= tail)
    };
    bisect_floats((0.0, 40.0), 52, is_enough).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(values: &[f64], error: f64) -> CumulativeEstimate {
        let error = NearlyNormal { standard_error: error, excess_kurtosis: 0.0 };
        let error = CountError::NearlyNormal(error);
        CumulativeEstimate { values: values.to_vec(), errors: vec![error; values.len()] }
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (tail, expected) in
            [(0.025, 1.959_963_985), (0.005, 2.575_829_304), (1e-6, 4.753_424_309)]
        {
            assert!((normal_quantile(tail) - expected).abs() < 1e-8, "{tail}");
        }
        let mut one = estimate(&[0.0, 1.0], 1.0);
        let laplace = NearlyNormal { standard_error: 1.0, excess_kurtosis: 3.0 };
        one.errors[0] = CountError::NearlyNormal(laplace);
        let exact = 20f64.ln() / 2f64.sqrt();
        let found = one.margins(0.95)[0];
        assert!((1.0..1.03).contains(&(found / exact)), "{found} {exact}");
    }

    #[test]
    fn a_percentile_is_the_bucket_that_reaches_the_share() {
        let exact = estimate(&[10.0, 30.0, 30.0, 60.0, 100.0], 0.0);
        let margins = vec![0.0; 5];
        for (level, bucket) in [(0.05, 0), (0.1, 0), (0.11, 1), (0.3, 1), (0.5, 3), (0.95, 4)] {
            let found = exact.percentile(level, &margins);
            assert_eq!(found, Percentile { bucket, lowest: bucket, highest: bucket }, "{level}");
        }
        let found = exact.percentile(0.5, &[25.0; 5]);
        assert_eq!(found, Percentile { bucket: 3, lowest: 1, highest: 4 });
    }

    #[test]
    fn the_monotone_distribution_function_never_falls() {
        let found = estimate(&[-2.0, 5.0, 3.0, 4.0, 12.0, 10.0], 1.0).monotone();
        assert_eq!(found, [0.0, 4.0, 4.0, 4.0, 10.0, 10.0]);
    }
}
