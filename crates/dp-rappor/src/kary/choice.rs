//! The law of the choice between the truth and a uniform answer.

use alloc::boxed::Box;
use core::ops::RangeInclusive;

use dp_exact::Interval;
use dp_samplers::alias::Law;

use crate::flip::FlipProbability;

/// The choice between the truth, 0, and a uniform answer, 1, in x = e^(−ε):
/// 1 − λ = (1 − x)/(1 + (k − 1)·x) and λ = k·x/(1 + (k − 1)·x).
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) odds: FlipProbability,
    pub(super) answers: u32,
}

impl Choice {
    /// The probability 1/(1 + (k − 1)·x) of the true answer.
    pub(super) fn truth(&self, precision: u32) -> Interval {
        let odds = self.odds.odds(precision);
        let one = Interval::integer(1, odds.precision());
        let others = Interval::integer(self.answers - 1, odds.precision()) * odds;
        let truth = one.checked_div(&(&one + &others));
        // Never needed: x is not negative.
        truth.unwrap_or_else(|| one.hull(&Interval::integer(0, precision)))
    }
}

impl Law for Choice {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let truth = self.truth(precision);
        let uniform = Interval::integer(self.answers, precision) * self.odds.odds(precision);
        let by_choice = [
            self.odds.one_minus_odds(precision) * &truth,
            uniform * &truth,
        ];
        let outside = Interval::integer(0, precision);
        Box::new(move |choice| {
            let place = usize::try_from(choice).ok();
            let probability = place.and_then(|place| by_choice.get(place));
            probability.unwrap_or(&outside).clone()
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        0..=1
    }
}
