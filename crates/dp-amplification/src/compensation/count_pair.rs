//! A dominating pair for each of two counts with different datasets, and both together.
//!
//! H₁ is the curve of the count that a client leaves, H₂ of the count that it joins: `up` and
//! `down` for α ≥ 1, and by the exchange of zeros and ones 1 − α + α·down(1/α) and 1 − α +
//! α·up(1/α) below. The product is m·H₂(α) + Σ a_i·H₂(α/α_i) + Σ b′_i·H₂(α·α_i) (`docs/hedging.md`,
//! on compensation).

use dp_calibration::Adjacency;
use dp_exact::directed::{add_down, add_up, div_up, mul_down, mul_up, sub_down, sub_up};

use crate::dominating_curve::{DominatingCurve, hull, product};

/// Hockey-stick curves that dominate the two counts that change.
#[derive(Clone, Debug)]
pub(super) struct CountPair {
    /// The curve H₁ of the count that the client leaves, from α = 1 on.
    up: DominatingCurve,
    /// The curve H₂ of the count that the client joins, from α = 1 on.
    down: DominatingCurve,
    /// Upper bound on the probability m of likelihood ratio 1.
    middle: f64,
}

impl CountPair {
    /// The pair of counts from upper bounds at `nodes`: `up` on the curve H₁ of the count that the
    /// client leaves, `down` on the curve H₂ of the count that the client joins. Both curves are
    /// convex, fall, and are equal at 1. `None` unless the nodes start at 1 and ascend, and the
    /// last values are 0.
    pub(super) fn new(nodes: &[f64], up: &[f64], down: &[f64]) -> Option<Self> {
        let (mut up, mut down) = (hull(nodes, up)?, hull(nodes, down)?);
        // At α = 1 both curves have one value, which is not above the chord from the mirror image of
        // the second point of `down` to the second point of `up`.
        let ((x, v), (z, u)) = (down[1], up[1]);
        let (left, right) = (sub_up(x, 1.0), sub_up(z, 1.0));
        let above = add_up(mul_up(left, u), mul_up(right, add_up(left, v)));
        let chord = div_up(above, sub_down(mul_down(x, z), 1.0));
        let first = up[0].1.min(down[0].1).min(chord.max(0.0));
        (up[0].1, down[0].1) = (first, first);
        let (up, down) = (DominatingCurve::of_hull(up), DominatingCurve::of_hull(down));
        let slopes = add_down(up.descent(1).0, down.descent(1).0);
        let middle = sub_up(sub_up(1.0, first), slopes).max(0.0);
        Some(Self { up, down, middle })
    }

    /// Upper bound on δ at α = e^ε ≥ 1: one count changes under deletion, two under replacement.
    pub(super) fn at(&self, adjacency: Adjacency, alpha: f64) -> f64 {
        match adjacency {
            Adjacency::Replacement => self.two_counts(alpha),
            Adjacency::Deletion => self.up.one_count(alpha).max(self.down.one_count(alpha)),
        }
    }

    /// Upper bound on the hockey-stick curve of both counts together at `alpha` ≥ 1.
    fn two_counts(&self, alpha: f64) -> f64 {
        let (curves, nodes) = ([&self.up, &self.down], self.down.nodes.len());
        product(self.middle, curves, nodes, alpha, |alpha, start| self.second(alpha, start))
    }

    /// Upper bound on H₂(`alpha`), the curve of the count that the client joins, for any `alpha` >
    /// 0. The search for the node starts at `start`, which is updated.
    fn second(&self, alpha: f64, start: &mut usize) -> f64 {
        if alpha >= 1.0 { self.down.chord(alpha, start) } else { self.up.mirrored(alpha, start) }
    }
}
