//! Lower bound on δ: the divergence of the dataset in which all others hold the removed value.
//!
//! With ℓ(s) the likelihood ratio of a count, δ(ε) = Σ_s P(s)·H(e^ε/ℓ(s)) under replacement, and
//! H(e^ε) under deletion (`docs/aggregated-rappor.md`, section 5). All terms are positive, a
//! smaller ℓ(s) makes them smaller, and every half-line gives a lower bound for H: rounding down
//! needs no search to be right.

use dp_calibration::Adjacency;
use dp_exact::directed::{add_down, add_up, div_down, div_up, mul_down, sub_down};

use crate::bit_odds::BitOdds;
use crate::hockey_stick::HockeyStick;

/// The most outcomes of the second count that are summed up one by one; more are merged.
const GROUPS: usize = 8192;

/// The counts that change where all other clients hold the removed value, which attain a lower
/// bound on δ.
pub(crate) struct AttainedDelta<'a> {
    /// The count that the client leaves.
    count: HockeyStick<'a>,
    /// Lower bounds on the probability and on the likelihood ratio of each outcome of the second
    /// count; `None` under deletion.
    outcomes: Option<Vec<(f64, f64)>>,
}

impl<'a> AttainedDelta<'a> {
    /// Counts among `others` other clients, with tails resolved down to e^−`depth`. `None` if
    /// floats do not hold the tails.
    pub(crate) fn new(
        flip: &'a BitOdds,
        others: u64,
        adjacency: Adjacency,
        depth: f64,
    ) -> Option<Self> {
        let count = HockeyStick::new(flip, flip, 0, others, depth)?;
        let outcomes = match adjacency {
            Adjacency::Replacement => Some(merged_outcomes(&count, 0.0, GROUPS)),
            Adjacency::Deletion => None,
        };
        Some(Self { count, outcomes })
    }

    /// Lower bound on δ at ε, for `alpha` ≥ e^ε.
    pub(crate) fn delta(&self, alpha: f64) -> f64 {
        let Some(outcomes) = &self.outcomes else {
            return best_line(&self.count, alpha).max(0.0);
        };
        outcomes.iter().fold(0.0, |sum, &(probability, ratio)| {
            let value = best_line(&self.count, div_up(alpha, ratio)).max(0.0);
            add_down(sum, mul_down(probability, value).max(0.0)).max(0.0)
        })
    }
}

/// Lower bounds on the probability under P and on the likelihood ratio of each outcome of a count,
/// neighbours merged into at most `most` outcomes. The distribution is known but for an event of
/// probability at most `missing`, which counts for Q in every outcome and for P in none.
pub(crate) fn merged_outcomes(
    count: &HockeyStick<'_>,
    missing: f64,
    most: usize,
) -> Vec<(f64, f64)> {
    let outcomes = count.outcomes();
    let size = outcomes.div_ceil(most);
    let inside = sub_down(1.0, missing).max(0.0);
    let mut merged = Vec::with_capacity(outcomes.div_ceil(size));
    for first in (0..outcomes).step_by(size) {
        let (mut p, mut q) = (0.0, missing);
        for s in first..(first + size).min(outcomes) {
            // Outcome 0 would have to include what lies below a window that is cut.
            if s > 0 || count.pmf.first == 0 {
                let (p_here, q_here) = count.outcome(s);
                p = add_down(p, p_here).max(0.0);
                q = add_up(q, q_here);
            }
        }
        if missing > 0.0 {
            p = mul_down(p, inside).max(0.0);
        }
        let ratio = div_down(p, q).max(0.0);
        if p > 0.0 && ratio > 0.0 {
            merged.push((p, ratio));
        }
    }
    merged
}

/// Lower bound on the hockey-stick divergence of `count` at `alpha` by about the best threshold of
/// the count.
fn best_line(count: &HockeyStick<'_>, alpha: f64) -> f64 {
    // Where every outcome is worth taking, the best line is t = 0, not a tail.
    count.line_lower(alpha, count.best(alpha)).max(count.line_lower(alpha, 0))
}
