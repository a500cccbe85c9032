//! Convex falling curves that are linear between nodes: upper bounds of a convex function.
//!
//! A chord between two points above a convex function is above it. Bounds on curves are rounded up.

use alloc::vec::Vec;

use crate::directed::{add_up, div_down, div_up, mul_up, sub_down, sub_up};

/// The lower convex hull of points with ascending nodes: an upper bound of every convex function
/// below the points.
pub fn hull(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut hull: Vec<(f64, f64)> = Vec::with_capacity(points.size_hint().0);
    for point in points {
        // A point above the chord of its neighbours is no corner of the hull.
        while let [.., left, middle] = hull[..]
            && is_above_chord(left, middle, point)
        {
            hull.pop();
        }
        hull.push(point);
    }
    hull
}

/// Whether the point `middle` lies on or above the chord from the point `left` to the point
/// `right`, up to roundings, or higher than `left`, where no falling curve has a corner.
fn is_above_chord(left: (f64, f64), middle: (f64, f64), right: (f64, f64)) -> bool {
    let before = div_up(sub_up(middle.1, left.1), sub_down(middle.0, left.0));
    let after = (right.1 - middle.1) / (right.0 - middle.0);
    before >= after || left.1 < middle.1
}

/// A lower and an upper bound of the descent between two points, (left.1 − right.1)/(right.0 −
/// left.0), both at least 0.
pub fn descent(left: (f64, f64), right: (f64, f64)) -> (f64, f64) {
    let lower = div_down(sub_down(left.1, right.1), sub_up(right.0, left.0));
    let upper = div_up(sub_up(left.1, right.1), sub_down(right.0, left.0));
    (lower.max(0.0), upper.max(0.0))
}

/// Upper bound at `alpha` of the chord between two points:
/// low + (high − low)·(right − α)/(right − left).
pub fn chord(left: (f64, f64), right: (f64, f64), alpha: f64) -> f64 {
    let share = div_up(sub_up(right.0, alpha), sub_down(right.0, left.0)).clamp(0.0, 1.0);
    add_up(right.1, mul_up(sub_up(left.1, right.1).max(0.0), share)).min(left.1)
}

/// An i ≥ 1 with node i − 1 ≤ `alpha` ≤ node i; beyond the ends, 1 or the last. The search starts
/// at the index `hint`, which becomes i.
#[inline]
pub fn node_after(nodes: &[f64], alpha: f64, hint: &mut usize) -> usize {
    let last = nodes.len() - 1;
    let mut i = (*hint).clamp(1, last);
    while i < last && nodes[i] < alpha {
        i += 1;
    }
    while i > 1 && nodes[i - 1] > alpha {
        i -= 1;
    }
    *hint = i;
    i
}
