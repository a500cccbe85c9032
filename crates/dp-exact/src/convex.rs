//! Convex, falling curves that are linear between points, with every rounding upward.
//!
//! A curve through points that are not below a convex one is not below it between them either.

use alloc::vec::Vec;

use crate::directed::{add_up, div_down, div_up, mul_up, sub_down, sub_up};

/// The lower convex hull of points with ascending nodes, which is above every convex function
/// below them.
pub fn hull(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    hull_by(points, is_above_chord)
}

/// What is left of points with ascending nodes when every middle one of three that `is_above` the
/// chord is left out.
pub fn hull_by(
    points: impl Iterator<Item = (f64, f64)>,
    is_above: impl Fn((f64, f64), (f64, f64), (f64, f64)) -> bool,
) -> Vec<(f64, f64)> {
    let mut hull: Vec<(f64, f64)> = Vec::with_capacity(points.size_hint().0);
    for point in points {
        while let [.., left, middle] = hull[..]
            && is_above(left, middle, point)
        {
            hull.pop();
        }
        hull.push(point);
    }
    hull
}

/// Whether the middle of three points is certainly not below the chord, or nearly so.
fn is_above_chord(left: (f64, f64), middle: (f64, f64), right: (f64, f64)) -> bool {
    let before = div_up(sub_up(middle.1, left.1), sub_down(middle.0, left.0));
    let after = (right.1 - middle.1) / (right.0 - middle.0);
    before >= after || left.1 < middle.1
}

/// A lower and an upper bound of the fall per unit between two points, which is not negative.
pub fn descent(left: (f64, f64), right: (f64, f64)) -> (f64, f64) {
    let lower = div_down(sub_down(left.1, right.1), sub_up(right.0, left.0));
    let upper = div_up(sub_up(left.1, right.1), sub_down(right.0, left.0));
    (lower.max(0.0), upper.max(0.0))
}

/// Not below the chord between two points at `alpha`:
/// low + (high − low)·(right − α)/(right − left).
pub fn chord(left: (f64, f64), right: (f64, f64), alpha: f64) -> f64 {
    let share = div_up(sub_up(right.0, alpha), sub_down(right.0, left.0)).clamp(0.0, 1.0);
    add_up(right.1, mul_up(sub_up(left.1, right.1).max(0.0), share)).min(left.1)
}

/// Not below the curve at `alpha`, which is 0 from the last node on. The search starts at node
/// `place` and leaves the node after `alpha` there.
pub fn evaluate(nodes: &[f64], values: &[f64], alpha: f64, place: &mut usize) -> f64 {
    let last = nodes.len() - 1;
    let mut i = (*place).clamp(1, last);
    while i < last && nodes[i] < alpha {
        i += 1;
    }
    while i > 1 && nodes[i - 1] > alpha {
        i -= 1;
    }
    *place = i;
    if alpha >= nodes[last] {
        return 0.0;
    }
    chord((nodes[i - 1], values[i - 1]), (nodes[i], values[i]), alpha)
}
