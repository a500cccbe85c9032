//! `speed`: nanoseconds per sample, ours beside libprio and floats.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use dp_cli::{Failure, JsonFile};
use dp_measure::clock::Effort;
use dp_measure::speed::{HEADER, Line, Summary, Workload};

/// Measure how fast the samplers are, beside libprio and inexact samplers on floats
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Also write the rows to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let json = options.json.as_deref().map(JsonFile::prepare).transpose()?;
    let mut stdout = io::stdout().lock();
    write!(stdout, "{HEADER}")?;
    let mut all = Vec::new();
    for workload in Workload::all() {
        let rows = workload
            .measure(Effort::default())
            .map_err(Failure::other)?;
        for line in rows.chunk_by(|one, next| one.mode == next.mode) {
            writeln!(stdout, "{}", Line(line))?;
        }
        all.extend(rows);
    }
    if let Some(json) = json {
        json.write(&all)?;
    }
    writeln!(stdout, "\n{}", Summary(&all))?;
    Ok(())
}
