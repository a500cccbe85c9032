//! What one dataset gives away: a lower bound on every guarantee for all datasets.
//!
//! Let the other clients hold the removed value b times and the added value c times. Under
//! replacement the two counts are independent. The first tells b + 1 ones from b, the second c
//! from c + 1: after exchanging zeros and ones, b' + 1 from b' with b' = n − 1 − c. With ℓ(s) the
//! likelihood ratio of the first count,
//!
//!   δ(ε) = Σ_s P(s)·H_b'(e^ε/ℓ(s)),
//!
//! and under deletion δ(ε) = H_b(e^ε). All terms are positive, a smaller ℓ(s) makes them smaller,
//! and every half-line t gives a lower bound for H: so rounding down needs no search to be right.

use super::OthersHold;
use super::flip::Flip;
use super::hockey_stick::HockeyStick;
use crate::Adjacency;
use crate::directed::{add_down, div_up, mul_down};

/// The laws of the counts that hide the client among a dataset of the others.
pub(crate) struct Attained<'a> {
    first: HockeyStick<'a>,
    second: Option<HockeyStick<'a>>,
}

impl<'a> Attained<'a> {
    /// For a dataset, with tails resolved down to e^−`depth`.
    pub(crate) fn new(
        flip: &'a Flip,
        others: OthersHold,
        adjacency: Adjacency,
        depth: f64,
    ) -> Option<Self> {
        let all = others.removed + others.added + others.neither;
        let first = HockeyStick::new(flip, all - others.removed, others.removed, depth)?;
        let second = match adjacency {
            Adjacency::Replacement => Some(HockeyStick::new(
                flip,
                others.added,
                all - others.added,
                depth,
            )?),
            Adjacency::Deletion => None,
        };
        Some(Self { first, second })
    }

    /// For the counts that hide the removed value, and, after exchanging zeros and ones, the added
    /// one.
    pub(crate) fn of(first: HockeyStick<'a>, second: Option<HockeyStick<'a>>) -> Self {
        Self { first, second }
    }

    /// A lower bound for δ at ε, given `alpha` ≥ e^ε.
    pub(crate) fn delta(&self, alpha: f64) -> f64 {
        let Some(second) = &self.second else {
            let middle = self.first.lines() / 2;
            return best_line(&self.first, alpha, middle).0.max(0.0);
        };
        let mut sum = 0.0f64;
        let mut place = second.lines() / 2;
        for s in 0..self.first.outcomes() {
            let (probability, ratio) = self.first.outcome(s);
            if probability <= 0.0 || ratio <= 0.0 {
                continue;
            }
            let (value, best) = best_line(second, div_up(alpha, ratio), place);
            place = best;
            if value > 0.0 {
                sum = add_down(sum, mul_down(probability, value).max(0.0)).max(0.0);
            }
        }
        sum
    }
}

/// The lower bound of the line that is about the best, and its place.
fn best_line(count: &HockeyStick<'_>, alpha: f64, guess: usize) -> (f64, usize) {
    let best = count.best(alpha, guess);
    // Where every outcome is worth taking the line is that of t = 0, not a tail.
    let lowest = count.line_lower(alpha, 0);
    (count.line_lower(alpha, best).max(lowest), best)
}
