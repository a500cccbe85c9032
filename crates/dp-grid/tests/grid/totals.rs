//! What totals of cells stand for, and how far one client moves them.

use dp_exact::Rational;
use dp_grid::Distortion;
use proptest::prelude::*;

use crate::{a_grid_and_a_value, grid, number};

proptest! {
    #[test]
    fn rounding_in_range_keeps_its_bounds(
        (grid, value) in a_grid_and_a_value(),
        reports in 1u64..50,
    ) {
        let inside = grid.clamp(&value);
        let cells = i128::try_from(grid.cell(&inside)).expect("small") * i128::from(reports);
        let truth = &inside * &Rational::from(reports);
        let error_of_sum = (&grid.sum(cells, reports) - &truth).abs();
        let error_of_mean = (&grid.mean(cells, reports).expect("reports") - &inside).abs();
        prop_assert!(error_of_sum <= grid.sum_rounding_bound(reports));
        prop_assert!(error_of_mean <= grid.mean_rounding_bound());
    }

    #[test]
    fn one_client_moves_the_total_by_at_most_the_sensitivity(
        (grid, value) in a_grid_and_a_value(),
        other in any::<f64>().prop_filter("finite", |x| x.is_finite()),
    ) {
        let (one, two) = (grid.cell(&value), grid.cell_of_f64(other).expect("finite"));
        prop_assert!(one.abs_diff(two) <= grid.sensitivity_in_cells());
        let moved = (&grid.value(one) - &grid.value(two)).abs();
        prop_assert!(moved <= grid.sensitivity());
        prop_assert_eq!(&grid.value(grid.max_measurement()) - &grid.value(0), grid.sensitivity());
    }
}

#[test]
fn a_noisy_total_may_be_negative_and_no_reports_have_no_mean() {
    let grid = grid("40", "140", "0.5");
    assert_eq!(grid.sum(-10, 3), number("115"));
    assert_eq!(grid.mean(-10, 3), Ok(number("115/3")));
    let error = grid.mean(7, 0).expect_err("no mean");
    assert_eq!(error.to_string(), "reports is 0: expected at least 1");
}

#[test]
fn the_distortion_tells_clamping_from_rounding() {
    let grid = grid("0", "10", "1");
    let values = ["-4", "2.25", "7.5", "10", "12.5"].map(number);
    let distortion = Distortion::of(&grid, &values);
    assert_eq!(
        (distortion.values, distortion.below, distortion.above),
        (5, 1, 1)
    );
    assert!((distortion.clamping - 1.5).abs() < 1e-12); // 4 up, 2.5 down
    assert!((distortion.rounding - 0.25).abs() < 1e-12); // 0.25 down, 0.5 up
    assert!((distortion.of_the_mean().expect("values") - 0.35).abs() < 1e-12);
    assert_eq!(Distortion::of(&grid, []).of_the_mean(), None);
}
