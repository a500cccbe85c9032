//! From the counts of k-ary randomized answers to estimates of the counts of true answers.
//!
//! Of n reports let nᵢ hold answer i, and let yᵢ report it. With x = e^(−ε), the probability
//! P = 1/(1 + (k − 1)x) of the truth and Q = xP of each other answer, yᵢ is a sum of two binomials,
//! Bin(nᵢ, P) + Bin(n − nᵢ, Q), and the reports are independent. So
//!
//! ```text
//! E[yᵢ]       = nᵢ·P + (n − nᵢ)·Q
//! Var(yᵢ)     = nᵢ·P(1 − P) + (n − nᵢ)·Q(1 − Q)
//! ```
//!
//! and the unbiased estimates (yᵢ − nQ)/(P − Q) have
//!
//! ```text
//! estimate    = yᵢ + (k·yᵢ − n)·x/(1 − x)
//! variance    = (nᵢ·(k − 1) + (n − nᵢ)·(1 + (k − 2)x))·x/(1 − x)²
//! ```
//!
//! As 1 + (k − 2)x ≤ k − 1, the variance grows with nᵢ.

use dp_exact::Interval;
use num_bigint::BigInt;
#[cfg(not(feature = "std"))]
use num_traits::Float as _;

use super::KaryRandomizedResponse;
use crate::Estimate;
use crate::debias::{to_float, unbiased};
use crate::estimate::as_float;

impl KaryRandomizedResponse {
    /// The unbiased estimate of how many of `reports` clients hold an answer, from the `count` of
    /// them that reported it: (count·(e^ε + k − 1) − reports)/(e^ε − 1), enclosed with at least
    /// `precision` bits. The count may carry further noise.
    ///
    /// `None` if this precision does not distinguish e^(−ε) from 1.
    pub fn debias_enclosed(
        &self,
        count: impl Into<BigInt>,
        reports: u64,
        precision: u32,
    ) -> Option<Interval> {
        unbiased(self.odds(), self.answers(), &count.into(), reports, precision)
    }

    /// The standard deviation of an [`estimate`](Self::estimate) for an answer that `holding` of
    /// `reports` clients hold.
    ///
    /// It grows with `holding`; more than `reports` count as `reports`, where it is
    /// √(reports·(k − 1)·e^ε)/(e^ε − 1), the worst over all answers. Utility figure in `f64`.
    #[must_use]
    pub fn standard_deviation(&self, holding: u64, reports: u64) -> f64 {
        let holding = holding.min(reports);
        self.deviation(as_float(holding), as_float(reports - holding))
    }

    /// The [unbiased estimate](Self::debias_enclosed), less than one unit in the last place off and
    /// infinite beyond the range of `f64`, with the standard deviation that its noise would have if
    /// the truth were the estimate, cut to the range from 0 to `reports`.
    pub fn estimate(&self, count: impl Into<BigInt>, reports: u64) -> Estimate {
        let count = count.into();
        let value = to_float(|precision| self.debias_enclosed(count.clone(), reports, precision));
        let reports = as_float(reports);
        let holding = value.clamp(0.0, reports);
        Estimate { value, standard_error: self.deviation(holding, reports - holding) }
    }

    /// The standard deviation, in reports, of the estimate for an answer that `holding` clients
    /// hold and `others` do not, by floats; 0 without clients.
    fn deviation(&self, holding: f64, others: f64) -> f64 {
        let (x, k) = (self.odds().odds_float(), f64::from(self.answers()));
        // In squares of the unit √x/(1 − x), which may be infinite.
        let variance = holding * (k - 1.0) + others * (1.0 + (k - 2.0) * x);
        if variance == 0.0 { 0.0 } else { self.unit * variance.sqrt() }
    }
}
