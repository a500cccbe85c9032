//! An estimate and what is known of its noise.

use core::ops::RangeInclusive;
use dp_exact::elementary;
#[cfg(not(feature = "std"))]
use num_traits::Float as _;

/// An unbiased estimate of one total over the clients that reported, such as how many of them truly
/// give an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate, in the unit of what is measured. Noise may take the estimate of a count below 0
    /// or above the number of reports.
    pub value: f64,
    /// The standard deviation of the noise in it. Not of sampling: the truth is the total over the
    /// clients that reported.
    pub standard_error: f64,
    /// The excess kurtosis of that noise: 0 if it is normal, positive if its tails are heavier.
    pub excess_kurtosis: f64,
}

/// The quantile of the standard normal distribution that leaves 2.5 % above it.
const NORMAL_QUANTILE: f64 = 1.959_963_984_540_054;

impl Estimate {
    /// The same with further independent noise of mean 0. Cumulants add.
    #[must_use]
    pub fn with_noise(self, variance: f64, excess_kurtosis: f64) -> Self {
        let own = elementary::powi(self.standard_error, 2);
        let total = own + variance;
        let fourth = |variance: f64, excess: f64| {
            if variance > 0.0 {
                excess * elementary::powi(variance / total, 2)
            } else {
                0.0
            }
        };
        Self {
            value: self.value,
            standard_error: total.sqrt(),
            excess_kurtosis: fourth(own, self.excess_kurtosis) + fourth(variance, excess_kurtosis),
        }
    }

    /// The estimate of the total divided by `divisor`, such as the mean over as many reports. The
    /// number of reports is public, so the error is divided alike.
    #[must_use]
    pub fn divided(self, divisor: u64) -> Self {
        let divisor = as_float(divisor);
        Self {
            value: self.value / divisor,
            standard_error: self.standard_error / divisor,
            excess_kurtosis: self.excess_kurtosis,
        }
    }

    /// Half the width of the 95 % interval around the value.
    ///
    /// The normal quantile z, corrected by z³ − 3z times a 24th of the excess kurtosis (Cornish,
    /// Fisher 1938), in standard errors; at most √20 of them, which suffices for any noise
    /// (Chebyshev). Integer noise that takes few values covers more.
    #[must_use]
    pub fn margin_95(&self) -> f64 {
        let correction = elementary::powi(NORMAL_QUANTILE, 3) - 3.0 * NORMAL_QUANTILE;
        let quantile = NORMAL_QUANTILE + correction * self.excess_kurtosis / 24.0;
        quantile.min(20f64.sqrt()) * self.standard_error
    }

    /// value ± `quantile` · standard error.
    #[must_use]
    pub fn interval(&self, quantile: f64) -> RangeInclusive<f64> {
        let half_width = quantile * self.standard_error;
        self.value - half_width..=self.value + half_width
    }
}

/// The excess kurtosis κ₄/κ₂² of a sum of independent coins, in groups of so many coins that each
/// have so large a variance, in units of the `odds`; 0 of no coins.
///
/// A coin of variance v has the cumulants κ₂ = v and κ₄ = v·(1 − 6v). Cumulants add. The unit
/// keeps variances that are proportional to tiny odds in the range of `f64`.
pub(crate) fn excess_kurtosis(odds: f64, groups: &[(f64, f64)]) -> f64 {
    let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
        let terms = groups.iter().map(|(coins, variance)| coins * of(*variance));
        terms.sum()
    };
    let second = sum(&|variance| variance);
    let fourth = sum(&|variance| variance * (1.0 - 6.0 * odds * variance));
    if second == 0.0 {
        return 0.0;
    }
    fourth / second / second / odds
}

/// The nearest float, for utility figures.
#[expect(
    clippy::cast_precision_loss,
    reason = "the nearest float is what is meant"
)]
pub(crate) const fn as_float(count: u64) -> f64 {
    count as f64
}
