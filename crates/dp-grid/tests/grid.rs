//! One grid: what it accepts, which cell a value gets, and what totals stand for.

use dp_exact::{ParameterError, Rational};
use dp_grid::{Distortion, Grid};
use dp_samplers::{Bernoulli, Seed};
use proptest::prelude::*;

fn number(text: &str) -> Rational {
    text.parse().expect("a literal")
}

fn grid(low: &str, high: &str, granularity: &str) -> Grid {
    Grid::new(number(low), number(high), number(granularity)).expect("a grid")
}

fn refusal(low: &str, high: &str, granularity: &str) -> String {
    let refused = Grid::new(number(low), number(high), number(granularity));
    refused.expect_err("not a grid").to_string()
}

/// Any small grid, and a value of up to twice its range.
fn a_grid_and_a_value() -> impl Strategy<Value = (Grid, Rational)> {
    let parts = (
        -10_000i64..10_000,
        1i64..100,
        1u128..200,
        1i64..100,
        1i64..1000,
    );
    (parts, -1_000_000i64..2_000_000).prop_map(|((low, denominator, steps, g, h), place)| {
        let low = Rational::new(low, denominator).expect("a fraction");
        let granularity = Rational::new(g, h).expect("a fraction");
        let span = &granularity * &Rational::integer(steps);
        let value = &low + &(&span * &Rational::new(place, 1_000_000).expect("a fraction"));
        let grid = Grid::new(low.clone(), &low + &span, granularity).expect("a grid");
        (grid, value)
    })
}

#[test]
fn a_grid_that_is_none_is_refused_with_the_parameter_named() {
    assert_eq!(
        refusal("0", "1", "0"),
        "granularity is 0: expected a number greater than 0"
    );
    assert_eq!(
        refusal("0", "1", "-0.1"),
        "granularity is -0.1: expected a number greater than 0"
    );
    assert_eq!(
        refusal("5", "5", "1"),
        "high is 5: expected a number greater than low"
    );
    assert_eq!(
        refusal("0", "1", "0.3"),
        "granularity is 0.3: expected a number of which the range is a multiple"
    );
    assert_eq!(
        refusal("0", "9223372036854775808", "1"),
        "granularity is 1: expected at least the range divided by 2^63 - 1"
    );
    let steps = Grid::with_steps(number("0"), number("1"), 0).expect_err("no steps");
    assert_eq!(steps.name(), "steps");
    let reversed = Grid::with_steps(number("1"), number("0"), 8).expect_err("reversed");
    assert_eq!(reversed.name(), "high");
}

#[test]
fn the_widest_grid_has_2_to_the_63_cells_and_its_totals_fit() {
    let grid = grid("0", "9223372036854775807", "1");
    assert_eq!(grid.max_measurement(), Grid::MAX_MEASUREMENT);
    let largest = Grid::MAX_MEASUREMENT * u128::from(u64::MAX);
    let total = i128::try_from(largest).expect("below 2^127");
    assert_eq!(grid.sum(total, u64::MAX), Rational::integer(total));
}

#[test]
fn enormous_numbers_are_refused_and_extreme_ones_work() {
    let enormous = number("1e1200").pow(100);
    let refused = Grid::new(number("0"), enormous, number("1")).expect_err("too long");
    assert_eq!(
        refused.to_string(),
        "high is \"a number of 398632 bits\": expected at most 4096 bits"
    );
    let tiny = grid("-1e-1000", "1e-1000", "1e-1001");
    assert_eq!(tiny.max_measurement(), 20);
    assert_eq!(tiny.cell_of_f64(f64::MAX), Ok(20));
    assert_eq!(tiny.cell_of_f64(-f64::MAX), Ok(0));
    assert_eq!(tiny.cell_of_f64(f64::from_bits(1)), Ok(20)); // 5e-324 is far above 1e-1000
    assert_eq!(tiny.cell_of_f64(-0.0), Ok(10));
}

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

    #[test]
    fn a_grid_comes_back_from_its_document((grid, _) in a_grid_and_a_value()) {
        let text = serde_json::to_string(&grid).expect("a document");
        prop_assert_eq!(serde_json::from_str::<Grid>(&text).expect("a grid"), grid);
    }
}

#[test]
fn a_document_with_an_unknown_field_or_no_grid_is_refused() {
    let read = |text: &str| {
        serde_json::from_str::<Grid>(text)
            .expect_err("refused")
            .to_string()
    };
    let unknown = read(r#"{"low": "0", "high": "1", "granularity": "0.1", "steps": "10"}"#);
    assert!(unknown.contains("unknown field `steps`"), "{unknown}");
    let reversed = read(r#"{"low": "1", "high": "0", "granularity": "0.1"}"#);
    assert!(reversed.contains("high is 0"), "{reversed}");
    let float = read(r#"{"low": 0.5, "high": "1", "granularity": "0.1"}"#);
    assert!(float.contains("expected a string"), "{float}");
}

#[test]
fn a_noisy_total_may_be_negative_and_no_reports_have_no_mean() {
    let grid = grid("40", "140", "0.5");
    assert_eq!(grid.sum(-10, 3), number("115"));
    assert_eq!(grid.mean(-10, 3), Ok(number("115/3")));
    let error = grid.mean(7, 0).expect_err("no mean");
    assert_eq!(error.to_string(), "reports is 0: expected at least 1");
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
