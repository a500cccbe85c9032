//! `constant-time`: whether small and large draws take the same instructions, and which lines they touch.

use std::env;
use std::path::PathBuf;

use clap::Args;
use dp_cli::{Delivery, Failure, Inputs, Rows};
use dp_measure::callgrind::counts;
use dp_measure::constant_time::{HEADER, Line, Row, rows, work};

/// Count the instructions of small and of large draws: about a minute, with valgrind. That they differ is an
/// error
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// Also write the rows to this file, as JSON; - or no FILE prints them in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// Replace the file of --json also if this program did not write it
    #[arg(long, requires = "json")]
    force: bool,
    /// Do what is counted, and nothing else
    #[arg(long, hide = true, conflicts_with = "json")]
    counted: bool,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    if options.counted {
        return work().map_err(Failure::other);
    }
    let mut delivery = Delivery::prepare(options.json.as_deref(), options.force)?;
    let program = env::current_exe().map_err(Failure::other)?;
    let counts = counts(&program, &["constant-time", "--counted"]).map_err(Failure::other)?;
    let rows = rows(&counts).map_err(Failure::other)?;
    delivery.print(HEADER)?;
    for row in &rows {
        delivery.print(format_args!("{}\n", Line(row)))?;
    }
    delivery.finish(&Rows {
        format: "dp-measure constant-time",
        schema_version: 1,
        inputs: &options.inputs,
        rows: &rows,
    })?;
    rows.iter().try_for_each(Row::judge).map_err(Failure::other)
}
