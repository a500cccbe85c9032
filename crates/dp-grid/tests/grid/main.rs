//! Grids: which there are, which cell a value gets, what totals stand for, and why a grid is needed.

mod cells;
mod lattice;
mod parameters;
mod totals;

use dp_exact::Rational;
use dp_grid::Grid;
use proptest::prelude::*;

fn number(text: &str) -> Rational {
    text.parse().expect("a literal")
}

fn grid(low: &str, high: &str, granularity: &str) -> Grid {
    Grid::new(number(low), number(high), number(granularity)).expect("a grid")
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
