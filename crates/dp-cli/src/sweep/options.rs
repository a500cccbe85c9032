//! The options of `sweep`.

use std::path::PathBuf;

use clap::Args;
use dp_exact::Refusal;

use crate::checkpoints::{Checkpoints, Place};
use crate::json::Inputs;
use crate::options::LEAVE_OUT;
use crate::reports::{Reports, printed_once};

/// What is asked of `sweep`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// The sweep, in TOML
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Run these cells alone, by their numbers: 7, or 7,12..15
    #[arg(
        long,
        visible_alias = "cells",
        value_name = "CELLS",
        help_heading = "Run"
    )]
    pub(crate) cell: Option<String>,
    /// Seed from which that of each cell follows [default: the file's, or from the operating system]
    #[arg(long, allow_hyphen_values = true, help_heading = "Run")]
    pub(crate) seed: Option<String>,
    /// Threads [default: one for each processor]
    #[arg(long, allow_hyphen_values = true, help_heading = "Run")]
    pub(crate) threads: Option<String>,
    #[command(flatten)]
    pub(crate) checkpoints: Checkpoints,
    /// Also write the rows to this file, as CSV; - or no FILE prints them in place of the text
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = "-",
        help_heading = "Rows"
    )]
    pub(crate) csv: Option<PathBuf>,
    /// Also write the rows and the summary to this file, as JSON; - or no FILE prints it in place of the text
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = "-",
        help_heading = "Rows"
    )]
    pub(crate) json: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reports: Reports,
    /// Replace files also if this command did not write them
    #[arg(long, help_heading = "Rows")]
    pub(crate) force: bool,
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
accept_weak_promise. docs/sweep.md of dp-simulation says what each is, and what the columns of rows are.

Examples, after `dp-cli` or, in the repository, `cargo xtask`:
  sweep examples/sweeps/noise.toml
  sweep examples/sweeps/noise.toml --csv noise.csv --html noise.html
  sweep examples/sweeps/heights.toml --cell 7
  sweep examples/sweeps/noise.toml --checkpoints run --resume";

impl Options {
    /// Refuses options that say nothing beside others.
    pub(crate) fn check(&self, place: Option<&Place<'_>>) -> Result<(), Refusal> {
        printed_once([
            ("csv", self.csv.as_deref()),
            ("json", self.json.as_deref()),
            ("html", self.reports.html.as_deref()),
            ("markdown", self.reports.markdown.as_deref()),
        ])?;
        if let (Some(cell), Some(_)) = (&self.cell, place) {
            let (place, change) = ("with --checkpoints", "take --range, a share of all cells");
            return Err(Refusal::contradiction("cell", cell, place, change));
        }
        if let Some(share) = place.and_then(|place| place.share)
            && self.writes_files()
        {
            let beside = "with --csv, --json, --html or --markdown";
            let change = "let `merge` write the report once all ranges are done";
            return Err(Refusal::contradiction("range", share, beside, change));
        }
        if self.force && !self.writes_files() {
            let place = "where no file is written";
            return Err(Refusal::contradiction("force", true, place, LEAVE_OUT));
        }
        Ok(())
    }

    const fn writes_files(&self) -> bool {
        self.csv.is_some() || self.json.is_some() || self.reports.are_wanted()
    }
}
