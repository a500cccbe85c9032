//! A dominating pair as its hockey-stick curve, and the curve of two independent pairs.
//!
//! H is linear between nodes 1 = α₀ < α₁ < … < α_m, is 0 from α_m on, and below 1 it is H(α) = 1 −
//! α + α·G(1/α) with G the curve of the opposite direction, mostly H itself. The likelihood ratio
//! α_i has the probability b_i, the change of slope there, under Q and a_i = α_i·b_i under P; the
//! ratio 1/α_i has these probabilities of G with P and Q exchanged; the ratio 1 has the rest.
//! Products dominate products (`docs/aggregated-rappor.md`, section 4). All sums are rounded
//! upward.

use dp_calibration::for_amplification::Outcomes;
use dp_calibration::{Adjacency, Result};
use dp_exact::directed::{
    add_down, add_up, count, div_down, div_up, mul_down, mul_up, sub_down, sub_up,
};
use dp_exact::{Rational, convex, elementary};

/// A hockey-stick curve that is linear between nodes, from α = 1 on, and an infinite loss.
#[derive(Clone, Debug)]
pub(crate) struct DominatingCurve {
    /// The values of α = e^ε at which the curve bends, ascending from 1.
    pub(crate) nodes: Vec<f64>,
    /// The hockey-stick divergence H(α), or an upper bound, at each node; 0 at the last node.
    pub(crate) values: Vec<f64>,
    /// Upper bound on how much the curve falls per unit of α before each node.
    pub(crate) descents: Vec<f64>,
    /// For each node α, upper bounds on the probabilities of the likelihood ratio α under P and
    /// under Q. At the first node, α = 1, both are the probability of the ratio 1.
    pub(crate) outcomes: Vec<(f64, f64)>,
    /// Upper bound on the probability of an infinite loss, which adds to every δ.
    pub(crate) infinite: f64,
}

impl DominatingCurve {
    /// Curve through the lower convex hull of the points, above every convex function below them.
    /// `None` unless two nodes or more ascend from 1 and the last value is 0.
    pub(crate) fn new(nodes: &[f64], values: &[f64]) -> Option<Self> {
        let [curve, _] = Self::directions(nodes, values, values)?;
        Some(curve)
    }

    /// The curves of both directions of one pair, from upper bounds at `nodes` on convex falling
    /// functions that are equal at 1. `None` as for [`Self::new`].
    pub(crate) fn directions(nodes: &[f64], up: &[f64], down: &[f64]) -> Option<[Self; 2]> {
        let [mut up, mut down] = [hull(nodes, up)?, hull(nodes, down)?];
        // At α = 1 both curves have one value, which is not above the chord from the mirror image
        // of the second point of `down` to the second point of `up`.
        let ((x, v), (z, u)) = (down[1], up[1]);
        let (left, right) = (sub_up(x, 1.0), sub_up(z, 1.0));
        let above = add_up(mul_up(left, u), mul_up(right, add_up(left, v)));
        let chord = div_up(above, sub_down(mul_down(x, z), 1.0));
        let first = up[0].1.min(down[0].1).min(chord.max(0.0));
        (up[0].1, down[0].1) = (first, first);
        let slopes = [&up, &down].map(|hull| convex::descent(hull[0], hull[1]).0);
        let slopes = add_down(slopes[0], slopes[1]);
        let mut curves = [Self::of_hull(up), Self::of_hull(down)];
        let middle = sub_up(sub_up(1.0, first), slopes).max(0.0);
        curves.iter_mut().for_each(|curve| curve.outcomes[0] = (middle, middle));
        Some(curves)
    }

    /// Curve through the points of a convex hull, ascending and 0 at the last. The likelihood ratio
    /// 1 has the probability 0, for the caller to set, and so has an infinite loss.
    fn of_hull(hull: Vec<(f64, f64)>) -> Self {
        let bounds = hull.windows(2).map(|ends| convex::descent(ends[0], ends[1]));
        let bounds: Vec<(f64, f64)> = bounds.collect();
        let (nodes, values): (Vec<f64>, Vec<f64>) = hull.into_iter().unzip();
        let (mut descents, mut outcomes) = (vec![0.0], vec![(0.0, 0.0)]);
        for (i, &(_, descent)) in (1..).zip(&bounds) {
            let after = bounds.get(i).map_or(0.0, |&(lower, _)| lower);
            let b = sub_up(descent, after).max(0.0);
            descents.push(descent);
            outcomes.push((mul_up(nodes[i], b), b));
        }
        Self { nodes, values, descents, outcomes, infinite: 0.0 }
    }

    /// Curve of a pair whose `values` at `nodes` need not end in 0: with h the last one, H ≤ h + (1
    /// − h)·G for the curve G that is returned, and h becomes the probability of an infinite loss.
    /// `None` unless two nodes or more ascend from 1.
    pub(crate) fn cut(nodes: &[f64], values: &[f64]) -> Option<Self> {
        let infinite = *values.last()?;
        if infinite <= 0.0 {
            return Self::new(nodes, values);
        }
        let rest = sub_down(1.0, infinite);
        let raised = |&value: &f64| {
            let above = value > infinite && rest > 0.0;
            if above { div_up(sub_up(value, infinite), rest).min(1.0) } else { 0.0 }
        };
        let raised: Vec<f64> = values.iter().map(raised).collect();
        Some(Self { infinite, ..Self::new(nodes, &raised)? })
    }

    /// The curve through upper bounds `at`(ℓ) on δ at `pieces` + 1 privacy losses ℓ, even from 0 to
    /// `highest`; what is left at the last one is the probability of an infinite loss. `None` as
    /// for [`Self::cut`].
    pub(crate) fn sampled(highest: f64, pieces: u64, at: impl Fn(f64) -> f64) -> Option<Self> {
        let losses = (0..=pieces).map(|i| highest * count(i) / count(pieces));
        let (nodes, values): (Vec<f64>, Vec<f64>) =
            losses.map(|loss| (elementary::exp(loss), at(loss))).unzip();
        Self::cut(&nodes, &values)
    }

    /// Upper bound on δ at α = e^ε ≥ 1, infinite losses included: one count changes under deletion,
    /// two under replacement.
    pub(crate) fn at(&self, adjacency: Adjacency, alpha: f64) -> f64 {
        match adjacency {
            Adjacency::Replacement => self.with(self, alpha),
            Adjacency::Deletion | Adjacency::OneCoordinate => self.one_count(alpha),
        }
    }

    /// Upper bound on the δ of one count at ε = ln `alpha`, for `alpha` ≥ 1, infinite losses
    /// included.
    pub(crate) fn one_count(&self, alpha: f64) -> f64 {
        add_up(self.chord(alpha, &mut 0), self.infinite)
    }

    /// Upper bound on the δ of two independent pairs, this one and `other`, at ε = ln `alpha` ≥ 0,
    /// infinite losses included.
    pub(crate) fn with(&self, other: &Self, alpha: f64) -> f64 {
        product([self, self], [other, other], alpha, 0.0)
    }

    /// Upper bound on the mirror image 1 − α + α·H(1/α) of the hockey-stick curve H, at `alpha` <
    /// 1, without the infinite loss; 1 where α ≤ 0. The search for the node starts at index
    /// `start`, which is updated.
    fn mirrored(&self, alpha: f64, start: &mut usize) -> f64 {
        if alpha <= 0.0 {
            return 1.0;
        }
        let mirrored = self.chord(div_down(1.0, alpha).max(1.0), start);
        let kept = sub_down(1.0, mirrored).max(0.0);
        sub_up(1.0, mul_down(alpha, kept).max(0.0)).min(1.0)
    }

    /// The largest finite likelihood ratio of the pair: the α of the last node.
    pub(crate) fn largest(&self) -> f64 {
        self.nodes[self.nodes.len() - 1]
    }

    /// Upper bound on the hockey-stick curve at `alpha` ≥ 1 without the mass of `infinite`, which
    /// callers add: the chord between the nodes next to α, the last value after the last node. The
    /// search for the node starts at index `start`, which is updated.
    fn chord(&self, alpha: f64, start: &mut usize) -> f64 {
        let i = convex::node_after(&self.nodes, alpha, start);
        if alpha >= self.nodes[i] {
            return self.values[i];
        }
        let rise = mul_up(self.descents[i], sub_up(self.nodes[i], alpha));
        add_up(self.values[i], rise).min(self.values[i - 1])
    }

    /// The finite outcomes, as (likelihood ratio, upper bound on its probability under P): each
    /// node α and 1/α. An infinite loss is left out: the curves that are asked have none.
    pub(crate) fn outcomes(&self) -> Result<Outcomes> {
        let mut outcomes = Vec::new();
        for (&ratio, &(a, b)) in self.nodes.iter().zip(&self.outcomes) {
            let ratio = Rational::from_f64(ratio)?;
            if let Some(inverse) = ratio.reciprocal().filter(|_| ratio != Rational::one()) {
                outcomes.push((inverse, Rational::from_f64(b)?));
            }
            outcomes.push((ratio, Rational::from_f64(a)?));
        }
        Ok(outcomes)
    }
}

/// The lower convex hull of the points, ascending; `None` as for [`DominatingCurve::new`].
fn hull(nodes: &[f64], values: &[f64]) -> Option<Vec<(f64, f64)>> {
    let ascending = nodes.windows(2).all(|pair| pair[0] < pair[1]);
    let starts = nodes.first() == Some(&1.0) && nodes.len() > 1;
    let points = nodes.iter().copied().zip(values.iter().copied());
    (starts && ascending && values.last() == Some(&0.0)).then(|| convex::hull(points))
}

/// Upper bound on m·H₂(α) + Σ_i a_i·H₂(α/α_i) + Σ_i b_i·H₂(α·α_i) at α = `alpha` ≥ 1, with m, a_i
/// and b_i the probabilities of the ratios of `first`, and H₂ the curve of `[up, down]`: the δ of
/// both pairs together, their infinite losses included. Each pair is given by the curves of both of
/// its directions. Each argument of H₂ has `more` ≥ 0 added to it.
pub(crate) fn product(
    first: [&DominatingCurve; 2],
    [up, down]: [&DominatingCurve; 2],
    alpha: f64,
    more: f64,
) -> f64 {
    let second = |alpha: f64, start: &mut usize| {
        // H₂ falls.
        let alpha = if more > 0.0 { add_down(alpha, more) } else { alpha };
        if alpha >= 1.0 { up.chord(alpha, start) } else { down.mirrored(alpha, start) }
    };
    let [above, below] = first.map(|curve| curve.nodes.iter().zip(&curve.outcomes).skip(1));
    let mut sum = mul_up(first[0].outcomes[0].0, second(alpha, &mut 0));
    let (mut far, mut near) = (up.nodes.len(), 0);
    for (&node, &(a, _)) in above {
        sum = add_up(sum, mul_up(a, second(div_down(alpha, node), &mut far)));
    }
    for (&node, &(_, b)) in below {
        sum = add_up(sum, mul_up(b, second(mul_down(alpha, node), &mut near)));
    }
    add_up(sum.min(1.0), add_up(first[0].infinite, up.infinite))
}
