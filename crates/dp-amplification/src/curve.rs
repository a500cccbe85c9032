//! A dominating pair, as its hockey-stick curve, and the composition of two of them.
//!
//! H is linear between nodes 1 = α₀ < α₁ < … < α_m, is 0 from α_m on, and H(α) = 1 − α + α·H(1/α) below 1. With s_i
//! the slope before α_i, and s_(m+1) = 0, the pair has the likelihood ratio α_i with probability b_i = s_(i+1) − s_i
//! under Q and a_i = α_i·b_i under P; 1/α_i with these two exchanged; and 1 with the rest. Products of dominating
//! pairs dominate products (Zhu, Dong, Wang 2022, Theorem 10):
//!
//!   H₂(α) = b₀·H(α) + Σ_{i≥1} [a_i·H(α/α_i) + b_i·H(α·α_i)].
//!
//! All sums are rounded upward.

use dp_calibration::Adjacency;
use dp_exact::convex;
use dp_exact::directed::{add_down, add_up, div_down, div_up, mul_down, mul_up, sub_down, sub_up};

/// A hockey-stick curve that is linear between nodes, from α = 1 on.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    nodes: Vec<f64>,
    values: Vec<f64>,
    /// For each node, upper bounds for the probabilities a_i and b_i; b₀ at the first. Where the
    /// chord through 1 is straight, b₀ is 0 and is computed as what rounding leaves, or as 0.
    outcomes: Vec<(f64, f64)>,
}

impl Curve {
    /// The lower convex hull of the points, which is above every convex function below them.
    ///
    /// `None` unless there are two nodes, they start at 1 and ascend, and the last value is 0.
    pub(crate) fn new(nodes: Vec<f64>, values: Vec<f64>) -> Option<Self> {
        let ascending = nodes.windows(2).all(|pair| pair[0] < pair[1]);
        if nodes.len() < 2
            || nodes.first() != Some(&1.0)
            || values.last() != Some(&0.0)
            || !ascending
        {
            return None;
        }
        let mut hull = convex::hull(nodes.into_iter().zip(values));
        // The chord from the mirror image of the second point to that point is above H, too.
        let (node, value) = hull[1];
        let chord = div_up(add_up(sub_up(node, 1.0), 2.0 * value), add_down(node, 1.0));
        hull[0].1 = hull[0].1.min(chord);
        let (nodes, values): (Vec<f64>, Vec<f64>) = hull.into_iter().unzip();
        let outcomes = outcomes(&nodes, &values);
        Some(Self { nodes, values, outcomes })
    }

    /// A curve G that is 0 at the last node, and a probability h: where `values` are above H at
    /// `nodes`, H ≤ h + (1 − h)·G, so that the pair of H is dominated by that of G together with an
    /// event of probability h in which the loss is infinite.
    pub(crate) fn cut(nodes: Vec<f64>, values: &[f64]) -> Option<(Self, f64)> {
        let cut = *values.last()?;
        if cut <= 0.0 {
            return Some((Self::new(nodes, values.to_vec())?, 0.0));
        }
        let rest = sub_down(1.0, cut);
        let raised = |&value: &f64| {
            let above = (value > cut && rest > 0.0).then(|| div_up(sub_up(value, cut), rest));
            above.unwrap_or(0.0).min(1.0)
        };
        let raised = values.iter().map(raised).collect();
        Some((Self::new(nodes, raised)?, cut))
    }

    /// The likelihood ratios from 1 on, with upper bounds for the probabilities a and b.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        let outcomes = self.nodes.iter().zip(&self.outcomes);
        outcomes.map(|(&node, &(a, b))| (node, a, b))
    }

    /// Not below δ at α ≥ 1, for the counts that change.
    pub(crate) fn at(&self, adjacency: Adjacency, alpha: f64) -> f64 {
        match adjacency {
            Adjacency::Replacement => self.two(alpha),
            Adjacency::Deletion => self.one(alpha),
        }
    }

    /// Not below H(e^ε) for `alpha` not above e^ε, and at least 1.
    pub(crate) fn one(&self, alpha: f64) -> f64 {
        self.upper_near(alpha, &mut 0)
    }

    /// Not below H₂(`alpha`), the curve of two independent coordinates, at α ≥ 1.
    pub(crate) fn two(&self, alpha: f64) -> f64 {
        self.with(self, alpha)
    }

    /// Not below the curve of two independent pairs, of this one and `other`, at `alpha` ≥ 1.
    pub(crate) fn with(&self, other: &Self, alpha: f64) -> f64 {
        let mut sum = mul_up(self.outcomes[0].1, other.upper_near(alpha, &mut 0));
        let (mut far, mut near) = (other.nodes.len(), 0);
        for (&node, &(a, b)) in self.nodes.iter().zip(&self.outcomes).skip(1) {
            // H falls, so a smaller argument is on the safe side.
            let divided = other.upper_near(div_down(alpha, node), &mut far);
            let multiplied = other.upper_near((alpha * node).next_down(), &mut near);
            sum = add_up(sum, add_up(mul_up(a, divided), mul_up(b, multiplied)));
        }
        sum.min(1.0)
    }

    /// As [`Self::one`], with the search for the node starting at `place`.
    fn upper_near(&self, alpha: f64, place: &mut usize) -> f64 {
        if alpha >= 1.0 {
            return self.chord(alpha, place);
        }
        if alpha <= 0.0 {
            return 1.0;
        }
        // 1 − α + α·H(1/α) = 1 − α·(1 − H(1/α))
        let mirrored = self.chord(div_down(1.0, alpha).max(1.0), place);
        let kept = sub_down(1.0, mirrored).max(0.0);
        sub_up(1.0, mul_down(alpha, kept).max(0.0)).min(1.0)
    }

    /// The largest likelihood ratio.
    pub(crate) fn largest(&self) -> f64 {
        self.nodes[self.nodes.len() - 1]
    }

    fn chord(&self, alpha: f64, place: &mut usize) -> f64 {
        convex::evaluate(&self.nodes, &self.values, alpha, place)
    }
}

fn outcomes(nodes: &[f64], values: &[f64]) -> Vec<(f64, f64)> {
    // Upper and lower bounds of −s_i, which is not negative.
    let slopes: Vec<(f64, f64)> = (1..nodes.len())
        .map(|i| convex::descent((nodes[i - 1], values[i - 1]), (nodes[i], values[i])))
        .collect();
    let middle = sub_up(sub_up(1.0, values[0]), 2.0 * slopes[0].0).max(0.0);
    let mut outcomes = vec![(middle, middle)];
    for i in 1..nodes.len() {
        let after = slopes.get(i).map_or(0.0, |slope| slope.0);
        let b = sub_up(slopes[i - 1].1, after).max(0.0);
        outcomes.push((mul_up(nodes[i], b), b));
    }
    outcomes
}
