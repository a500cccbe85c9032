//! `timing`: whether the running time of the samplers tells the noise.

use std::path::PathBuf;

use clap::Args;
use dp_cli::{Delivery, Failure, Inputs, Rows, integer};
use dp_measure::timing::{self, DEFAULT_SAMPLES, HEADER, Line, Summary, cycles_per_nanosecond};

/// The most measurements of a test: all four columns of one are in memory at a time, 320 MB.
const MOST: u32 = 20_000_000;

/// Test whether the running time of the samplers tells small noise from large: some three minutes, in
/// proportion to --samples
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// Measurements of each test with warm caches, sixteen draws each, at most 20000000 [default: 200000]
    #[arg(long, allow_hyphen_values = true)]
    samples: Option<String>,
    /// Also write the rows to this file, as JSON; - or no FILE prints them in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// Replace the file of --json also if this program did not write it
    #[arg(long, requires = "json")]
    force: bool,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let samples = match &options.samples {
        Some(samples) => integer("samples", samples, 1000..=MOST)?,
        None => DEFAULT_SAMPLES,
    };
    let mut delivery = Delivery::prepare(options.json.as_deref(), options.force)?;
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
    Ok(delivery.finish(&Rows {
        format: "dp-measure timing",
        schema_version: 3,
        inputs: &options.inputs,
        rows: &rows,
    })?)
}
