//! Which grids are accepted, and which documents.

use dp_exact::Rational;
use dp_grid::Grid;
use proptest::prelude::*;

use crate::{a_grid_and_a_value, grid, number};

fn refusal(low: &str, high: &str, granularity: &str) -> String {
    let refused = Grid::new(number(low), number(high), number(granularity));
    refused.expect_err("not a grid").to_string()
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

proptest! {
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
