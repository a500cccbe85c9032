//! Commands that count instructions: the program runs itself under callgrind.

use std::fmt::Display;
use std::{env, error};

use clap::Args;
use dp_cli::Failure;
use dp_measure::Error;
use dp_measure::callgrind::counts;
use serde::Serialize;

use crate::rows_output::RowsOutput;

/// What such a command is asked.
#[derive(Args, Debug)]
pub(crate) struct CountedOptions {
    #[command(flatten)]
    output: RowsOutput,
    /// Do what is counted, and nothing else
    #[arg(long, hide = true, conflicts_with = "json")]
    counted: bool,
}

/// What such a command counts, and what it makes of the counts.
pub(crate) struct Counted<R, L, J> {
    /// The command.
    pub(crate) name: &'static str,
    /// The name of its document.
    pub(crate) format: &'static str,
    pub(crate) header: &'static str,
    /// What is counted, call by call.
    pub(crate) work: fn() -> Result<(), Error>,
    pub(crate) rows: fn(Vec<u64>) -> Result<Vec<R>, Error>,
    pub(crate) line: fn(&R) -> L,
    /// That a row is not as it must be is an error.
    pub(crate) judge: fn(&R) -> Result<(), J>,
}

impl<R, L, J> Counted<R, L, J>
where
    R: Serialize,
    L: Display,
    J: error::Error + Send + Sync + 'static,
{
    /// Runs the command.
    pub(crate) fn run(&self, options: &CountedOptions) -> Result<(), Failure> {
        if options.counted {
            return (self.work)().map_err(Failure::other);
        }
        let mut delivery = options.output.prepare(self.format)?;
        let program = env::current_exe().map_err(Failure::other)?;
        let counts = counts(&program, &[self.name, "--counted"]).map_err(Failure::other)?;
        let rows = (self.rows)(counts).map_err(Failure::other)?;
        delivery.print(self.header)?;
        for row in &rows {
            delivery.print(format_args!("{}\n", (self.line)(row)))?;
        }
        options.output.finish(delivery, self.format, 1, &rows)?;
        let mut judged = rows.iter().map(self.judge);
        judged.try_for_each(|judged| judged.map_err(Failure::other))
    }
}
