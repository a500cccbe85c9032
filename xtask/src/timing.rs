//! `timing`: whether the running time of the samplers tells the noise.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use dp_cli::{Failure, JsonFile, integer};
use dp_measure::timing::{self, DEFAULT_SAMPLES, HEADER, Line, Summary};

/// Test whether the running time of the samplers tells small noise from large
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Measurements of each test, sixteen draws each [default: 1000000]
    #[arg(long, allow_hyphen_values = true)]
    samples: Option<String>,
    /// Also write the rows to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let samples = match &options.samples {
        Some(samples) => integer("samples", samples, 1000..=1_000_000_000)?,
        None => DEFAULT_SAMPLES,
    };
    let json = options.json.as_deref().map(JsonFile::prepare).transpose()?;
    let mut stdout = io::stdout().lock();
    write!(stdout, "{HEADER}")?;
    let mut rows = Vec::new();
    for test in timing::tests().map_err(Failure::other)? {
        let row = test.run(samples).map_err(Failure::other)?;
        writeln!(stdout, "{}", Line(&row))?;
        rows.push(row);
    }
    if let Some(json) = json {
        json.write(&rows)?;
    }
    writeln!(stdout, "\n{}", Summary(&rows))?;
    Ok(())
}
