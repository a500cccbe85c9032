//! Many coordinates at once: powers of a dominating pair.
//!
//! The product of dominating pairs dominates the product. Its curve is computed at nodes and
//! replaced by the hull of the points, which is above it. Far out it is cut: with h its value at
//! the last node, G = (H − h)₊/(1 − h) is the hull of fewer points, and H ≤ h + (1 − h)·G. Below 1
//! too, where a symmetric curve is 1 − α + α·H(1/α): there the right hand side less the left is
//! at least h − h(1 − α) − αh = 0. So the pair of H is dominated by that of G, together with an
//! event of probability h in which everything is told. Products of such pairs are dominated by the
//! product of the G, and the events add up: δ ≤ G∗G + h + h'.

use super::curve::Curve;
use dp_exact::directed::{add_up, count};
use dp_exact::{elementary, search::halved};

/// Nodes of a product where nothing else is said.
const NODES: u64 = 1200;

/// The largest privacy loss of a node.
const LARGEST_LOSS: f64 = 690.0;

/// The product of equal pairs.
pub(crate) struct Composed {
    first: Piece,
    second: Option<Piece>,
}

/// A curve, and the probability with which everything is told.
#[derive(Clone)]
struct Piece {
    curve: Curve,
    told: f64,
}

impl Composed {
    /// The product of `times` ≥ 1 pairs of `curve`, where probabilities of `negligible` are cut
    /// off. `None` if the privacy loss is too large for floating point numbers.
    pub(crate) fn new(curve: Curve, times: u64, negligible: f64) -> Option<Self> {
        Self::on_nodes(curve, times, negligible, NODES)
    }

    /// The same with so many nodes in each product: the work of one is about their square, its
    /// looseness about one over that.
    pub(crate) fn on_nodes(curve: Curve, times: u64, negligible: f64, nodes: u64) -> Option<Self> {
        let mut square = Piece { curve, told: 0.0 };
        if times == 1 {
            return Some(Self {
                first: square,
                second: None,
            });
        }
        // The power is split into two, the larger of them a power of two.
        let mut product: Option<Piece> = None;
        let mut left = times;
        loop {
            if left % 2 == 1 {
                product = Some(match product {
                    Some(product) if left > 1 => product.times(&square, negligible, nodes)?,
                    None if left > 1 => square.clone(),
                    product => {
                        return Some(Self {
                            first: square,
                            second: product,
                        });
                    }
                });
            } else if left == 2 && product.is_none() {
                return Some(Self {
                    first: square.clone(),
                    second: Some(square),
                });
            }
            square = square.times(&square, negligible, nodes)?;
            left /= 2;
        }
    }

    /// An upper bound for the product's curve at `alpha` ≥ 1.
    pub(crate) fn delta(&self, alpha: f64) -> f64 {
        match &self.second {
            Some(second) => self.first.with(second, alpha),
            None => add_up(self.first.curve.one(alpha), self.first.told),
        }
    }
}

impl Piece {
    fn with(&self, other: &Self, alpha: f64) -> f64 {
        add_up(
            self.curve.with(&other.curve, alpha),
            add_up(self.told, other.told),
        )
    }

    fn times(&self, other: &Self, negligible: f64, nodes: u64) -> Option<Self> {
        let told = add_up(self.told, other.told);
        let at = |loss: f64| self.curve.with(&other.curve, elementary::exp(loss));
        let most = elementary::ln(self.curve.largest()) + elementary::ln(other.curve.largest());
        let high = most.min(LARGEST_LOSS);
        if most > LARGEST_LOSS && at(high) > negligible {
            return None;
        }
        let is_larger = |loss| at(loss) > negligible;
        let (_, high) = halved((0.0, high), 12, |loss| !is_larger(loss));
        let nodes: Vec<f64> = (0..=nodes)
            .map(|i| elementary::exp(high * count(i) / count(nodes)))
            .collect();
        let values = nodes
            .iter()
            .map(|&alpha| self.curve.with(&other.curve, alpha));
        let values: Vec<f64> = values.collect();
        let (curve, cut) = Curve::cut(nodes.clone(), &values)?;
        Some(Self {
            curve,
            told: add_up(told, cut),
        })
    }
}
