//! `sweep`: simulations of all combinations of the lists in a file, each a cell and a block.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Args;
use dp_exact::directed::to_index;
use dp_files::hexadecimal;
use dp_files::{Input, read_limited};
use dp_report::sweep::report;
use dp_simulation::Progress;
use dp_simulation::checkpoints::RunFolder;
use dp_simulation::sweep::{
    CellGrid, ExcludedPair, MAX_BYTES, OpenFile, Sweep, SweepError, SweepPlan, SweepResults,
    SweepRow, SweepSummary, data_digest, is_own, write_csv,
};
use serde::{Deserialize, Serialize};

use crate::checkpoints::{CheckpointOptions, RunDescription, seed, unreadable, work_through};
use crate::delivery::{Delivery, Output, OutputOptions, ReportOptions};
use crate::failure::Failure;
use crate::json::Inputs;
use crate::options::RunOptions;
use crate::progress::counted;
use crate::text::{columns, columns_of_tables};

pub(crate) const FORMAT: &str = "dp-cli sweep";

pub(crate) const KIND: &str = "sweep";

/// The most jobs that the text lists.
const MAX_JOBS: usize = 40;

/// Simulate every combination of lists of policies, budgets, clients and lengths
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// The sweep, in TOML
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    checkpoints: CheckpointOptions,
    /// Also write the rows to this file, as CSV; - or no FILE prints them in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    reports: ReportOptions,
    #[command(flatten)]
    output: OutputOptions,
}

const AFTER_HELP: &str = "\
The file lists policies, budgets, clients, lengths and trials. Every combination that fits is a cell
with a seed of its own. Numbers with a point are strings. A small one:

  policies = [\"histogram-laplace\", \"multihot-one-hot-rappor\"]
  budgets = [{ epsilon = \"0.5\", epsilon0 = \"4\" }, { epsilon = \"1\", epsilon0 = \"5\" }]
  clients = [1000, 1_000_000]
  lengths = [12, 100]
  trials = 20

Further keys: aggregators, functionality, seed, data, max_measurement, max_weight, percentiles,
accept_weak_guarantee. docs/sweep.md of dp-simulation explains the keys and the columns of rows.

Examples, after `dp-cli` or, in the repository, `cargo xtask`:
  sweep examples/sweeps/noise.toml
  sweep examples/sweeps/noise.toml --csv noise.csv --html noise.html
  sweep examples/sweeps/percentiles.toml
  sweep examples/sweeps/noise.toml --checkpoints run --resume";

/// Computes the cells, or the share of the cells that the options name, and reports the results.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let folder = options.checkpoints.folder()?;
    let threads = options.run.threads.unwrap_or(0);
    let [html, markdown] = options.reports.outputs(KIND)?;
    let outputs = [Output::new("csv", options.csv.as_ref(), is_own), html, markdown];
    if let Some(folder) = &folder {
        folder.check_outputs(&options.output, &outputs)?;
    }
    let (text, sweep) = read(&options.file)?;
    let mut delivery = options.output.prepare(FORMAT, outputs)?;
    let typed = options.run.seed.or(sweep.seed);
    let seed = seed(typed, folder.as_ref(), |begun| Ok(SweepCells::of(begun)?.0.grid.seed))?;
    let in_file = |error: SweepError| Failure::content(&options.file, error);
    let cells = SweepCells::new(sweep, seed).map_err(in_file)?;
    let all = 0..cells.grid.cells.len();
    let plan = |range: &Range<usize>| {
        SweepPlan::new(&cells.sweep, &cells.grid, range.clone(), OPEN, threads)
    };
    let Some(folder) = folder else {
        let plan = plan(&all).map_err(in_file)?;
        let run = |progress: Progress<'_>| plan.run(&|_| progress(1));
        let rows = counted(steps(&all), "cells", run).map_err(in_file)?;
        return deliver(
            delivery,
            &options.reports,
            &SweepResults::new(cells.sweep, cells.grid, rows),
            &options.inputs,
        );
    };
    let data = hexadecimal(&data_digest(&cells.sweep, &cells.grid, OPEN).map_err(in_file)?);
    let described = RunDescription::new(SweepRun { text, seed, data }, options.inputs.of_run(seed));
    let run = folder.open(&described.identity(KIND, steps(&all))?)?;
    let missing = run.missing(folder.blocks(&run))?;
    // Fails before any cell runs if one cannot run.
    let ranges: Vec<Range<usize>> = missing.iter().map(indices).collect();
    let plans = ranges.iter().map(plan).collect::<Result<Vec<_>, _>>().map_err(in_file)?;
    counted(ranges.iter().map(steps).sum(), "cells", |progress| {
        work_through(&run, &missing, |blocks| {
            let cells = indices(&blocks);
            let mut planned = ranges.iter().zip(&plans);
            let rows = match planned.rfind(|(range, _)| range.start <= cells.start) {
                None => Vec::new(),
                Some((range, plan)) => {
                    let cells = cells.start - range.start..cells.end - range.start;
                    plan.run_some(cells, &|_| progress(1)).map_err(Failure::other)?
                }
            };
            serde_json::to_vec(&rows).map_err(Failure::other)
        })
    })?;
    match folder.done(&run) {
        Some(done) => Ok(delivery.print(done)?),
        None => merge(&run, delivery, &options.reports),
    }
}

/// Reports a sweep whose rows are all in a folder.
pub(crate) fn merge(
    folder: &RunFolder,
    delivery: Delivery,
    reports: &ReportOptions,
) -> Result<(), Failure> {
    let (cells, inputs) = SweepCells::of(folder)?;
    let rows = read_rows(folder, &cells.grid)?;
    deliver(delivery, reports, &SweepResults::new(cells.sweep, cells.grid, rows), &inputs)
}

#[derive(Debug, Serialize)]
struct SweepDocument<'a> {
    functionality: &'static str,
    /// Name of the sweep's data file, or of its synthetic data.
    data: &'a str,
    seed: u64,
    /// Number of cells of the sweep, computed or not; every computed cell has a row.
    cells: usize,
    /// Pairs of a policy and a budget that do not fit, with the reason.
    left_out: &'a [ExcludedPair],
    summary: &'a SweepSummary,
    rows: &'a [SweepRow],
}

fn deliver(
    mut delivery: Delivery,
    reports: &ReportOptions,
    results: &SweepResults,
    inputs: &Inputs,
) -> Result<(), Failure> {
    let text = dp_report::sweep::text(results, MAX_JOBS, columns(), columns_of_tables());
    delivery.print(text)?;
    delivery.write("csv", |writer| write_csv(writer, &results.rows));
    delivery.reports(reports, || report(results));
    let answer = SweepDocument {
        functionality: results.sweep.functionality.name(),
        data: results.sweep.data.name(),
        seed: results.grid.seed,
        cells: results.grid.cells.len(),
        left_out: &results.grid.left_out,
        summary: &results.summary,
        rows: &results.rows,
    };
    Ok(delivery.finish(FORMAT, 1, inputs, answer)?)
}

/// A sweep with its seed, and its cells with their own seeds.
struct SweepCells {
    sweep: Sweep,
    grid: CellGrid,
}

/// The description of a sweep in a folder of checkpoints.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct SweepRun {
    text: String,
    seed: u64,
    /// SHA-256 of the sweep's data file, in hexadecimal digits.
    data: String,
}

impl SweepCells {
    /// The cells with their own seeds, drawn from `seed`.
    fn new(mut sweep: Sweep, seed: u64) -> Result<Self, SweepError> {
        sweep.seed = Some(seed);
        let grid = CellGrid::new(&sweep, seed)?;
        Ok(Self { sweep, grid })
    }

    /// Reads the sweep of a folder, and the options with which it began.
    fn of(folder: &RunFolder) -> Result<(Self, Inputs), Failure> {
        let RunDescription { run, inputs, .. } = RunDescription::<SweepRun>::read(folder, KIND)?;
        let name = inputs.first_of(["file"]).map(|(_, name)| name).unwrap_or_default();
        let sweep = Sweep::from_toml(&name, &run.text);
        let cells = sweep.and_then(|sweep| Self::new(sweep, run.seed));
        Ok((cells.map_err(|error| unreadable(folder, error))?, inputs))
    }
}

const OPEN: OpenFile<'static> = &|file| {
    let input = Input::open(Path::new(file))?;
    Ok(Box::new(input))
};

/// Reads a TOML file: its text, and its sweep, whose data are relative to the file's folder.
fn read(path: &Path) -> Result<(String, Sweep), Failure> {
    let bytes = read_limited(path, u64::try_from(MAX_BYTES).unwrap_or(u64::MAX))?;
    let name = path.to_string_lossy();
    let sweep = Sweep::from_toml(&name, &bytes).map_err(|error| Failure::content(path, error))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let folder = path.parent().unwrap_or(Path::new(""));
    Ok((text, sweep.in_folder(folder)))
}

/// Blocks as indices of cells.
fn indices(blocks: &Range<u64>) -> Range<usize> {
    to_index(blocks.start)..to_index(blocks.end)
}

/// The number of cells in a range.
fn steps(cells: &Range<usize>) -> u64 {
    u64::try_from(cells.len()).unwrap_or(u64::MAX)
}

/// Reads the rows of all cells from a folder. Refuses missing cells, wrong numbers and wrong seeds.
fn read_rows(folder: &RunFolder, grid: &CellGrid) -> Result<Vec<SweepRow>, Failure> {
    folder.check_blocks(steps(&(0..grid.cells.len())))?;
    let mut rows: Vec<SweepRow> = Vec::new();
    for part in folder.parts()? {
        let part = part?;
        let found = serde_json::from_slice::<Vec<SweepRow>>(&part.payload);
        let found = found.map_err(|error| Failure::content(&part.path, error))?;
        let cells = grid.cells.get(indices(&part.blocks)).unwrap_or_default().iter();
        let expected = cells.map(|cell| (cell.number, cell.seed));
        if !expected.eq(found.iter().map(|row| (row.cell, row.seed))) {
            return Err(Failure::content(&part.path, "its rows are not the rows of its cells"));
        }
        rows.extend(found);
    }
    Ok(rows)
}
