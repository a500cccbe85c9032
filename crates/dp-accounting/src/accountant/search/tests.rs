use std::cell::Cell;

use super::*;

/// Falls through 0 at `root`: on a chord, on both sides of it, far from any.
const SHAPES: [fn(f64, f64) -> f64; 4] = [
    |x, root| root - x,
    |x, root| 1.0 - (x / root) * (x / root),
    |x, root| 30.0 * (1.0 - x / root) + 0.2 * (1.0 - (x / root).sqrt()),
    |x, root| 2e5 * (1.0 - x / root),
];

#[test]
fn a_crossing_is_enclosed_by_neighbouring_numbers_after_few_values() {
    for (shape, function) in SHAPES.into_iter().enumerate() {
        for root in [3.7e-7, 0.013, 0.7, 1.3, 41.0, 9.9e5] {
            let values = Cell::new(0);
            let (low, high) = crossing(|x| {
                values.set(values.get() + 1);
                function(x, root)
            });
            assert!(
                low <= root * (1.0 + 1e-15) && root * (1.0 - 1e-15) <= high,
                "{shape} {root} {low} {high}"
            );
            assert!(high - low < 1e-12 * high, "{shape} {root} {low} {high}");
            assert!(values.get() < 90, "{shape} {root}: {} values", values.get());
        }
    }
}
