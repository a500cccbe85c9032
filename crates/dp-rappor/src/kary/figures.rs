//! The utility figures of k-ary estimates: deviation and covariance, in `f64`.
//!
//! `debias.rs` has the formulas.

use dp_exact::elementary;
#[cfg(not(feature = "std"))]
use num_traits::Float as _;

use crate::debias::deviation;
use crate::flip::FlipProbability;

/// What the utility figures need of ε and k, as floats.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figures {
    /// x = e^(−ε)
    odds: f64,
    /// √x/(1 − x): the unit of the standard deviations.
    unit: f64,
    /// k − 1 and 1 + (k − 2)x: the variance of what one client adds to an estimate, of a client who
    /// holds the answer and of another, in squares of the unit.
    variances: [f64; 2],
}

impl Figures {
    pub(super) fn new(odds: &FlipProbability, answers: u32) -> Self {
        let unit = deviation(odds, 1);
        let odds = odds.odds_float();
        let answers = f64::from(answers);
        Self { odds, unit, variances: [answers - 1.0, 1.0 + (answers - 2.0) * odds] }
    }

    pub(super) fn deviation(&self, holding: f64, others: f64) -> f64 {
        self.scaled(holding * self.variances[0] + others * self.variances[1])
    }

    pub(super) fn covariance(&self, holding: f64, others: f64) -> f64 {
        -elementary::powi(self.scaled(holding + others * self.odds), 2)
    }

    /// The square root of a variance in squares of the unit, which may be infinite.
    fn scaled(&self, variance: f64) -> f64 {
        if variance == 0.0 {
            return 0.0;
        }
        self.unit * variance.sqrt()
    }
}
