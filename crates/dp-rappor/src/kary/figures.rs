//! The utility figures of k-ary estimates: deviation and covariance, in `f64`.
//!
//! `debias.rs` has the formulas.

use dp_exact::elementary;
#[cfg(not(feature = "std"))]
use num_traits::Float as _;

use crate::debias::deviation;
use crate::flip::FlipProbability;

/// Standard deviation and covariance of the estimates, in reports, for one ε and k.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figures {
    /// x = e^(−ε)
    odds: f64,
    /// √x/(1 − x): standard deviations are multiples of it.
    unit: f64,
    /// Variance of one client's addend in an estimate, in squares of the unit: k − 1 for a client
    /// who holds the answer, 1 + (k − 2)x for any other.
    variances: [f64; 2],
}

impl Figures {
    /// The figures for `odds`, which encloses x = e^(−ε), and k = `answers`.
    pub(super) fn new(odds: &FlipProbability, answers: u32) -> Self {
        let unit = deviation(odds, 1);
        let odds = odds.odds_float();
        let answers = f64::from(answers);
        Self { odds, unit, variances: [answers - 1.0, 1.0 + (answers - 2.0) * odds] }
    }

    /// The standard deviation of the estimate for an answer that `holding` clients hold and
    /// `others` do not.
    pub(super) fn deviation(&self, holding: f64, others: f64) -> f64 {
        self.scaled(holding * self.variances[0] + others * self.variances[1])
    }

    /// The covariance of the estimates of two answers that `holding` clients hold together and
    /// `others` do not.
    pub(super) fn covariance(&self, holding: f64, others: f64) -> f64 {
        -elementary::powi(self.scaled(holding + others * self.odds), 2)
    }

    /// The square root of `variance`, which is in squares of the unit and may be infinite; in
    /// reports.
    fn scaled(&self, variance: f64) -> f64 {
        if variance == 0.0 {
            return 0.0;
        }
        self.unit * variance.sqrt()
    }
}
