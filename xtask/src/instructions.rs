//! `instructions`: what our parties take for a report, beside the same prio calls.

use clap::Args;
use dp_cli::Failure;
use dp_measure::instructions::{HEADER, Line, Row, rows, work};

use crate::counted::{Counted, CountedOptions};

/// Count the instructions of clients and aggregators, beside the same calls of prio: some seconds, with
/// valgrind. That they are too many is an error
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    counted: CountedOptions,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let counted = Counted {
        name: "instructions",
        format: "dp-measure instructions",
        header: HEADER,
        work,
        rows,
        line: |row: &Row| Line(row).to_string(),
        judge: Row::judge,
    };
    counted.run(&options.counted)
}
