//! The probability of a uniform answer in place of the truth.

use dp_exact::{Interval, Real};

use crate::flip::FlipProbability;

/// The probability λ = k·x/(1 + (k − 1)·x), x = e^(−ε), of reporting a uniform answer, which may be
/// the true one, in place of the truth.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// Encloses x = e^(−ε).
    pub(super) odds: FlipProbability,
    /// k, the number of answers.
    pub(super) answers: u32,
}

impl Choice {
    /// The probability 1/(1 + (k − 1)·x) that the true answer is reported, enclosed.
    pub(super) fn truth(&self, precision: u32) -> Interval {
        let odds = self.odds.odds(precision);
        let one = Interval::integer(1, odds.precision());
        let others = Interval::integer(self.answers - 1, odds.precision()) * odds;
        let truth = one.checked_div(&(&one + &others));
        // Never needed: x is not negative.
        truth.unwrap_or_else(|| one.hull(&Interval::integer(0, precision)))
    }
}

/// λ = k·x/(1 + (k − 1)·x)
impl Real for Choice {
    fn enclose(&self, precision: u32) -> Interval {
        let precision = precision.saturating_add(32);
        let uniform = Interval::integer(self.answers, precision) * self.odds.odds(precision);
        uniform * self.truth(precision)
    }
}
