//! `timing`: whether the running time of the samplers tells the noise.

use clap::Args;
use dp_cli::{Failure, integer};
use dp_measure::timing::{self, DEFAULT_SAMPLES, HEADER, Line, Summary, cycles_per_nanosecond};

use crate::rows_output::RowsOutput;

/// What the document says in its first field.
const FORMAT: &str = "dp-measure timing";

/// The most measurements of a test: all four columns of one are in memory at a time, 320 MB.
const MOST: u32 = 20_000_000;

/// Test whether the running time of the samplers tells small noise from large: some three minutes, in
/// proportion to --samples
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    output: RowsOutput,
    /// Measurements of each test with warm caches, sixteen draws each, at most 20000000 [default: 200000]
    #[arg(long, allow_hyphen_values = true)]
    samples: Option<String>,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let samples = match &options.samples {
        Some(samples) => integer("samples", samples, 1000..=MOST)?,
        None => DEFAULT_SAMPLES,
    };
    let mut delivery = options.output.prepare(FORMAT)?;
    delivery.print(HEADER)?;
    let mut rows = Vec::new();
    let cycles = cycles_per_nanosecond();
    delivery.print(format_args!("At {cycles:.2} cycles in a nanosecond:\n\n"))?;
    for test in timing::tests().map_err(Failure::other)? {
        let row = test.run(samples, cycles).map_err(Failure::other)?;
        delivery.print(format_args!("{}\n", Line(&row)))?;
        rows.push(row);
    }
    delivery.print(format_args!("\n{}\n", Summary(&rows)))?;
    options.output.finish(delivery, FORMAT, 3, &rows)
}
