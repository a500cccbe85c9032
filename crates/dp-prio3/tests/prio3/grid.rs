//! Grids: accepted parameters, and the cell of a value.

use dp_prio3::grid::Grid;

use crate::support::*;

fn grid(low: &str, high: &str, granularity: &str) -> Grid {
    Grid::new(rational(low), rational(high), rational(granularity)).expect("a grid")
}

#[test]
fn what_is_no_grid_is_refused_with_the_parameter_named() {
    let too_wide = "at least the range divided by 2^63 - 1";
    for (low, high, granularity, name, accepted) in [
        ("0", rational("1"), "0", "granularity", "a number greater than 0"),
        ("0", rational("1"), "-0.1", "granularity", "a number greater than 0"),
        ("5", rational("5"), "1", "high", "a number greater than the low end, 5"),
        ("0", rational("1"), "0.3", "granularity", "a number of which the range is a multiple"),
        ("0", rational("9223372036854775808"), "1", "granularity", too_wide),
        ("0", rational("1e1200").pow(100), "1", "granularity", too_wide),
    ] {
        let error = Grid::new(rational(low), high, rational(granularity)).expect_err("no grid");
        assert_eq!((error.name(), error.accepted()), (name, accepted));
    }
}

#[test]
fn the_widest_grid_and_the_finest_one_work() {
    let widest = grid("0", "9223372036854775807", "1");
    assert_eq!(widest.max_measurement(), Grid::MAX_MEASUREMENT);

    let finest = grid("-1e-1000", "1e-1000", "1e-1001");
    // 5e-324 is far above 1e-1000.
    for (value, cell) in [(f64::MAX, 20), (-f64::MAX, 0), (f64::from_bits(1), 20), (-0.0, 10)] {
        assert_eq!(finest.cell(&Rational::from_f64(value).unwrap()), cell, "{value}");
    }
}

#[test]
fn no_floating_point_error_decides_a_cell() {
    let grid = grid("0", "1", "0.1");
    // The f64 next to 0.65 lies above it; dividing in f64 gives a tie, and the wrong cell.
    assert_eq!((0.65f64 / 0.1).round_ties_even(), 6.0);
    // The f64 nearest to 0.15 lies below it.
    for (value, cell) in [(0.65, 7), (0.25f64.next_up(), 3), (0.15, 1)] {
        assert_eq!(grid.cell(&Rational::from_f64(value).unwrap()), cell, "{value}");
    }
}

/// Values from far below the range to far above it, at quarters and thirds of steps.
#[test]
fn every_cell_is_the_nearest_point_and_even_at_a_tie() {
    for (low, high, step) in [("-3", "4", "1"), ("1/3", "2", "1/6"), ("0.1", "0.8", "0.7")] {
        let grid = grid(low, high, step);
        let text = serde_json::to_string(&grid).unwrap();
        assert_eq!(serde_json::from_str::<Grid>(&text).unwrap(), grid);
        for place in -300..400 {
            let value = grid.low() + &(grid.granularity() * &Rational::new(place, 12).unwrap());
            let cell = grid.cell(&value);
            let distance = |cell: u128| (&grid.value(cell) - &value).abs();
            assert!(cell <= grid.max_measurement());
            for other in 0..=grid.max_measurement() {
                let (mine, others) = (distance(cell), distance(other));
                let is_first =
                    mine < others || mine == others && (cell == other || cell.is_multiple_of(2));
                assert!(is_first, "{value}: {cell}, {other}");
                assert_eq!(grid.cell(&grid.value(other)), other);
            }
        }
    }
}
