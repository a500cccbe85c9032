//! Many counts at once, in one release or in several: powers of a dominating pair.
//!
//! The product of dominating pairs dominates the product, also where each release depends on
//! earlier results (Zhu, Dong, Wang 2022, Theorem 10). Its curve is computed at nodes and replaced
//! by the hull of the points, which is above it. Far out it is cut: with h its value at the last
//! node, H ≤ h + (1 − h)·(H − h)₊/(1 − h), also below 1, so that h counts as the probability of an
//! infinite loss; these add up.

use dp_calibration::Error;
use dp_exact::directed::{add_up, count};
use dp_exact::{Rational, elementary, search::bisect_floats};

use crate::dominating_curve::DominatingCurve;
use crate::epsilon_search::certified_epsilon;

/// The share of δ that is spent on cutting far tails.
const SHARE: f64 = 1e-6;

/// Number of nodes of a product of few pairs, and of one of many: looser by about 0.01 %, at a
/// fourth of the work.
const NODES: [u64; 2] = [1200, 600];

/// The most pairs that are few.
const FEW: u64 = 64;

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
    match PairProduct::new(pair, times, target, NODES[usize::from(times > FEW)]) {
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
        let pair = ProductFactor { curve, infinite };
        if times == 1 {
            return Some(Self { first: pair, second: None });
        }
        let first = pair.power(times / 2, negligible, nodes)?;
        let second = match times % 2 {
            0 => first.clone(),
            _ => first.times(&pair, negligible, nodes)?,
        };
        Some(Self { first, second: Some(second) })
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

    /// A pair that dominates `times` ≥ 1 of this factor, by repeated squaring. `None` as for
    /// [`Self::times`].
    fn power(&self, times: u64, negligible: f64, nodes: u64) -> Option<Self> {
        if times <= 1 {
            return Some(self.clone());
        }
        let root = self.power(times / 2, negligible, nodes)?;
        let square = root.times(&root, negligible, nodes)?;
        if times.is_multiple_of(2) { Some(square) } else { square.times(self, negligible, nodes) }
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
