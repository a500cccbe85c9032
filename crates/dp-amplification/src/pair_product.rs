//! Many counts at once, in one release or in several: powers of a dominating pair.
//!
//! The product of dominating pairs dominates the product, also where each release depends on earlier results
//! (Zhu, Dong, Wang 2022, Theorem 10). Its curve is computed at nodes and replaced by the hull of the points,
//! which is above it. Far out it is cut: with h its value at the last node, G = (H − h)₊/(1 − h) is the hull
//! of fewer points, and H ≤ h + (1 − h)·G. Below 1 too, where a symmetric curve is 1 − α + α·H(1/α): there
//! the right hand side less the left is at least h − h(1 − α) − αh = 0. So the pair of H is dominated by
//! the pair of G, together with an event of probability h in which the loss is infinite. Products of such pairs
//! are dominated by the product of the G, and the events add up: δ ≤ G∗G + h + h'.

use dp_calibration::Error;
use dp_exact::directed::{add_up, count};
use dp_exact::{Rational, elementary, search::bisect_floats};

use crate::dominating_curve::DominatingCurve;
use crate::epsilon_search::certified_epsilon;

/// The share of δ that is spent on cutting far tails.
const SHARE: f64 = 1e-6;

/// Number of nodes of a product over the counts of one release.
pub(crate) const NODES: u64 = 1200;

/// Number of nodes of a product over several releases: looser by about 0.01 %, at a fourth of the
/// work.
pub(crate) const FEWER_NODES: u64 = 600;

/// The largest privacy loss at which a product's curve has a node; e^loss must be a float.
const LARGEST_LOSS: f64 = 690.0;

/// Upper bound on the ε at δ = `target` of the product of `times` equal pairs, each a curve and a probability
/// of an infinite loss; at most `local`.
pub(crate) fn epsilon(
    pair: (DominatingCurve, f64),
    times: u64,
    target: f64,
    local: &Rational,
) -> Result<Rational, Error> {
    match PairProduct::new(pair, times, target, FEWER_NODES) {
        Some(product) => certified_epsilon(target, local, |alpha| product.delta(alpha)),
        None => Ok(local.clone()),
    }
}

/// The part of δ that may be cut off the curve of each of `times` pairs: together a millionth of
/// `target`, the δ that is asked for.
pub(crate) fn negligible(target: f64, times: u64) -> f64 {
    target * SHARE / count(times)
}

/// Upper bound on δ of equal pairs together, as a function of ε: one or two factors, each a power
/// of the pair.
pub(crate) struct PairProduct {
    first: ProductFactor,
    /// `None` if the first factor is the whole product.
    second: Option<ProductFactor>,
}

/// A dominating pair: a hockey-stick curve, and an upper bound on the probability of an infinite
/// loss.
#[derive(Clone)]
struct ProductFactor {
    curve: DominatingCurve,
    /// Upper bound on the probability of an infinite loss.
    infinite: f64,
}

impl PairProduct {
    /// The product of `times` ≥ 1 pairs of `curve`, each with an infinite loss with probability `infinite`, on
    /// `nodes` nodes: the work is about their square, the looseness about one over that. Probabilities of a
    /// millionth of the `target` δ are cut off. `None` if the privacy loss is too large for floating point numbers.
    pub(crate) fn new(
        (curve, infinite): (DominatingCurve, f64),
        times: u64,
        target: f64,
        nodes: u64,
    ) -> Option<Self> {
        let negligible = negligible(target, 1);
        let mut square = ProductFactor { curve, infinite };
        if times == 1 {
            return Some(Self { first: square, second: None });
        }
        // The power is split into two, the larger of them a power of two.
        let mut product: Option<ProductFactor> = None;
        let mut left = times;
        loop {
            if left % 2 == 1 {
                product = Some(match product {
                    Some(product) if left > 1 => product.times(&square, negligible, nodes)?,
                    None if left > 1 => square.clone(),
                    product => {
                        return Some(Self { first: square, second: product });
                    }
                });
            } else if left == 2 && product.is_none() {
                return Some(Self { first: square.clone(), second: Some(square) });
            }
            square = square.times(&square, negligible, nodes)?;
            left /= 2;
        }
    }

    /// Upper bound on δ of the product at ε = ln `alpha`, for `alpha` ≥ 1.
    pub(crate) fn delta(&self, alpha: f64) -> f64 {
        match &self.second {
            Some(second) => self.first.with(second, alpha),
            None => add_up(self.first.curve.one_count(alpha), self.first.infinite),
        }
    }
}

impl ProductFactor {
    /// Upper bound on δ of both factors together at ε = ln `alpha`, for `alpha` ≥ 1.
    fn with(&self, other: &Self, alpha: f64) -> f64 {
        add_up(self.curve.with(&other.curve, alpha), add_up(self.infinite, other.infinite))
    }

    /// A pair that dominates both factors together, on `nodes` + 1 nodes. A probability of at most
    /// `negligible` becomes an infinite loss. `None` if losses above 690 are more likely than that.
    fn times(&self, other: &Self, negligible: f64, nodes: u64) -> Option<Self> {
        let infinite = add_up(self.infinite, other.infinite);
        let at = |loss: f64| self.curve.with(&other.curve, elementary::exp(loss));
        let most = elementary::ln(self.curve.largest()) + elementary::ln(other.curve.largest());
        let high = most.min(LARGEST_LOSS);
        if most > LARGEST_LOSS && at(high) > negligible {
            return None;
        }
        let is_larger = |loss| at(loss) > negligible;
        let (_, high) = bisect_floats((0.0, high), 12, |loss| !is_larger(loss));
        let nodes: Vec<f64> =
            (0..=nodes).map(|i| elementary::exp(high * count(i) / count(nodes))).collect();
        let values = nodes.iter().map(|&alpha| self.curve.with(&other.curve, alpha));
        let values: Vec<f64> = values.collect();
        let (curve, cut) = DominatingCurve::cut(&nodes, &values)?;
        Some(Self { curve, infinite: add_up(infinite, cut) })
    }
}
