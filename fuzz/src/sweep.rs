//! Sweeps.

use dp_simulation::sweep::{CellGrid, MAX_BYTES, MAX_CELLS, Sweep, SweepError};

use crate::check_refusal;

/// TOML: it is refused, or it has cells, numbered from 1, each of which takes of its budgets what they have.
pub fn sweep(data: &[u8]) {
    let sweep = match Sweep::from_toml("sweep.toml", data) {
        Ok(sweep) => sweep,
        Err(error) => return refused(&error),
    };
    assert!(data.len() <= MAX_BYTES);
    let grid = match CellGrid::new(&sweep, 1) {
        Ok(grid) => grid,
        Err(error) => return refused(&error),
    };
    assert!((1..=MAX_CELLS).contains(&(grid.cells.len() as u64)));
    for (number, cell) in (1..).zip(&grid.cells) {
        assert_eq!(cell.number, number);
        for budget in &cell.budgets {
            let given = sweep.budgets[*budget].given();
            let taken = cell.parameters.given();
            let mut taken = taken.iter().filter(|(name, _)| *name != "aggregators");
            assert!(taken.all(|taken| given.contains(taken)), "{cell}");
        }
    }
}

fn refused(error: &SweepError) {
    check_refusal(error);
}
