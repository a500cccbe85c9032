//! `sweep`: simulations over the combinations of lists that a file names.

mod cells;
mod described;
mod document;
mod options;
mod parts;

use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

use dp_exact::{Refusal, integer, shown};
use dp_files::{Input, Reason, read_limited};
use dp_report::sweep::{Answer, report};
use dp_simulation::parts::Folder;
use dp_simulation::sweep::{Error, Grid, MAX_BYTES, Open, Plan, Results, Row, Sweep, data_digest};
use indicatif::{ProgressBar, ProgressStyle};

use crate::checkpoints::Place;
use crate::checkpoints::description::Description as _;
use crate::delivery::Delivery;
use crate::failure::Failure;
use crate::json::Inputs;
use crate::replaced::Replacing;
use crate::text::{columns, columns_of_tables};
use cells::chosen;
use described::Described;
pub(crate) use described::KIND;
pub(crate) use document::FORMAT;
use document::document;
pub(crate) use options::Options;
use parts::{Planned, gathered};

/// The kind of the reports for people.
pub(crate) const REPORT: &str = "sweep";

/// The most jobs that are printed.
const JOBS: usize = 40;

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let place = options.checkpoints.place()?;
    options.check(place.as_ref())?;
    let threads = match &options.threads {
        Some(threads) => integer("threads", threads, 1..=1024)?,
        None => 0,
    };
    let (json, csv) = (options.json.as_deref(), options.csv.as_deref());
    let (text, sweep) = read(&options.file)?;
    let run = place.as_ref().map(Place::file);
    let data = sweep.data_file();
    let inputs = [
        Some(options.file.as_path()),
        data.as_deref(),
        run.as_deref(),
    ];
    let replacing = Replacing::new(options.force).sparing(inputs);
    let delivery = Delivery::prepare(json, FORMAT, &replacing)?;
    let delivery = delivery.and_reports(&options.reports, REPORT, &replacing)?;
    let mut delivery = delivery.and_rows(csv, &replacing)?;
    let asked = asked(options, place.as_ref(), sweep)?;
    let Some(place) = place else {
        let rows = rows(options, &asked, threads)?;
        return deliver(delivery, asked.with(rows), &options.inputs);
    };
    let named = |error| named(&options.file, error);
    let data = data_digest(&asked.sweep, &asked.grid, OPEN).map_err(named)?;
    let described = Described::new(&asked, text, data, &options.inputs);
    let blocks = u64::try_from(asked.grid.cells.len()).unwrap_or(u64::MAX);
    let folder = place.open(&described.run(blocks)?)?;
    let claim = folder.claim(place.blocks(&folder))?;
    let planned = Planned::of(&asked, claim.missing(), threads).map_err(named)?;
    planned.work_through(&claim)?;
    drop(claim);
    if let Some(done) = place.done(&folder) {
        return Ok(delivery.print(done)?);
    }
    let rows = gathered(&folder, &asked.grid)?;
    let (_, inputs) = Described::asked(&folder)?;
    deliver(delivery, asked.with(rows), &inputs)
}

/// Reports a sweep whose parts are all in a folder.
pub(crate) fn merge(folder: &Folder, delivery: Delivery) -> Result<(), Failure> {
    let (asked, inputs) = Described::asked(folder)?;
    let rows = gathered(folder, &asked.grid)?;
    deliver(delivery, asked.with(rows), &inputs)
}

/// Prints what came of a sweep, and writes its rows and reports.
fn deliver(mut delivery: Delivery, results: Results, inputs: &Inputs) -> Result<(), Failure> {
    delivery.print(Answer::of(&results, JOBS).text(columns(), columns_of_tables()))?;
    delivery.rows(|writer: &mut dyn Write| dp_simulation::sweep::write_csv(writer, &results.rows));
    let document = document(&results, inputs);
    Ok(delivery.finish_with(&document, || report(&results))?)
}

/// A sweep with its seed, and its cells.
struct Asked {
    sweep: Sweep,
    grid: Grid,
}

impl Asked {
    fn new(mut sweep: Sweep, seed: u64) -> Result<Self, Error> {
        sweep.seed = Some(seed);
        let grid = Grid::new(&sweep, seed)?;
        Ok(Self { sweep, grid })
    }

    fn with(self, rows: Vec<Row>) -> Results {
        Results::new(self.sweep, self.grid, rows)
    }
}

/// With the seed that is typed, else that of the file, else that of the run which is continued, else any.
fn asked(options: &Options, place: Option<&Place<'_>>, sweep: Sweep) -> Result<Asked, Failure> {
    let begun = || match place {
        Some(place) => place.begun(),
        None => Ok(None),
    };
    let seed = match (&options.seed, sweep.seed) {
        (Some(seed), _) => integer("seed", seed, 0..=u64::MAX)?,
        (None, Some(seed)) => seed,
        (None, None) => match begun()? {
            Some(folder) => Described::asked(&folder)?.0.grid.seed,
            None if place.is_some_and(|place| place.share.is_some()) => {
                let accepted = "an integer, the same for all ranges of a sweep";
                return Err(Refusal::missing("seed", accepted).into());
            }
            None => rand::random(),
        },
    };
    Asked::new(sweep, seed).map_err(|error| named(&options.file, error))
}

/// How the data of a sweep are opened.
const OPEN: Open<'static> = &|file| {
    let input = Input::open(Path::new(file))?;
    Ok(Box::new(input))
};

/// The rows of the cells that are chosen.
fn rows(options: &Options, asked: &Asked, threads: usize) -> Result<Vec<Row>, Failure> {
    let named = |error| named(&options.file, error);
    let chosen = chosen(options.cell.as_deref(), asked.grid.cells.len())?;
    // Nothing runs before nothing is wrong with any of them.
    let plans = chosen.into_iter();
    let plans = plans.map(|cells| Plan::new(&asked.sweep, &asked.grid, cells, OPEN, threads));
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

/// Reads the file of a sweep, and its text. The path of its data is relative to its folder.
fn read(path: &Path) -> Result<(String, Sweep), Failure> {
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let bytes = match read_limited(path, most) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.reason(), Reason::TooLong { .. }) => {
            return Err(named(path, Error::TooLong { max: MAX_BYTES }));
        }
        Err(error) => return Err(error.into()),
    };
    let name = path.to_string_lossy();
    let sweep = Sweep::from_toml(&name, &bytes).map_err(|error| named(path, error))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let folder = path.parent().unwrap_or(Path::new(""));
    Ok((text, sweep.in_folder(folder)))
}

/// What is wrong with a sweep, with the name of its file.
fn named(path: &Path, error: Error) -> Failure {
    Failure::Sweep {
        path: shown(path),
        source: Box::new(error),
    }
}
