//! The parts of a sweep in a folder: a block is a cell, and a part is rows.

use std::ops::Range;

use dp_exact::shown;
use dp_simulation::parts::{Claim, Folder};
use dp_simulation::sweep::{Error, Grid, Plan, Row, read_csv, write_csv};
use indicatif::ProgressBar;

use super::{Asked, OPEN, progress_bar};
use crate::checkpoints::description::check_blocks;
use crate::checkpoints::{Work, work_through};
use crate::failure::Failure;

/// The cells that are worked at, in ranges of blocks.
pub(super) struct Planned {
    plans: Vec<(Range<u64>, Plan)>,
    bar: ProgressBar,
}

impl Planned {
    /// The cells of these blocks.
    ///
    /// # Errors
    /// If something is wrong with one of them.
    pub(super) fn of(asked: &Asked, missing: &[Range<u64>], threads: usize) -> Result<Self, Error> {
        let plan = |blocks: &Range<u64>| {
            let cells = place(blocks.start)..place(blocks.end);
            let plan = Plan::new(&asked.sweep, &asked.grid, cells, OPEN, threads)?;
            Ok((blocks.clone(), plan))
        };
        let plans = missing
            .iter()
            .map(plan)
            .collect::<Result<Vec<_>, Error>>()?;
        let bar = progress_bar(plans.iter().map(|(_, plan)| plan.len()).sum());
        Ok(Self { plans, bar })
    }

    /// Runs the cells, and writes their rows while it goes on.
    pub(super) fn work_through(&self, claim: &Claim<'_>) -> Result<(), Failure> {
        work_through(claim, self)?;
        self.bar.finish_and_clear();
        Ok(())
    }
}

impl Work for Planned {
    type Part = Vec<Row>;

    fn run(&self, blocks: Range<u64>) -> Result<Vec<Row>, Failure> {
        let mut plans = self.plans.iter();
        let found = plans.find(|(own, _)| own.start <= blocks.start && blocks.end <= own.end);
        let Some((own, plan)) = found else {
            return Ok(Vec::new());
        };
        let cells = place(blocks.start - own.start)..place(blocks.end - own.start);
        let rows = plan.run_some(cells, &|_| self.bar.inc(1));
        rows.map_err(Failure::other)
    }

    fn extend(&self, part: &mut Vec<Row>, next: Vec<Row>) -> Result<(), Failure> {
        part.extend(next);
        Ok(())
    }

    fn payload(&self, part: &Vec<Row>) -> Result<Vec<u8>, Failure> {
        let mut payload = Vec::new();
        write_csv(&mut payload, part).map_err(Failure::other)?;
        Ok(payload)
    }
}

/// No sweep has more cells than fit.
fn place(block: u64) -> usize {
    usize::try_from(block).unwrap_or(usize::MAX)
}

/// The rows of a sweep whose parts are all in a folder.
///
/// # Errors
/// If parts are missing, damaged, there twice or of another run, or have other rows than those of their cells.
pub(super) fn gathered(folder: &Folder, grid: &Grid) -> Result<Vec<Row>, Failure> {
    check_blocks(folder, u64::try_from(grid.cells.len()).unwrap_or(u64::MAX))?;
    let mut rows: Vec<Row> = Vec::new();
    for part in folder.parts()? {
        let part = part?;
        let refused = |reason: String| Failure::Run {
            path: shown(&part.path),
            reason,
        };
        let found = read_csv(&part.payload).map_err(|error| refused(error.to_string()))?;
        let cells = grid
            .cells
            .get(place(part.blocks.start)..place(part.blocks.end));
        let cells = cells.unwrap_or_default().iter();
        let expected = cells.map(|cell| (cell.number, cell.seed));
        if !expected.eq(found.iter().map(|row| (row.cell, row.seed))) {
            return Err(refused("its rows are not those of its cells".to_owned()));
        }
        rows.extend(found);
    }
    Ok(rows)
}
