//! An estimate and the standard deviation of its noise.

use dp_exact::elementary;
#[cfg(not(feature = "std"))]
use num_traits::Float as _;

/// An unbiased estimate of one total over the clients that reported, such as how many of them truly
/// give an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate, in the unit of the measurement. Noise may take the estimate of a count below 0
    /// or above the number of reports.
    pub value: f64,
    /// The standard deviation of the noise in the estimate, in its unit. Sampling error is not part
    /// of it: the truth is the total over the clients that reported.
    pub standard_error: f64,
}

impl Estimate {
    /// The estimate with further independent noise of mean 0. Variances add.
    #[must_use]
    pub fn with_noise(self, variance: f64) -> Self {
        let own = elementary::powi(self.standard_error, 2);
        Self { value: self.value, standard_error: (own + variance).sqrt() }
    }

    /// The estimate of the total divided by `divisor`, such as the mean over as many reports. The
    /// divisor is public, so the standard error is divided by it as well.
    #[must_use]
    pub fn divided(self, divisor: u64) -> Self {
        let divisor = as_float(divisor);
        Self { value: self.value / divisor, standard_error: self.standard_error / divisor }
    }
}

/// `count` as the nearest float, for utility figures.
#[expect(clippy::cast_precision_loss, reason = "the nearest float is what is meant")]
pub(crate) const fn as_float(count: u64) -> f64 {
    count as f64
}
