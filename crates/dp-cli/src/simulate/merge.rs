//! `merge`: the report of a run whose trials several processes computed.

use std::path::PathBuf;

use clap::Args;
use dp_simulation::OutcomeBuilder;
use dp_simulation::report::FORMAT;

use super::combinations::options_of;
use super::prepared::Prepared;
use super::trials::{RunSettings, in_order};
use super::{REPORT, deliver, describe, seed_of_all};
use crate::delivery::{OutputOptions, ReportOptions};
use crate::failure::Failure;
use crate::json::Inputs;

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
The report is the one that a single process prints. Task and data are read again, where the options
of the first file name some. A trial that is missing or doubled, and a file of another run, are
errors.

Examples, after `dp-cli`:
  simulate --trials 100 --seed 1 --share 1/2 --json one.json
  simulate --trials 100 --seed 1 --share 2/2 --json two.json
  merge one.json two.json --html report.html";

/// Puts the trials of the files together, which must be all trials of one run, and delivers its
/// report. The task and the data are read again, by the options of the first file.
pub(crate) fn run(merge: &Options) -> Result<(), Failure> {
    let html = merge.reports.output(REPORT);
    let mut delivery = merge.output.prepare(FORMAT, &merge.inputs, [html])?;
    let files = in_order(&merge.files)?;
    let (first, settings) = (files[0].0, &files[0].1.settings);
    let options = options_of(settings.inputs.words());
    let options = options.map_err(|error| Failure::content(first, error))?;
    let prepared = Prepared::new(&options, seed_of_all(&options)?)?;
    if let Some(setting) = settings.difference(&RunSettings::new(&options.inputs, &prepared)) {
        let reason =
            format!("its {setting} is not what it was: run this version on the same files");
        return Err(Failure::content(first, reason));
    }
    let (clients, plan) = (prepared.population.clients(), prepared.plan);
    let mut outcome = OutcomeBuilder::new(plan.task.policy().clone(), clients, options.trials)?;
    for (path, file) in files {
        outcome.add(file.records).map_err(|error| Failure::content(path, error))?;
    }
    let outcome = outcome.outcome()?;
    describe(&mut delivery, &plan)?;
    deliver(delivery, &plan, &outcome, &options.inputs)
}
