//! How far off a count is that is debiased from the histogram.

use dp_exact::{Rational, elementary};

use super::AggregatedResponse;

impl AggregatedResponse {
    /// The standard deviation of the debiased count of a bucket that nobody holds. A figure of
    /// accuracy, in floating point.
    ///
    /// An empty bucket gets Bin(n, 1/c) answers, c = e^ε₀ + k − 1, and debiasing multiplies by
    /// c/(e^ε₀ − 1): √(n·(c − 1))/(e^ε₀ − 1).
    #[must_use]
    pub fn standard_deviation_of_empty_bucket(&self) -> f64 {
        let gain = elementary::exp_m1(self.epsilon0.value().to_f64());
        let float = |count: u64| Rational::from(count).to_f64();
        (float(self.clients) * (gain + float(self.answers) - 1.0)).sqrt() / gain
    }
}
