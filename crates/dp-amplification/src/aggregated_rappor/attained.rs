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
//! Where there are many counts s, neighbours are put together: an adversary may look away.

use super::OthersHold;
use super::flip::Flip;
use super::hockey_stick::HockeyStick;
use dp_calibration::Adjacency;
use dp_exact::directed::{add_down, add_up, div_down, div_up, mul_down};

/// The laws of the counts that hide the client among a dataset of the others.
pub(crate) struct Attained<'a> {
    first: HockeyStick<'a>,
    /// Of groups of counts, P from below and the likelihood ratio from below.
    groups: Vec<(f64, f64)>,
    second: Option<HockeyStick<'a>>,
}

/// From this many counts on they are put together.
const GROUPS: usize = 8192;

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
        Some(Self::of(first, second))
    }

    /// For the counts that hide the removed value, and, after exchanging zeros and ones, the added
    /// one.
    pub(crate) fn of(first: HockeyStick<'a>, second: Option<HockeyStick<'a>>) -> Self {
        let groups = match second {
            Some(_) => groups(&first),
            None => Vec::new(),
        };
        Self {
            first,
            groups,
            second,
        }
    }

    /// A lower bound for δ at ε, given `alpha` ≥ e^ε.
    pub(crate) fn delta(&self, alpha: f64) -> f64 {
        let Some(second) = &self.second else {
            let middle = self.first.lines() / 2;
            return best_line(&self.first, alpha, middle).0.max(0.0);
        };
        let mut sum = 0.0f64;
        let mut place = second.lines() / 2;
        for &(probability, ratio) in &self.groups {
            let (value, best) = best_line(second, div_up(alpha, ratio), place);
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
