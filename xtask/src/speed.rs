//! `speed`: nanoseconds per sample, ours beside libprio and floats.

use std::path::PathBuf;

use clap::Args;
use dp_cli::{Delivery, Failure, Inputs, Rows};
use dp_measure::clock::Effort;
use dp_measure::speed::{HEADER, Line, Summary, Workload};

/// Measure how fast the samplers are, beside libprio and inexact samplers on floats: about a minute
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
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut delivery = Delivery::prepare(options.json.as_deref(), options.force)?;
    delivery.print(HEADER)?;
    let mut all = Vec::new();
    for workload in Workload::all() {
        let rows = workload
            .measure(Effort::default())
            .map_err(Failure::other)?;
        for line in rows.chunk_by(|one, next| (one.mode, one.variant) == (next.mode, next.variant))
        {
            delivery.print(format_args!("{}\n", Line(line)))?;
        }
        all.extend(rows);
    }
    delivery.print(format_args!("\n{}\n", Summary(&all)))?;
    Ok(delivery.finish(&Rows {
        format: "dp-measure speed",
        schema_version: 3,
        inputs: &options.inputs,
        rows: &all,
    })?)
}
