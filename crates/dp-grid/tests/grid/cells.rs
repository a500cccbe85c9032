//! The cell that a value gets.

use dp_grid::{ParameterError, Rational};
use dp_samplers::{Bernoulli, Seed};
use proptest::prelude::*;

use crate::{a_grid_and_a_value, grid, number};

#[test]
fn what_is_not_a_finite_number_is_refused() {
    let grid = grid("0", "1", "0.1");
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error: ParameterError = grid.cell_of_f64(value).expect_err("no number");
        assert_eq!(
            (error.name(), error.accepted()),
            ("value", "a finite number")
        );
    }
}

#[test]
fn half_way_between_two_points_the_even_cell_is_taken() {
    let grid = grid("0", "1", "0.1");
    for (value, cell) in [
        ("0.05", 0),
        ("0.15", 2),
        ("0.25", 2),
        ("0.35", 4),
        ("0.95", 10),
    ] {
        assert_eq!(grid.cell(&number(value)), cell, "{value}");
    }
}

#[test]
fn no_floating_point_error_decides_a_cell() {
    let grid = grid("0", "1", "0.1");
    // The f64 next to 0.65 lies above it; dividing in f64 gives a tie, and the wrong cell.
    assert_eq!((0.65f64 / 0.1).round_ties_even(), 6.0);
    assert_eq!(grid.cell_of_f64(0.65), Ok(7));
    // Each side of a tie that an f64 can name.
    assert_eq!(grid.cell_of_f64(0.25f64.next_down()), Ok(2));
    assert_eq!(grid.cell_of_f64(0.25), Ok(2));
    assert_eq!(grid.cell_of_f64(0.25f64.next_up()), Ok(3));
    // The f64 nearest to 0.15 lies below it.
    assert_eq!(grid.cell_of_f64(0.15), Ok(1));
    assert_eq!(grid.cell(&number("0.15")), 2);
}

proptest! {
    #[test]
    fn every_cell_is_the_nearest_point_and_even_at_a_tie((grid, value) in a_grid_and_a_value()) {
        let cell = grid.cell(&value);
        let distance = |cell: u128| (&grid.value(cell) - &value).abs();
        prop_assert!(cell <= grid.max_measurement());
        for other in 0..=grid.max_measurement() {
            let (mine, others) = (distance(cell), distance(other));
            prop_assert!(mine < others || mine == others && (cell == other || cell % 2 == 0));
        }
    }

    #[test]
    fn a_cell_comes_back_from_its_value((grid, _) in a_grid_and_a_value()) {
        for cell in 0..=grid.max_measurement() {
            prop_assert_eq!(grid.cell(&grid.value(cell)), cell);
        }
    }

    #[test]
    fn unbiased_rounding_has_exactly_the_clamped_value_as_its_mean(
        (grid, value) in a_grid_and_a_value(),
    ) {
        let mut probability = Rational::zero();
        let mut toss = |heads: bool| {
            let coin = |p: &Rational| {
                probability = p.clone();
                Ok::<bool, ParameterError>(heads)
            };
            grid.value(grid.cell_unbiased(&value, coin).expect("a coin that works"))
        };
        let (lower, upper) = (toss(false), toss(true));
        let mean = &lower + &(&(&upper - &lower) * &probability);
        prop_assert_eq!(mean, grid.clamp(&value));
        prop_assert!(upper <= *grid.high());
        prop_assert!(!probability.is_negative() && probability < 1);
    }
}

/// 10 000 tosses at 3/10 have a standard deviation of 46; ten of those (460) are passed with a
/// probability below 1e-22.
#[test]
fn an_exact_coin_rounds_without_bias_where_the_nearest_point_is_off() {
    const VALUES: u64 = 10_000;
    let grid = grid("0", "10", "1");
    let value = number("2.3");
    let mut rng = Seed::from_u64(7).rng();
    let mut total = 0i128;
    for _ in 0..VALUES {
        let toss = |p: &Rational| Bernoulli::new(p).map(|coin| coin.sample(&mut rng));
        let cell = grid.cell_unbiased(&value, toss).expect("a coin");
        total += i128::try_from(cell).expect("small");
    }
    assert!((total - 23_000).abs() < 460, "{total}");
    // Rounding to the nearest is 0.3 off for each: 3000, caught at once.
    assert!((i128::from(VALUES) * 2 - 23_000).abs() >= 460);
}
