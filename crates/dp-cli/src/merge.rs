//! `merge`: the report of a run whose trials several processes computed.

use std::path::PathBuf;

use clap::Args;

use crate::delivery::{OutputOptions, ReportOptions};
use crate::failure::Failure;
use crate::json::Inputs;
use crate::simulate;

/// Merge the trials that several processes computed, and report the run
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// The files that `simulate --share` wrote, in any order
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    reports: ReportOptions,
    #[command(flatten)]
    output: OutputOptions,
}

const AFTER_HELP: &str = "\
The report is the one that a single process prints. Task and data are read again, where the options of
the first file name some. A trial that is missing or doubled, and a file of another run, are errors.

Examples, after `dp-cli` or, in the repository, `cargo xtask`:
  simulate --trials 100 --seed 1 --share 1/2 --json one.json
  simulate --trials 100 --seed 1 --share 2/2 --json two.json
  merge one.json two.json --html report.html";

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    simulate::merge(&options.files, &options.inputs, &options.output, &options.reports)
}
