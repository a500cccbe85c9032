//! A dominating pair for each of two counts with different datasets, and both together.
//!
//! H₁ is the curve for the count that a client leaves, H₂ that for the count that it joins: `up` and `down` for α ≥ 1,
//! and by the exchange of zeros and ones 1 − α + α·down(1/α) and 1 − α + α·up(1/α) below. With the probabilities
//! a_i = α_i·b_i and b_i from the slopes of `up`, b′_i from those of `down`, and m at ratio 1,
//!
//!   H(α) = m·H₂(α) + Σ_i a_i·H₂(α/α_i) + Σ_i b′_i·H₂(α·α_i)
//!
//! (Zhu, Dong, Wang 2022, Theorem 10: products of dominating pairs dominate products).

use dp_calibration::Adjacency;
use dp_exact::convex;
use dp_exact::directed::{add_down, add_up, div_down, div_up, mul_down, mul_up, sub_down, sub_up};

/// The curves of the two counts.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    up: Side,
    down: Side,
    /// Not below m.
    middle: f64,
}

impl Pair {
    /// From values at nodes that are not below convex, falling curves of one supremum at 1.
    ///
    /// `None` unless the nodes start at 1 and ascend, and the last values are 0.
    pub(super) fn new(nodes: &[f64], up: &[f64], down: &[f64]) -> Option<Self> {
        let (mut up, mut down) = (Side::hull(nodes, up)?, Side::hull(nodes, down)?);
        // At α = 1 there is one value, and it is not above the chord from the node before to the
        // one after.
        let ((x, v), (z, u)) = (down.second(), up.second());
        let (left, right) = (sub_up(x, 1.0), sub_up(z, 1.0));
        let above = add_up(mul_up(left, u), mul_up(right, add_up(left, v)));
        let chord = div_up(above, sub_down(mul_down(x, z), 1.0));
        let first = up.values[0].min(down.values[0]).min(chord.max(0.0));
        up.values[0] = first;
        down.values[0] = first;
        let slopes = add_down(up.slope(1).0, down.slope(1).0);
        let middle = sub_up(sub_up(1.0, first), slopes).max(0.0);
        up.weigh();
        down.weigh();
        Some(Self { up, down, middle })
    }

    /// Not below δ at α ≥ 1, for the counts that change.
    pub(super) fn at(&self, adjacency: Adjacency, alpha: f64) -> f64 {
        match adjacency {
            Adjacency::Replacement => self.two(alpha),
            Adjacency::Deletion => self.one(alpha),
        }
    }

    /// Not below the larger of H₁ and H₂ at α ≥ 1.
    pub(super) fn one(&self, alpha: f64) -> f64 {
        let up = self.up.chord(alpha, &mut 1);
        up.max(self.down.chord(alpha, &mut 1))
    }

    /// Not below the curve of both counts at α ≥ 1.
    pub(super) fn two(&self, alpha: f64) -> f64 {
        let mut sum = mul_up(self.middle, self.second(alpha, &mut 1));
        let mut place = self.down.nodes.len();
        for (&node, &(a, _)) in self.up.nodes.iter().zip(&self.up.weights).skip(1) {
            // H₂ falls, so a smaller argument is on the safe side.
            let value = self.second(div_down(alpha, node), &mut place);
            sum = add_up(sum, mul_up(a, value));
        }
        place = 1;
        for (&node, &(_, b)) in self.down.nodes.iter().zip(&self.down.weights).skip(1) {
            let value = self.second(mul_down(alpha, node), &mut place);
            sum = add_up(sum, mul_up(b, value));
        }
        sum.min(1.0)
    }

    /// H₂
    fn second(&self, alpha: f64, place: &mut usize) -> f64 {
        if alpha >= 1.0 {
            return self.down.chord(alpha, place);
        }
        if alpha <= 0.0 {
            return 1.0;
        }
        // 1 − α·(1 − up(1/α))
        let mirrored = self.up.chord(div_down(1.0, alpha).max(1.0), place);
        let kept = sub_down(1.0, mirrored).max(0.0);
        sub_up(1.0, mul_down(alpha, kept).max(0.0)).min(1.0)
    }
}

/// A curve from α = 1 on, linear between nodes.
#[derive(Clone, Debug)]
struct Side {
    nodes: Vec<f64>,
    values: Vec<f64>,
    /// Not below a_i and b_i; nothing at the first node.
    weights: Vec<(f64, f64)>,
}

impl Side {
    /// The lower convex hull of the points.
    fn hull(nodes: &[f64], values: &[f64]) -> Option<Self> {
        let ascending = nodes.windows(2).all(|pair| pair[0] < pair[1]);
        let starts = nodes.first() == Some(&1.0) && nodes.len() > 1;
        if !starts || values.last() != Some(&0.0) || !ascending {
            return None;
        }
        let points = nodes.iter().copied().zip(values.iter().copied());
        let (nodes, values) = convex::hull(points).into_iter().unzip();
        Some(Self { nodes, values, weights: Vec::new() })
    }

    fn second(&self) -> (f64, f64) {
        (self.nodes[1], self.values[1])
    }

    /// Bounds of the fall per unit before node i.
    fn slope(&self, i: usize) -> (f64, f64) {
        let point = |i: usize| (self.nodes[i], self.values[i]);
        convex::descent(point(i - 1), point(i))
    }

    fn weigh(&mut self) {
        let last = self.nodes.len() - 1;
        self.weights = vec![(0.0, 0.0)];
        for i in 1..=last {
            let after = if i < last { self.slope(i + 1).0 } else { 0.0 };
            let b = sub_up(self.slope(i).1, after).max(0.0);
            self.weights.push((mul_up(self.nodes[i], b), b));
        }
    }

    /// Not below the curve at `alpha` ≥ 1; the search starts at node `place`.
    fn chord(&self, alpha: f64, place: &mut usize) -> f64 {
        convex::evaluate(&self.nodes, &self.values, alpha, place)
    }
}
