//! `merge`: the report of a run whose parts are in a folder.

use std::path::PathBuf;

use clap::Args;
use dp_exact::Refusal;
use dp_simulation::checkpoints::RunFolder;
use dp_simulation::sweep::is_own;

use crate::checkpoints::refused;
use crate::delivery::{Delivery, Output, Reports, Written};
use crate::failure::Failure;
use crate::options::LEAVE_OUT;
use crate::{simulate, sweep};

/// Put together what several processes have computed, and report as one of them would
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    /// The folder that --checkpoints named
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Also write the rows of a sweep to this file, as CSV; - or no FILE prints them in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    reports: Reports,
    #[command(flatten)]
    written: Written,
}

const AFTER_HELP: &str = "\
Neither data nor task are read: the folder says what was asked, and guarantees are computed again. Every
block has to be there once; what is missing, damaged, there twice or of another run is named.

Examples, after `dp-cli` or, in the repository, `cargo xtask`:
  simulate --clients 1e6 --seed 1 --checkpoints run --range 1/2
  simulate --clients 1e6 --seed 1 --checkpoints run --range 2/2
  merge run --json out.json
  merge run-of-a-sweep --csv rows.csv --html report.html";

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let folder = RunFolder::read(&options.folder)?;
    let delivery = |format: &str, kind| {
        let mut outputs = vec![
            Output::json("json", options.written.json.as_ref(), format),
            Output::new("csv", options.csv.as_ref(), is_own),
        ];
        outputs.extend(options.reports.outputs(kind)?);
        Delivery::prepare(options.written.force, &[], outputs)
    };
    match (folder.run().kind.as_str(), &options.csv) {
        (simulate::KIND, Some(csv)) => {
            let place = "with the parts of `simulate`";
            Err(Refusal::contradiction("csv", csv.display(), place, LEAVE_OUT).into())
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
