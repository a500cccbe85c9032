//! `merge`: the report of a run whose results are in a folder.

use std::path::PathBuf;

use clap::Args;
use dp_calibration::Refusal;
use dp_simulation::checkpoints::RunFolder;
use dp_simulation::sweep::is_own;

use crate::checkpoints::refused;
use crate::delivery::{Output, OutputOptions, ReportOptions};
use crate::failure::Failure;
use crate::values::LEAVE_OUT;
use crate::{simulate, sweep};

/// Merge the shares of a run that several processes computed, and report the run
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    /// The folder of --checkpoints
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Also write the rows of a sweep as CSV; - or no FILE prints them in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    reports: ReportOptions,
    #[command(flatten)]
    output: OutputOptions,
}

const AFTER_HELP: &str = "\
The folder has everything: neither data nor task are read, and guarantees are computed again. Every
block has to be there once. A block that is missing, damaged, repeated or of another run is an error.

Examples, after `dp-cli` or, in the repository, `cargo xtask`:
  simulate --clients 1e6 --seed 1 --checkpoints run --range 1/2
  simulate --clients 1e6 --seed 1 --checkpoints run --range 2/2
  merge run --json out.json
  merge run-of-a-sweep --csv rows.csv --html report.html";

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let folder = RunFolder::read(&options.folder)?;
    let delivery = |format: &str, kind| {
        let [html, markdown] = options.reports.outputs(kind)?;
        let csv = Output::new("csv", options.csv.as_ref(), is_own);
        options.output.prepare(format, [csv, html, markdown])
    };
    match (folder.run().kind.as_str(), &options.csv) {
        (simulate::KIND, Some(csv)) => {
            let context = "with a run of `simulate`";
            Err(Refusal::contradiction("csv", csv.display(), context, LEAVE_OUT).into())
        }
        (simulate::KIND, None) => {
            let delivery = delivery(simulate::FORMAT, simulate::REPORT)?;
            simulate::merge(&folder, delivery, &options.reports)
        }
        (sweep::KIND, _) => {
            let delivery = delivery(sweep::FORMAT, sweep::KIND)?;
            sweep::merge(&folder, delivery, &options.reports)
        }
        (kind, _) => {
            let reason = format!("a run of the kind {kind:?}, which this program does not know");
            Err(refused(&folder, reason))
        }
    }
}
