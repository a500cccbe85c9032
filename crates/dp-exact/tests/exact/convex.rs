//! Piecewise linear curves: never below the exact one, and next to it.

use dp_exact::Rational;
use dp_exact::convex::{descent, evaluate, hull};
use proptest::prelude::*;

fn exact(number: f64) -> Rational {
    Rational::from_f64(number).expect("finite")
}

/// The exact value at α of the line through two points.
fn line(left: (f64, f64), right: (f64, f64), alpha: f64) -> Rational {
    let rise = exact(right.1) - exact(left.1);
    let slope = rise.checked_div(&(exact(right.0) - exact(left.0))).expect("ascending");
    exact(left.1) + slope * (exact(alpha) - exact(left.0))
}

/// Ascending nodes and falling values with full mantissas.
fn falling() -> impl Strategy<Value = Vec<(f64, f64)>> {
    prop::collection::vec((1e-3..1.0f64, 1e-6..1.0f64), 2..12).prop_map(|steps| {
        let mut point = (0.0, 20.0);
        let mut points = Vec::new();
        for (width, drop) in steps {
            points.push(point);
            point = (point.0 + width, point.1 - drop);
        }
        points.push(point);
        points
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_descent_lies_between_its_bounds(points in falling()) {
        for pair in points.windows(2) {
            let (left, right) = (pair[0], pair[1]);
            let (lower, upper) = descent(left, right);
            let slope = (exact(left.1) - exact(right.1)).checked_div(&(exact(right.0) - exact(left.0))).expect("ascending");
            prop_assert!(exact(lower) <= slope && slope <= exact(upper));
            prop_assert!(upper - lower <= 1e-10 * upper);
            // What rises does not fall.
            prop_assert_eq!(descent((left.0, right.1), (right.0, left.1)), (0.0, 0.0));
        }
    }

    #[test]
    fn a_hull_is_convex_has_both_ends_and_passes_below_no_point_that_it_keeps(points in falling()) {
        let kept = hull(points.iter().copied());
        prop_assert_eq!((kept[0], kept[kept.len() - 1]), (points[0], points[points.len() - 1]));
        prop_assert!(kept.iter().all(|point| points.contains(point)));
        for three in kept.windows(3) {
            prop_assert!(exact(three[1].1) <= line(three[0], three[2], three[1].0));
        }
        // The lower hull: every point that was left out is above it, up to roundings.
        for &(node, value) in &points {
            let after = kept.iter().position(|point| point.0 >= node).expect("the last").max(1);
            let below = line(kept[after - 1], kept[after], node);
            prop_assert!(value >= below.to_f64() - 1e-12);
        }
    }

    #[test]
    fn a_curve_is_bounded_from_every_hint(points in falling(), place in 0.0..=1.0f64, start in 0..20usize) {
        let kept = hull(points.into_iter());
        let (nodes, values): (Vec<f64>, Vec<f64>) = kept.into_iter().unzip();
        let last = nodes.len() - 1;
        let alpha = place * nodes[last];
        let mut found = start;
        let value = evaluate(&nodes, &values, alpha, &mut found);
        if alpha >= nodes[last] {
            prop_assert_eq!(value, 0.0);
        } else {
            prop_assert!(nodes[found - 1] <= alpha && alpha <= nodes[found]);
            let line = line((nodes[found - 1], values[found - 1]), (nodes[found], values[found]), alpha);
            prop_assert!(exact(value) >= line && value - line.to_f64() < 1e-13);
        }
    }
}
