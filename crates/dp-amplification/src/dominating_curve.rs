//! A dominating pair as its hockey-stick curve, and the curve of two independent pairs.
//!
//! H is linear between nodes 1 = α₀ < α₁ < … < α_m, is 0 from α_m on, and H(α) = 1 − α + α·H(1/α)
//! below 1. The likelihood ratio α_i has the probability b_i, the change of slope there, under Q
//! and a_i = α_i·b_i under P; 1/α_i these exchanged; 1 the rest. Products dominate products
//! (`docs/aggregated-rappor.md`, section 4). All sums are rounded upward.

use dp_calibration::Adjacency;
use dp_exact::convex;
use dp_exact::directed::{add_down, add_up, div_down, div_up, mul_down, mul_up, sub_down, sub_up};

/// A hockey-stick curve that is linear between nodes, from α = 1 on.
#[derive(Clone, Debug)]
pub(crate) struct DominatingCurve {
    /// The values of α = e^ε at which the curve bends, ascending from 1.
    pub(crate) nodes: Vec<f64>,
    /// The hockey-stick divergence H(α), or an upper bound, at each node; 0 at the last node.
    values: Vec<f64>,
    /// For each node α, upper bounds on the probabilities of the likelihood ratio α under P and
    /// under Q. At the first node, α = 1, both are the probability b₀ of the ratio 1. Where the
    /// chord through 1 is straight, b₀ is 0 and is computed as what rounding leaves, or as 0.
    pub(crate) outcomes: Vec<(f64, f64)>,
}

impl DominatingCurve {
    /// Curve through the lower convex hull of the points, which is above every convex function below
    /// the points. `None` unless there are two nodes, they start at 1 and ascend, and the last value
    /// is 0.
    pub(crate) fn new(nodes: &[f64], values: &[f64]) -> Option<Self> {
        let mut hull = hull(nodes, values)?;
        // The chord from the mirror image of the second point to that point is above H, too.
        let (node, value) = hull[1];
        let chord = div_up(add_up(sub_up(node, 1.0), 2.0 * value), add_down(node, 1.0));
        hull[0].1 = hull[0].1.min(chord);
        let first = hull[0].1;
        let mut curve = Self::of_hull(hull);
        let slope = curve.descent(1).0;
        let middle = sub_up(sub_up(1.0, first), 2.0 * slope).max(0.0);
        curve.outcomes[0] = (middle, middle);
        Some(curve)
    }

    /// Curve through the points of a convex hull, with probability 0 at likelihood ratio 1.
    pub(crate) fn of_hull(hull: Vec<(f64, f64)>) -> Self {
        let (nodes, values): (Vec<f64>, Vec<f64>) = hull.into_iter().unzip();
        let mut curve = Self { nodes, values, outcomes: vec![(0.0, 0.0)] };
        for i in 1..curve.nodes.len() {
            let after = if i + 1 < curve.nodes.len() { curve.descent(i + 1).0 } else { 0.0 };
            let b = sub_up(curve.descent(i).1, after).max(0.0);
            curve.outcomes.push((mul_up(curve.nodes[i], b), b));
        }
        curve
    }

    /// A curve G that is 0 at the last node, and a probability h. Where `values` are above a
    /// hockey-stick curve H at `nodes`, H ≤ h + (1 − h)·G: the pair of H is dominated by the pair
    /// of G together with an event of probability h in which the loss is infinite.
    pub(crate) fn cut(nodes: &[f64], values: &[f64]) -> Option<(Self, f64)> {
        let cut = *values.last()?;
        if cut <= 0.0 {
            return Some((Self::new(nodes, values)?, 0.0));
        }
        let rest = sub_down(1.0, cut);
        let raised = |&value: &f64| {
            let above = (value > cut && rest > 0.0).then(|| div_up(sub_up(value, cut), rest));
            above.unwrap_or(0.0).min(1.0)
        };
        let raised: Vec<f64> = values.iter().map(raised).collect();
        Some((Self::new(nodes, &raised)?, cut))
    }

    /// Upper bound on δ at α = e^ε ≥ 1: one count changes under deletion, two under replacement.
    pub(crate) fn at(&self, adjacency: Adjacency, alpha: f64) -> f64 {
        match adjacency {
            Adjacency::Replacement => self.two_counts(alpha),
            Adjacency::Deletion => self.one_count(alpha),
        }
    }

    /// Upper bound on the hockey-stick divergence H(e^ε) of one count, for 1 ≤ `alpha` ≤ e^ε.
    pub(crate) fn one_count(&self, alpha: f64) -> f64 {
        self.symmetric(alpha, &mut 0)
    }

    /// Upper bound on H₂(`alpha`), the curve of two independent counts, at `alpha` ≥ 1.
    pub(crate) fn two_counts(&self, alpha: f64) -> f64 {
        self.with(self, alpha)
    }

    /// Upper bound on the curve of two independent pairs, this one and `other`, at `alpha` ≥ 1.
    pub(crate) fn with(&self, other: &Self, alpha: f64) -> f64 {
        let second = |alpha, start: &mut usize| other.symmetric(alpha, start);
        product(self.outcomes[0].1, [self, self], other.nodes.len(), alpha, second)
    }

    /// Upper bound on the hockey-stick divergence H(`alpha`) for any `alpha`, where H is its own
    /// mirror image below 1. The search for the node starts at index `start`, which is updated.
    fn symmetric(&self, alpha: f64, start: &mut usize) -> f64 {
        if alpha >= 1.0 { self.chord(alpha, start) } else { self.mirrored(alpha, start) }
    }

    /// Upper bound on the mirror image 1 − α + α·H(1/α) of the hockey-stick curve H, at `alpha` <
    /// 1. The search for the node starts at index `start`, which is updated.
    pub(crate) fn mirrored(&self, alpha: f64, start: &mut usize) -> f64 {
        if alpha <= 0.0 {
            return 1.0;
        }
        let mirrored = self.chord(div_down(1.0, alpha).max(1.0), start);
        let kept = sub_down(1.0, mirrored).max(0.0);
        sub_up(1.0, mul_down(alpha, kept).max(0.0)).min(1.0)
    }

    /// The largest likelihood ratio of the pair: the α of the last node.
    pub(crate) fn largest(&self) -> f64 {
        self.nodes[self.nodes.len() - 1]
    }

    /// Upper bound on the hockey-stick curve at `alpha` ≥ 1. The search for the node starts at
    /// index `start`, which is updated.
    pub(crate) fn chord(&self, alpha: f64, start: &mut usize) -> f64 {
        convex::evaluate(&self.nodes, &self.values, alpha, start)
    }

    /// Lower and upper bound on how much the curve falls per unit of α just before the node at
    /// index `i` ≥ 1.
    pub(crate) fn descent(&self, i: usize) -> (f64, f64) {
        let point = |i: usize| (self.nodes[i], self.values[i]);
        convex::descent(point(i - 1), point(i))
    }
}

/// The lower convex hull of the points (node, value), in ascending order. `None` unless there are
/// two nodes, they start at 1 and ascend, and the last value is 0.
pub(crate) fn hull(nodes: &[f64], values: &[f64]) -> Option<Vec<(f64, f64)>> {
    let ascending = nodes.windows(2).all(|pair| pair[0] < pair[1]);
    let starts = nodes.first() == Some(&1.0) && nodes.len() > 1;
    let points = nodes.iter().copied().zip(values.iter().copied());
    (starts && ascending && values.last() == Some(&0.0)).then(|| convex::hull(points))
}

/// Upper bound on m·H₂(α) + Σ_i a_i·H₂(α/α_i) + Σ_i b_i·H₂(α·α_i) at α = `alpha` ≥ 1: the
/// hockey-stick curve of two pairs. The first pair has likelihood ratio 1 with probability m =
/// `middle`, and the two `curves` hold its other ratios α_i with a_i and b_i. `second`(x, start) is
/// an upper bound on the second curve H₂(x), which falls with x; it searches for a node from index
/// `start`, of `nodes` nodes.
pub(crate) fn product(
    middle: f64,
    curves: [&DominatingCurve; 2],
    nodes: usize,
    alpha: f64,
    second: impl Fn(f64, &mut usize) -> f64,
) -> f64 {
    let outcomes = curves.map(|curve| curve.nodes.iter().zip(&curve.outcomes).skip(1));
    let [above, below] = outcomes;
    let mut sum = mul_up(middle, second(alpha, &mut 0));
    let (mut far, mut near) = (nodes, 0);
    for (&node, &(a, _)) in above {
        sum = add_up(sum, mul_up(a, second(div_down(alpha, node), &mut far)));
    }
    for (&node, &(_, b)) in below {
        sum = add_up(sum, mul_up(b, second(mul_down(alpha, node), &mut near)));
    }
    sum.min(1.0)
}
