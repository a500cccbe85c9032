//! Sweeps that run, for tests.

use dp_simulation::sweep::{CellGrid, Sweep, SweepError, SweepPlan, SweepRow};

/// A sweep of this text.
pub(crate) fn sweep(text: &str) -> Sweep {
    Sweep::from_toml("test.toml", text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The cells of a sweep.
pub(crate) fn grid(sweep: &Sweep) -> CellGrid {
    CellGrid::new(sweep, 7).unwrap_or_else(|error| panic!("{error}"))
}

/// Why there are no cells.
pub(crate) fn refused(text: &str) -> String {
    let sweep = Sweep::from_toml("test.toml", text);
    let grid = sweep.and_then(|sweep| CellGrid::new(&sweep, 7));
    grid.expect_err(text).to_string()
}

/// Cells that can run, on a number of threads.
pub(crate) fn planned(sweep: &Sweep, threads: usize) -> Result<SweepPlan, SweepError> {
    let grid = grid(sweep);
    let open = &|file: &str| match file {
        "people.csv" => {
            let text: &[u8] = b"age,smokes\n23,1\n31,0\n35,0\n44,1\n52,0\n58,2\n";
            Ok(Box::new(text) as Box<dyn std::io::Read>)
        }
        other => Err(format!("{other}: no such file").into()),
    };
    SweepPlan::new(sweep, &grid, 0..grid.cells.len(), open, threads)
}

/// The rows of all cells, computed on a number of threads.
pub(crate) fn rows(text: &str, threads: usize) -> Vec<SweepRow> {
    let plan = planned(&sweep(text), threads).unwrap_or_else(|error| panic!("{error}: {text}"));
    plan.run(&|_| ()).unwrap_or_else(|error| panic!("{error}: {text}"))
}
