//! What one dataset gives away: a lower bound on every guarantee for all datasets.
//!
//! Let all other clients hold the removed value. Under replacement the two counts are independent. The first
//! tells n ones from n − 1, the second 0 from 1, which after exchanging zeros and ones is the same. With
//! ℓ(s) the likelihood ratio of a count,
//!
//!   δ(ε) = Σ_s P(s)·H(e^ε/ℓ(s)),
//!
//! and under deletion δ(ε) = H(e^ε). All terms are positive, a smaller ℓ(s) makes them smaller, and every
//! half-line t gives a lower bound for H: so rounding down needs no search to be right. Where there are many
//! counts s, neighbours are put together: an adversary may look away.

use dp_calibration::Adjacency;
use dp_exact::directed::{add_down, add_up, div_down, div_up, mul_down};

use crate::flip::Flip;
use crate::hockey_stick::{HockeyStick, Own};

/// From this many counts on they are put together.
const GROUPS: usize = 8192;

/// The law of a count that hides the client where all others hold the removed value.
pub(crate) struct Attained<'a> {
    count: HockeyStick<'a>,
    /// Of groups of counts, P from below and the likelihood ratio from below; none under deletion.
    groups: Option<Vec<(f64, f64)>>,
}

impl<'a> Attained<'a> {
    /// Among `others`, with tails resolved down to e^−`depth`.
    pub(crate) fn new(
        flip: &'a Flip,
        others: u64,
        adjacency: Adjacency,
        depth: f64,
    ) -> Option<Self> {
        let count = HockeyStick::new(flip, 0, others, depth, Own::Randomized)?;
        let groups = match adjacency {
            Adjacency::Replacement => Some(groups(&count)),
            Adjacency::Deletion => None,
        };
        Some(Self { count, groups })
    }

    /// A lower bound for δ at ε, given `alpha` ≥ e^ε.
    pub(crate) fn delta(&self, alpha: f64) -> f64 {
        let mut place = self.count.lines() / 2;
        let Some(groups) = &self.groups else {
            return best_line(&self.count, alpha, place).0.max(0.0);
        };
        let mut sum = 0.0f64;
        for &(probability, ratio) in groups {
            let (value, best) = best_line(&self.count, div_up(alpha, ratio), place);
            place = best;
            if value > 0.0 {
                sum = add_down(sum, mul_down(probability, value).max(0.0)).max(0.0);
            }
        }
        sum
    }
}

/// The counts of the window, put together if there are many.
fn groups(count: &HockeyStick<'_>) -> Vec<(f64, f64)> {
    let outcomes = count.outcomes();
    let size = outcomes.div_ceil(GROUPS);
    let mut groups = Vec::with_capacity(outcomes.div_ceil(size));
    for first in (0..outcomes).step_by(size) {
        let (mut p, mut q) = (0.0, 0.0);
        for s in first..(first + size).min(outcomes) {
            if s == 0 && count.law.first > 0 {
                // What is below the window would belong to Q here.
                continue;
            }
            let (p_here, q_here) = count.outcome(s);
            p = add_down(p, p_here).max(0.0);
            q = add_up(q, q_here);
        }
        let ratio = div_down(p, q).max(0.0);
        if p > 0.0 && ratio > 0.0 {
            groups.push((p, ratio));
        }
    }
    groups
}

/// The lower bound of the line that is about the best, and its place.
fn best_line(count: &HockeyStick<'_>, alpha: f64, guess: usize) -> (f64, usize) {
    let best = count.best(alpha, guess);
    // Where every outcome is worth taking the line is that of t = 0, not a tail.
    let lowest = count.line_lower(alpha, 0);
    (count.line_lower(alpha, best).max(lowest), best)
}
