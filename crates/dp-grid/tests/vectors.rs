//! Vectors: coordinates bounded one by one, and coordinates with a bounded sum.

use dp_exact::Rational;
use dp_grid::{Grid, GridVec, L1BoundGrid, MAX_LENGTH};
use num_bigint::BigUint;
use proptest::prelude::*;

fn number(text: &str) -> Rational {
    text.parse().expect("a literal")
}

fn steps(low: &str, high: &str, steps: u128) -> Grid {
    Grid::with_steps(number(low), number(high), steps).expect("a grid")
}

fn l1_bound(length: usize, bound: &str, granularity: &str) -> L1BoundGrid {
    L1BoundGrid::new(length, number(bound), number(granularity)).expect("a grid")
}

fn integers(sensitivity: &dp_grid::Sensitivity) -> [BigUint; 3] {
    let dp_grid::Sensitivity {
        l1,
        l2_squared,
        linf,
    } = sensitivity.clone();
    [l1, l2_squared, linf]
}

#[test]
fn coordinates_keep_their_own_units() {
    let grids = GridVec::new(vec![steps("130", "210", 1000), steps("40", "140", 1000)])
        .expect("equal steps");
    let people = [[174.1875, 79.04], [159.375, 58.63]];
    let mut totals = [0i128; 2];
    for person in people {
        for (total, cell) in totals
            .iter_mut()
            .zip(grids.cells_of_f64(&person).expect("finite"))
        {
            *total += i128::try_from(cell).expect("small");
        }
    }
    let sums = grids.sums(&totals, 2).expect("two totals");
    assert_eq!(sums, [number("333.52"), number("137.6")]);
    let means = grids.means(&totals, 2).expect("two totals");
    assert_eq!(means, [number("166.76"), number("68.8")]);
}

#[test]
fn grids_of_different_steps_are_refused() {
    let grids = vec![
        steps("0", "1", 10),
        steps("0", "1", 10),
        steps("0", "1", 11),
    ];
    assert_eq!(
        GridVec::new(grids).expect_err("unequal").to_string(),
        "max_measurement of coordinate 2 is 11: expected 10, as for coordinate 0"
    );
}

#[test]
fn lengths_are_bounded_before_anything_is_allocated() {
    for length in [0, MAX_LENGTH + 1, usize::MAX] {
        let uniform = GridVec::uniform(steps("0", "1", 10), length).expect_err("length");
        assert_eq!(uniform.name(), "length");
        let bounded = L1BoundGrid::new(length, number("1"), number("0.1")).expect_err("length");
        assert_eq!(bounded.name(), "length");
    }
    assert!(GridVec::new(Vec::new()).is_err());
    let widest = GridVec::uniform(steps("0", "1", 10), MAX_LENGTH).expect("accepted");
    assert_eq!(widest.len(), MAX_LENGTH);
}

#[test]
fn a_vector_of_another_length_is_refused() {
    let grids = GridVec::uniform(steps("0", "1", 10), 3).expect("a grid");
    assert_eq!(
        grids
            .cells_of_f64(&[0.5; 4])
            .expect_err("length")
            .to_string(),
        "number of values is 4: expected 3, one for each coordinate"
    );
    assert!(grids.cells(&[]).is_err());
    assert!(grids.sums(&[0; 2], 1).is_err());
    assert!(grids.means(&[0; 4], 1).is_err());
    assert!(grids.means(&[0; 3], 0).is_err());
}

#[test]
fn a_value_that_is_no_number_is_named_by_its_place() {
    let grids = GridVec::uniform(steps("0", "1", 10), 3).expect("a grid");
    assert_eq!(
        grids
            .cells_of_f64(&[0.5, 0.5, f64::NAN])
            .expect_err("NaN")
            .to_string(),
        "value 2 is NaN: expected a finite number"
    );
    assert!(
        l1_bound(2, "1", "0.1")
            .cells_of_f64(&[f64::INFINITY, 0.0])
            .is_err()
    );
}

#[test]
fn the_bound_of_a_sum_is_named_as_such() {
    for (bound, granularity, name) in [
        ("0", "1", "bound"),
        ("-1", "1", "bound"),
        ("1", "0", "granularity"),
        ("1", "0.3", "granularity"),
    ] {
        let error = L1BoundGrid::new(3, number(bound), number(granularity)).expect_err("refused");
        assert_eq!(error.name(), name, "{error}");
    }
    let enormous = L1BoundGrid::new(3, number("1e1200").pow(100), number("1")).expect_err("long");
    assert_eq!(enormous.name(), "bound");
}

/// All pairs of vectors of `length` cells from 0 to `max`, those whose sum passes `admitted`.
fn largest_norms(length: u32, max: u128, admitted: impl Fn(u128) -> bool) -> [BigUint; 3] {
    let base = max + 1;
    let digits = |number: u128| -> Vec<u128> {
        (0..length)
            .map(|place| number / base.pow(place) % base)
            .collect()
    };
    let vectors: Vec<Vec<u128>> = (0..base.pow(length))
        .map(digits)
        .filter(|vector| admitted(vector.iter().sum()))
        .collect();
    let mut largest = [0u128; 3];
    for x in &vectors {
        for y in &vectors {
            let moves = || x.iter().zip(y).map(|(a, b)| a.abs_diff(*b));
            let norms = [
                moves().sum(),
                moves().map(|m| m * m).sum(),
                moves().max().unwrap_or(0),
            ];
            for (best, norm) in largest.iter_mut().zip(norms) {
                *best = norm.max(*best);
            }
        }
    }
    largest.map(BigUint::from)
}

#[test]
fn sensitivities_are_the_largest_norms_over_all_pairs_of_vectors() {
    for (length, max) in [(1, 1), (1, 5), (2, 3), (3, 2), (4, 1)] {
        let coordinates = usize::try_from(length).expect("small");
        let each = GridVec::uniform(steps("0", "1", max), coordinates).expect("a grid");
        assert_eq!(
            integers(&each.sensitivity_in_cells()),
            largest_norms(length, max, |_| true)
        );
        let sum = l1_bound(coordinates, &max.to_string(), "1");
        assert_eq!(
            integers(&sum.sensitivity_in_cells()),
            largest_norms(length, max, |sum| sum <= max)
        );
    }
}

#[test]
fn rounding_that_would_pass_the_bound_is_taken_back() {
    // 2/3 rounds to 1 three times: 3 cells where the bound is 2.
    let third = number("2/3");
    let cells = l1_bound(3, "2", "1").cells(&[third.clone(), third.clone(), third]);
    assert_eq!(cells, Ok(vec![1, 1, 0]));
}

#[test]
fn the_largest_cells_do_not_overflow() {
    let widest = l1_bound(4, "9223372036854775807", "1");
    let cells = widest.cells_of_f64(&[f64::MAX; 4]).expect("finite");
    assert_eq!(cells.iter().sum::<u128>(), Grid::MAX_MEASUREMENT);
    assert_eq!(cells[0] - cells[3], 1);
}

proptest! {
    #[test]
    fn cells_never_pass_the_bound_and_keep_their_proportions(
        values in prop::collection::vec(-10.0..100.0f64, 1..20), bound in 1u32..200,
    ) {
        let grid = l1_bound(values.len(), &bound.to_string(), "1/4");
        let cells = grid.cells_of_f64(&values).expect("finite");
        let sum: u128 = cells.iter().sum();
        prop_assert!(sum <= grid.max_measurement());

        let coordinate = steps("0", &bound.to_string(), grid.max_measurement());
        let each = GridVec::uniform(coordinate, values.len());
        let free = each.expect("a grid").cells_of_f64(&values).expect("finite");
        let free_sum: u128 = free.iter().sum();
        if free_sum <= grid.max_measurement() {
            prop_assert_eq!(&cells, &free);
        } else {
            prop_assert_eq!(sum, grid.max_measurement());
            for (cell, free) in cells.iter().zip(&free) {
                let scaled = free * grid.max_measurement() / free_sum;
                prop_assert!((scaled..=scaled + 1).contains(cell) && cell <= free);
            }
        }
    }
}
