//! The commands of `dp-cli`, and commands for this repository.

mod site;
mod speed;
mod vectors;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use dp_cli::Failure;

/// Differential privacy for Prio3: simulate policies, calibrate noise, measure samplers.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, after_help = dp_cli::EXIT_STATUS)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Cli(dp_cli::Command),
    Site(site::Options),
    /// Measure how fast the samplers are, beside libprio and inexact samplers on floats: about a
    /// minute
    Speed,
    /// Write the test vectors for other implementations
    Vectors,
}

fn main() -> ExitCode {
    dp_cli::main(run)
}

fn run(line: CommandLine) -> Result<(), Failure> {
    match line.command {
        Command::Cli(command) => dp_cli::run(&command),
        Command::Site(options) => site::run(&options),
        Command::Speed => speed::run(),
        Command::Vectors => vectors::run(),
    }
}
