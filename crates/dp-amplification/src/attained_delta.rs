//! Lower bound on δ: the divergence of the dataset in which all others hold the removed value.
//!
//! With ℓ(s) the likelihood ratio of a count, δ(ε) = Σ_s P(s)·H(e^ε/ℓ(s)) under replacement, and
//! H(e^ε) under deletion (`docs/aggregated-rappor.md`, section 5). All terms are positive, a
//! smaller ℓ(s) makes them smaller, and every half-line gives a lower bound for H: rounding down
//! needs no search to be right.

use dp_calibration::for_amplification::Outcomes;
use dp_calibration::{Adjacency, Result};
use dp_exact::Rational;
use dp_exact::directed::{add_down, add_up, div_down, div_up, mul_down, sub_down};

use crate::bit_odds::BitOdds;
use crate::hockey_stick::HockeyStick;

/// The most outcomes of the second count that are summed up one by one; more are merged.
const GROUPS: usize = 8192;

/// Depth of tails for a composition: they are followed to e^−100.
pub(crate) const COMPOSED_DEPTH: f64 = 100.0;

/// Factor on the usual looseness for a composition, in which the looseness of small losses adds up.
pub(crate) const COMPOSED_SHARE: f64 = 0.25;

/// The most outcomes of an attained pair: finer than the grid that they go to.
const COMPOSED_OUTCOMES: usize = 1 << 15;

/// The counts that change where all other clients hold the removed value.
pub(crate) struct AttainedDelta<'a> {
    /// The count that the client leaves.
    count: HockeyStick<'a>,
    /// Lower bounds on probability and likelihood ratio of each outcome of the second count.
    outcomes: Vec<(f64, f64)>,
}

impl<'a> AttainedDelta<'a> {
    /// The changed counts among `others` other clients that all hold the removed value; `None` if
    /// floats do not hold tails to e^−`depth`.
    pub(crate) fn new(
        flip: &'a BitOdds,
        others: u64,
        adjacency: Adjacency,
        depth: f64,
    ) -> Option<Self> {
        let count = HockeyStick::new(flip, flip, 0, others, depth)?;
        let outcomes = match adjacency {
            Adjacency::Replacement => merged_outcomes(&count, GROUPS),
            Adjacency::Deletion | Adjacency::OneCoordinate => vec![(1.0, 1.0)],
        };
        Some(Self { count, outcomes })
    }

    /// Lower bound on δ at ε where all other clients hold the removed value, for `alpha` ≥ e^ε.
    pub(crate) fn delta(&self, alpha: f64) -> f64 {
        self.outcomes.iter().fold(0.0, |sum, &(probability, ratio)| {
            let (count, alpha) = (&self.count, div_up(alpha, ratio));
            // Where every outcome is worth taking, the best line is t = 0, not a tail.
            let lines = [count.best(alpha), 0].map(|t| count.line_lower(alpha, t));
            let value = lines[0].max(lines[1]).max(0.0);
            add_down(sum, mul_down(probability, value).max(0.0)).max(0.0)
        })
    }
}

/// The outcomes of a count to be composed, neighbours merged into at most 2^15: pairs (likelihood
/// ratio, probability under P), both rounded down.
pub(crate) fn attained_outcomes(count: &HockeyStick<'_>) -> Result<Outcomes> {
    let merged = merged_outcomes(count, COMPOSED_OUTCOMES).into_iter();
    let exact = |(p, ratio)| Ok((Rational::from_f64(ratio)?, Rational::from_f64(p)?));
    merged.map(exact).collect()
}

/// Lower bounds on P and on the likelihood ratio of each outcome of a count, neighbours merged into
/// at most `most`; outcomes with a bound of 0 are left out. The missing event counts for Q in every
/// outcome and for P in none.
fn merged_outcomes(count: &HockeyStick<'_>, most: usize) -> Vec<(f64, f64)> {
    let outcomes = count.outcomes();
    let size = outcomes.div_ceil(most);
    let inside = if count.missing > 0.0 { sub_down(1.0, count.missing).max(0.0) } else { 1.0 };
    let merged = (0..outcomes).step_by(size).map(|first| {
        let (mut p, mut q) = (0.0, count.missing);
        for s in first..(first + size).min(outcomes) {
            // Outcome 0 would have to include what lies below a window that is cut.
            if s > 0 || count.pmf.first == 0 {
                let (p_here, q_here) = count.outcome(s);
                p = add_down(p, p_here).max(0.0);
                q = add_up(q, q_here);
            }
        }
        p = mul_down(p, inside).max(0.0);
        (p, div_down(p, q).max(0.0))
    });
    merged.filter(|&(p, ratio)| p > 0.0 && ratio > 0.0).collect()
}
