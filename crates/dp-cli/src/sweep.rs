//! `sweep`: simulations over the combinations of lists that a file names.

mod cells;
mod document;
mod options;
#[cfg(feature = "parquet")]
mod parquet;

use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

use dp_exact::{integer, shown};
use dp_files::{Input, Reason, read_limited};
use dp_report::sweep::{Answer, report};
use dp_sweep::{Error, Grid, MAX_BYTES, Open, Plan, Results, Row, Sweep};
use indicatif::{ProgressBar, ProgressStyle};

use crate::delivery::Delivery;
use crate::failure::Failure;
use crate::text::{columns, columns_of_tables};
use cells::chosen;
use document::document;
pub(crate) use options::Options;

/// The most jobs that are printed.
const JOBS: usize = 40;

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    options.check()?;
    let threads = match &options.threads {
        Some(threads) => integer("threads", threads, 1..=1024)?,
        None => 0,
    };
    let (json, csv) = (options.json.as_deref(), options.csv.as_deref());
    let delivery = Delivery::with_reports(json, &options.reports, options.force)?;
    let mut delivery = delivery.and_rows(csv, dp_sweep::is_own, options.force)?;
    #[cfg(feature = "parquet")]
    let parquet = parquet::Table::prepare(options)?;
    let (sweep, grid) = asked(options)?;
    let rows = rows(options, &sweep, &grid, threads)?;
    let results = Results::new(sweep, grid, rows);
    delivery.print(Answer::of(&results, JOBS).text(columns(), columns_of_tables()))?;
    delivery.rows(|writer: &mut dyn Write| dp_sweep::write_csv(writer, &results.rows));
    #[cfg(feature = "parquet")]
    parquet.write(&results.rows)?;
    let document = document(&results, &options.inputs);
    Ok(delivery.finish_with(&document, || report(&results))?)
}

/// The sweep of the file, with its seed, and its cells.
fn asked(options: &Options) -> Result<(Sweep, Grid), Failure> {
    let mut sweep = read(&options.file)?;
    let seed = match (&options.seed, sweep.seed) {
        (Some(seed), _) => integer("seed", seed, 0..=u64::MAX)?,
        (None, Some(seed)) => seed,
        (None, None) => rand::random(),
    };
    sweep.seed = Some(seed);
    let grid = Grid::new(&sweep, seed).map_err(|error| named(&options.file, error))?;
    Ok((sweep, grid))
}

/// The rows of the cells that are chosen.
fn rows(
    options: &Options,
    sweep: &Sweep,
    grid: &Grid,
    threads: usize,
) -> Result<Vec<Row>, Failure> {
    let named = |error| named(&options.file, error);
    let open: Open<'_> = &|file| {
        let input = Input::open(Path::new(file))?;
        Ok(Box::new(input))
    };
    let chosen = chosen(options.cell.as_deref(), grid.cells.len())?;
    // Nothing runs before nothing is wrong with any of them.
    let plans = chosen.into_iter();
    let plans = plans.map(|cells| Plan::new(sweep, grid, cells, open, threads));
    let plans = plans.collect::<Result<Vec<_>, _>>().map_err(named)?;
    let bar = progress_bar(plans.iter().map(Plan::len).sum());
    let mut rows = Vec::new();
    for plan in plans {
        rows.extend(plan.run(&|_| bar.inc(1)).map_err(named)?);
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// A bar on a terminal, nothing where output is piped.
fn progress_bar(cells: usize) -> ProgressBar {
    if !io::stdout().is_terminal() || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let cells = u64::try_from(cells).unwrap_or(u64::MAX);
    let style = "{wide_bar} {human_pos} of {human_len} cells, {eta} left";
    match ProgressStyle::with_template(style) {
        Ok(style) => ProgressBar::new(cells).with_style(style),
        Err(_) => ProgressBar::new(cells),
    }
}

/// Reads the file of a sweep. The path of its data is relative to its folder.
fn read(path: &Path) -> Result<Sweep, Failure> {
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let bytes = match read_limited(path, most) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.reason(), Reason::TooLong { .. }) => {
            return Err(named(path, Error::TooLong { max: MAX_BYTES }));
        }
        Err(error) => return Err(error.into()),
    };
    let name = path.to_string_lossy();
    let sweep = Sweep::from_toml(&name, bytes).map_err(|error| named(path, error))?;
    Ok(match path.parent() {
        Some(folder) => sweep.in_folder(folder),
        None => sweep,
    })
}

/// What is wrong with a sweep, with the name of its file.
fn named(path: &Path, error: Error) -> Failure {
    Failure::Sweep {
        path: shown(path),
        source: Box::new(error),
    }
}
