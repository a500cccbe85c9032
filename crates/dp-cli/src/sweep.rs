//! `sweep`: simulations over the combinations of lists that a file names. Of its parts in a folder a block is a cell.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Args;
use dp_exact::{ParameterError, Refusal, hexadecimal, parse_integer, shown};
use dp_files::{Input, Reason, read_limited};
use dp_report::sweep::report;
use dp_simulation::checkpoints::RunFolder;
use dp_simulation::sweep::{
    CellGrid, ExcludedPair, MAX_BYTES, OpenFile, Sweep, SweepError, SweepPlan, SweepResults,
    SweepRow, SweepSummary, data_digest, is_own, read_csv, write_csv,
};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use crate::checkpoints::{
    Checkpoints, Description as _, Place, VERSION, Work, check_blocks, digest, unreadable,
    work_through,
};
use crate::delivery::{Delivery, Output, Reports, Written};
use crate::failure::Failure;
use crate::json::{Inputs, JsonDocument};
use crate::progress::bar;
use crate::text::{columns, columns_of_tables};

/// What the document says in its first field.
pub(crate) const FORMAT: &str = "dp-cli sweep";

/// The version of the document.
const SCHEMA_VERSION: u32 = 1;

/// The kind of the reports for people, and of run that a folder is said to be of.
pub(crate) const KIND: &str = "sweep";

/// The most jobs that are printed.
const JOBS: usize = 40;

/// What is asked of `sweep`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// The sweep, in TOML
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Run these cells alone, by their numbers: 7, or 7,12..15
    #[arg(long, visible_alias = "cells", value_name = "CELLS", help_heading = "Run")]
    cell: Option<String>,
    /// Seed from which that of each cell follows [default: the file's, or from the operating system]
    #[arg(long, help_heading = "Run")]
    seed: Option<String>,
    /// Threads [default: one for each processor]
    #[arg(long, help_heading = "Run")]
    threads: Option<String>,
    #[command(flatten)]
    checkpoints: Checkpoints,
    /// Also write the rows to this file, as CSV; - or no FILE prints them in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    reports: Reports,
    #[command(flatten)]
    written: Written,
}

const AFTER_HELP: &str = "\
The file lists policies, budgets, clients, lengths and trials; every combination that fits is a
cell, with a seed of its own. Numbers with a point are strings. A small one:

  policies = [\"histogram-laplace\", \"multihot-one-hot-rappor\"]
  budgets = [{ epsilon = \"0.5\", epsilon0 = \"4\" }, { epsilon = \"1\", epsilon0 = \"5\" }]
  clients = [1000, 1_000_000]
  lengths = [12, 100]
  trials = 20

Further keys: aggregators, functionality, seed, data, max_measurement, max_weight,
accept_weak_guarantee. docs/sweep.md of dp-simulation says what each is, and what the columns of rows are.

Examples, after `dp-cli` or, in the repository, `cargo xtask`:
  sweep examples/sweeps/noise.toml
  sweep examples/sweeps/noise.toml --csv noise.csv --html noise.html
  sweep examples/sweeps/heights.toml --cell 7
  sweep examples/sweeps/noise.toml --checkpoints run --resume";

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let place = options.checkpoints.place()?;
    let threads = match &options.threads {
        Some(threads) => parse_integer("threads", threads, 1..=1024)?,
        None => 0,
    };
    let mut outputs = vec![
        Output::new("csv", options.csv.as_ref(), is_own),
        Output::json("json", options.written.json.as_ref(), FORMAT),
    ];
    outputs.extend(options.reports.outputs(KIND)?);
    if let Some(place) = &place {
        if let Some(cell) = &options.cell {
            let (place, change) = ("with --checkpoints", "take --range, a share of all cells");
            return Err(Refusal::contradiction("cell", cell, place, change).into());
        }
        place.check_outputs(&outputs)?;
    }
    let (text, sweep) = read(&options.file)?;
    let (run, data) = (place.as_ref().map(Place::file), sweep.data_file());
    let inputs = [Some(options.file.as_path()), data.as_deref(), run.as_deref()];
    let mut delivery = Delivery::prepare(options.written.force, &inputs, outputs)?;
    let asked = asked(options, place.as_ref(), sweep)?;
    let Some(place) = place else {
        let rows = rows(options, &asked, threads)?;
        return deliver(delivery, &options.reports, &asked.with(rows), &options.inputs);
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
    deliver(delivery, &options.reports, &asked.with(rows), &inputs)
}

/// Reports a sweep whose parts are all in a folder.
pub(crate) fn merge(
    folder: &RunFolder,
    delivery: Delivery,
    reports: &Reports,
) -> Result<(), Failure> {
    let (asked, inputs) = Described::asked(folder)?;
    let rows = gathered(folder, &asked.grid)?;
    deliver(delivery, reports, &asked.with(rows), &inputs)
}

/// What came of a sweep, for programs.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    functionality: &'static str,
    data: &'a str,
    seed: u64,
    /// How many cells the sweep has; those that ran have a row.
    cells: usize,
    left_out: &'a [ExcludedPair],
    summary: &'a SweepSummary,
    rows: &'a [SweepRow],
}

/// Prints what came of a sweep, and writes its rows and reports.
fn deliver(
    mut delivery: Delivery,
    reports: &Reports,
    results: &SweepResults,
    inputs: &Inputs,
) -> Result<(), Failure> {
    let text = dp_report::sweep::SweepAnswer::of(results, JOBS);
    delivery.print(text.text(columns(), columns_of_tables()))?;
    delivery.write("csv", |writer| write_csv(writer, &results.rows));
    delivery.reports(reports, || report(results));
    Ok(delivery.finish(&JsonDocument {
        format: FORMAT,
        schema_version: SCHEMA_VERSION,
        inputs,
        answer: Answer {
            functionality: results.sweep.functionality.name(),
            data: results.sweep.data.name(),
            seed: results.grid.seed,
            cells: results.grid.cells.len(),
            left_out: &results.grid.left_out,
            summary: &results.summary,
            rows: &results.rows,
        },
    })?)
}

/// A sweep with its seed, and its cells.
struct Asked {
    sweep: Sweep,
    grid: CellGrid,
}

impl Asked {
    fn new(mut sweep: Sweep, seed: u64) -> Result<Self, SweepError> {
        sweep.seed = Some(seed);
        let grid = CellGrid::new(&sweep, seed)?;
        Ok(Self { sweep, grid })
    }

    fn with(self, rows: Vec<SweepRow>) -> SweepResults {
        SweepResults::new(self.sweep, self.grid, rows)
    }
}

/// With the seed that is typed, else that of the file, else that of the run which is continued, else any.
fn asked(options: &Options, place: Option<&Place<'_>>, sweep: Sweep) -> Result<Asked, Failure> {
    let begun = || match place {
        Some(place) => place.begun(),
        None => Ok(None),
    };
    let seed = match (&options.seed, sweep.seed) {
        (Some(seed), _) => parse_integer("seed", seed, 0..=u64::MAX)?,
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
const OPEN: OpenFile<'static> = &|file| {
    let input = Input::open(Path::new(file))?;
    Ok(Box::new(input))
};

/// The rows of the cells that are chosen.
fn rows(options: &Options, asked: &Asked, threads: usize) -> Result<Vec<SweepRow>, Failure> {
    let named = |error| named(&options.file, error);
    let chosen = chosen(options.cell.as_deref(), asked.grid.cells.len())?;
    // Nothing runs before nothing is wrong with any of them.
    let plans = chosen.into_iter();
    let plans = plans.map(|cells| SweepPlan::new(&asked.sweep, &asked.grid, cells, OPEN, threads));
    let plans = plans.collect::<Result<Vec<_>, _>>().map_err(named)?;
    let bar = progress_bar(plans.iter().map(SweepPlan::len).sum());
    let mut rows = Vec::new();
    for plan in plans {
        rows.extend(plan.run(&|_| bar.inc(1)).map_err(named)?);
    }
    bar.finish_and_clear();
    Ok(rows)
}

fn progress_bar(cells: usize) -> ProgressBar {
    let new = ProgressBar::new(u64::try_from(cells).unwrap_or(u64::MAX));
    bar(new, "{wide_bar} {human_pos} of {human_len} cells, {eta} left")
}

/// Reads the file of a sweep, and its text. The path of its data is relative to its folder.
fn read(path: &Path) -> Result<(String, Sweep), Failure> {
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let bytes = match read_limited(path, most) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.reason(), Reason::TooLong { .. }) => {
            return Err(named(path, SweepError::TooLong { max: MAX_BYTES }));
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
fn named(path: &Path, error: SweepError) -> Failure {
    Failure::Sweep { path: shown(path), source: Box::new(error) }
}

/// The cells of a list such as `7,12..15`, by their places from 0, in order and each once; all without one.
fn chosen(list: Option<&str>, cells: usize) -> Result<Vec<Range<usize>>, ParameterError> {
    let Some(list) = list else {
        return Ok(std::iter::once(0..cells).collect());
    };
    let refused = || {
        let accepted = format!("numbers from 1 to {cells}, such as 7 or 7,12..15");
        ParameterError::new("cell", list, accepted)
    };
    let number = |text: &str| {
        let number = text.trim().parse::<usize>().ok();
        let number = number.filter(|number| (1..=cells).contains(number));
        number.ok_or_else(refused)
    };
    let mut ranges = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once("..").unwrap_or((part, part));
        let (first, last) = (number(first)?, number(last)?);
        if last < first {
            return Err(refused());
        }
        ranges.push(first - 1..last);
    }
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    Ok(joined)
}

/// What a folder says of a sweep.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Described {
    /// Of the program that began it.
    version: String,
    /// Its file.
    text: String,
    seed: u64,
    /// What tells its data from others, in hexadecimal digits.
    data: String,
    /// The name of its file, and what was typed: those of another process may differ.
    name: String,
    inputs: Inputs,
}

impl Described {
    fn new(asked: &Asked, text: String, data: [u8; 32], inputs: &Inputs) -> Self {
        Self {
            version: VERSION.to_owned(),
            text,
            seed: asked.grid.seed,
            data: hexadecimal(&data),
            name: asked.sweep.name.clone(),
            inputs: inputs.of_run(asked.grid.seed),
        }
    }

    /// What a folder says, and what was typed.
    fn asked(folder: &RunFolder) -> Result<(Asked, Inputs), Failure> {
        let described = Self::of(folder)?;
        let sweep = Sweep::from_toml(&described.name, &described.text);
        let asked = sweep.and_then(|sweep| Asked::new(sweep, described.seed));
        let asked = asked.map_err(|error| unreadable(folder, error))?;
        Ok((asked, described.inputs))
    }
}

impl crate::checkpoints::Description for Described {
    const KIND: &str = KIND;

    fn version(&self) -> &str {
        &self.version
    }

    /// SHA-256 over all that rows depend on.
    fn digest(&self) -> Result<[u8; 32], Failure> {
        let seed = self.seed.to_string();
        let parts = [&self.version, &self.text, &seed, &self.data];
        Ok(digest(KIND, &parts.map(|part| part.as_bytes())))
    }
}

/// The cells that are worked at, in ranges of blocks.
struct Planned {
    plans: Vec<(Range<u64>, SweepPlan)>,
    bar: ProgressBar,
}

impl Planned {
    /// The cells of these blocks.
    fn of(asked: &Asked, missing: &[Range<u64>], threads: usize) -> Result<Self, SweepError> {
        let plan = |blocks: &Range<u64>| {
            let cells = place(blocks.start)..place(blocks.end);
            let plan = SweepPlan::new(&asked.sweep, &asked.grid, cells, OPEN, threads)?;
            Ok((blocks.clone(), plan))
        };
        let plans = missing.iter().map(plan).collect::<Result<Vec<_>, SweepError>>()?;
        let bar = progress_bar(plans.iter().map(|(_, plan)| plan.len()).sum());
        Ok(Self { plans, bar })
    }

    /// Runs the cells, and writes their rows while it goes on.
    fn work_through(
        &self,
        claim: &dp_simulation::checkpoints::BlockClaim<'_>,
    ) -> Result<(), Failure> {
        work_through(claim, self)?;
        self.bar.finish_and_clear();
        Ok(())
    }
}

impl Work for Planned {
    type Part = Vec<SweepRow>;

    fn run(&self, blocks: Range<u64>) -> Result<Vec<SweepRow>, Failure> {
        let mut plans = self.plans.iter();
        let found = plans.find(|(own, _)| own.start <= blocks.start && blocks.end <= own.end);
        let Some((own, plan)) = found else {
            return Ok(Vec::new());
        };
        let cells = place(blocks.start - own.start)..place(blocks.end - own.start);
        let rows = plan.run_some(cells, &|_| self.bar.inc(1));
        rows.map_err(Failure::other)
    }

    fn extend(&self, part: &mut Vec<SweepRow>, next: Vec<SweepRow>) -> Result<(), Failure> {
        part.extend(next);
        Ok(())
    }

    fn payload(&self, part: &Vec<SweepRow>) -> Result<Vec<u8>, Failure> {
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
fn gathered(folder: &RunFolder, grid: &CellGrid) -> Result<Vec<SweepRow>, Failure> {
    check_blocks(folder, u64::try_from(grid.cells.len()).unwrap_or(u64::MAX))?;
    let mut rows: Vec<SweepRow> = Vec::new();
    for part in folder.parts()? {
        let part = part?;
        let refused = |reason: String| Failure::Run { path: shown(&part.path), reason };
        let found = read_csv(&part.payload).map_err(|error| refused(error.to_string()))?;
        let cells = grid.cells.get(place(part.blocks.start)..place(part.blocks.end));
        let cells = cells.unwrap_or_default().iter();
        let expected = cells.map(|cell| (cell.number, cell.seed));
        if !expected.eq(found.iter().map(|row| (row.cell, row.seed))) {
            return Err(refused("its rows are not those of its cells".to_owned()));
        }
        rows.extend(found);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_cells_has_each_once_and_in_order() {
        let of = |list| {
            let found = chosen(list, 20).expect("in range").into_iter();
            found.map(|range| (range.start, range.end)).collect::<Vec<_>>()
        };
        assert_eq!(of(Some("7")), [(6, 7)]);
        assert_eq!(of(Some("12..15, 7,13..17")), [(6, 7), (11, 17)]);
        assert_eq!(of(Some("20,1..1")), [(0, 1), (19, 20)]);
        assert_eq!(of(None), [(0, 20)]);
        for wrong in ["", "0", "21", "3..2", "1..", "1,,2", "1..99999999999999999999"] {
            assert!(chosen(Some(wrong), 20).is_err(), "{wrong}");
        }
    }
}
