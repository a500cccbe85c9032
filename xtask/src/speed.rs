//! `speed`: nanoseconds per sample, ours beside libprio and floats.

use clap::Args;
use dp_cli::Failure;
use dp_measure::clock::Effort;
use dp_measure::speed::{HEADER, Line, Summary, Workload};

use crate::rows_output::RowsOutput;

/// What the document says in its first field.
const FORMAT: &str = "dp-measure speed";

/// Measure how fast the samplers are, beside libprio and inexact samplers on floats: about a minute
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    output: RowsOutput,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut delivery = options.output.prepare(FORMAT)?;
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
    options.output.finish(delivery, FORMAT, 3, &all)
}
