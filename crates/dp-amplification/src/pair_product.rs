//! Many counts at once, in one release or in several: powers of a dominating pair.
//!
//! The product of dominating pairs dominates the product, also where each release depends on
//! earlier results (Zhu, Dong, Wang 2022, Theorem 10). Its curve is computed at nodes and replaced
//! by the hull of the points, which is above it; far out it is cut, and the probabilities of
//! infinite losses add up.

use dp_exact::directed::count;
use dp_exact::{Rational, elementary, search::bisect_floats};

use crate::dominating_curve::DominatingCurve;
use crate::epsilon_search::certified_epsilon;

/// The share of δ that is spent on cutting far tails.
const SHARE: f64 = 1e-6;

/// Nodes of a product of few pairs, and of many: about 0.01 % looser, at a fourth of the work.
const NODES: [u64; 2] = [1200, 600];

/// The most pairs that are few.
const FEW: u64 = 64;

/// The largest privacy loss at which a product's curve has a node; e^loss must be a float.
const LARGEST_LOSS: f64 = 690.0;

/// Upper bound on the ε at δ = `target` of `times` ≥ 1 pairs of `curve`; at most `local`, which is
/// the answer too where privacy losses are too large for floats.
pub(crate) fn epsilon(
    curve: &DominatingCurve,
    times: u64,
    target: f64,
    local: &Rational,
) -> Rational {
    if times == 1 {
        return certified_epsilon(target, local, |alpha| curve.one_count(alpha));
    }
    let Some([first, second]) = halves(curve, times, target) else {
        return local.clone();
    };
    certified_epsilon(target, local, |alpha| first.with(&second, alpha))
}

/// The part of δ that may be cut off each of `times` pairs: together a millionth of `target`.
pub(crate) fn negligible(target: f64, times: u64) -> f64 {
    target * SHARE / count(times)
}

/// Two pairs whose product dominates `times` ≥ 2 pairs of `curve`; tails of a millionth of the
/// `target` δ are cut off. `None` if the privacy loss is too large for floats.
pub(crate) fn halves(
    curve: &DominatingCurve,
    times: u64,
    target: f64,
) -> Option<[DominatingCurve; 2]> {
    let cut = (negligible(target, 1), NODES[usize::from(times > FEW)]);
    let first = power(curve, times / 2, cut)?;
    let second = if times.is_multiple_of(2) { first.clone() } else { joint(&first, curve, cut)? };
    Some([first, second])
}

/// A pair that dominates `times` ≥ 1 pairs of `curve`, by squaring. `cut` is what [`joint`] gets
/// for each product: its `negligible` δ and its number of nodes. `None` as for [`joint`].
fn power(curve: &DominatingCurve, times: u64, cut: (f64, u64)) -> Option<DominatingCurve> {
    if times <= 1 {
        return Some(curve.clone());
    }
    let root = power(curve, times / 2, cut)?;
    let square = joint(&root, &root, cut)?;
    if times.is_multiple_of(2) { Some(square) } else { joint(&square, curve, cut) }
}

/// A pair that dominates both together, on `nodes` + 1 nodes, with about `negligible` more infinite
/// losses than both have. `None` if finite losses above 690 are more likely than that.
fn joint(
    one: &DominatingCurve,
    other: &DominatingCurve,
    (negligible, nodes): (f64, u64),
) -> Option<DominatingCurve> {
    let least = negligible + one.infinite + other.infinite;
    let at = |loss: f64| one.with(other, elementary::exp(loss));
    let most = elementary::ln(one.largest()) + elementary::ln(other.largest());
    let high = most.min(LARGEST_LOSS);
    if most > LARGEST_LOSS && at(high) > least {
        return None;
    }
    let (_, high) = bisect_floats((0.0, high), 12, |loss| at(loss) <= least);
    DominatingCurve::sampled(high, nodes, at)
}
