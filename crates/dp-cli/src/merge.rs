//! `merge`: the report of a run whose parts are in a folder.

use std::path::PathBuf;

use clap::Args;
use dp_exact::Refusal;
use dp_simulation::parts::Folder;

use crate::checkpoints::description::refused;
use crate::delivery::Delivery;
use crate::failure::Failure;
use crate::options::LEAVE_OUT;
use crate::replaced::Replacing;
use crate::reports::{Reports, printed_once};
use crate::{simulate, sweep};

/// Put together what several processes have computed, and report as one of them would
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    /// The folder that --checkpoints named
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Also write the report to this file, as JSON; - or no FILE prints it in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// Also write the rows of a sweep to this file, as CSV; - or no FILE prints them in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    reports: Reports,
    /// Replace files also if this command did not write them
    #[arg(long)]
    force: bool,
}

const AFTER_HELP: &str = "\
Neither data nor task are read: the folder says what was asked, and promises are computed again. Every
block has to be there once; what is missing, damaged, there twice or of another run is named.

Examples, after `dp-cli` or, in the repository, `cargo xtask`:
  simulate --clients 1e6 --seed 1 --checkpoints run --range 1/2
  simulate --clients 1e6 --seed 1 --checkpoints run --range 2/2
  merge run --json out.json
  merge run-of-a-sweep --csv rows.csv --html report.html";

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let json = options.json.as_deref();
    let csv = options.csv.as_deref();
    printed_once([
        ("json", json),
        ("csv", csv),
        ("html", options.reports.html.as_deref()),
        ("markdown", options.reports.markdown.as_deref()),
    ])?;
    if options.force && json.is_none() && csv.is_none() && !options.reports.are_wanted() {
        let place = "without --json, --csv, --html or --markdown";
        return Err(Refusal::contradiction("force", true, place, LEAVE_OUT).into());
    }
    let folder = Folder::read(&options.folder)?;
    if let (Some(csv), true) = (csv, folder.run().kind == simulate::KIND) {
        let place = "with the parts of `simulate`";
        return Err(Refusal::contradiction("csv", csv.display(), place, LEAVE_OUT).into());
    }
    let replacing = Replacing::new(options.force);
    let delivery = |format: &str, kind| {
        let delivery = Delivery::prepare(json, format, &replacing)?;
        let delivery = delivery.and_reports(&options.reports, kind, &replacing)?;
        delivery.and_rows(csv, &replacing)
    };
    match folder.run().kind.as_str() {
        simulate::KIND => simulate::merge(&folder, delivery(simulate::FORMAT, simulate::REPORT)?),
        sweep::KIND => sweep::merge(&folder, delivery(sweep::FORMAT, sweep::REPORT)?),
        kind => {
            let reason = format!("a run of the kind {kind:?}, which this program does not know");
            Err(refused(&folder, reason))
        }
    }
}
