//! `constant-time`: whether small and large draws take the same instructions, and which lines they touch.

use clap::Args;
use dp_cli::Failure;
use dp_measure::constant_time::{HEADER, Line, Row, rows, work};

use crate::counted::{Counted, CountedOptions};

/// Count the instructions of small and of large draws: about a minute, with valgrind. That they differ is an
/// error
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    counted: CountedOptions,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let counted = Counted {
        name: "constant-time",
        format: "dp-measure constant-time",
        header: HEADER,
        work,
        rows: |counts| rows(&counts),
        line: |row: &Row| Line(row).to_string(),
        judge: Row::judge,
    };
    counted.run(&options.counted)
}
