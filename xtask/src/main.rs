//! The commands of `dp-cli`, and commands for this repository.

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
    Speed(speed::Options),
    Vectors(vectors::Options),
}

fn main() -> ExitCode {
    dp_cli::main(run)
}

fn run(line: CommandLine) -> Result<(), Failure> {
    match line.command {
        Command::Cli(command) => dp_cli::run(&command),
        Command::Speed(options) => speed::run(&options),
        Command::Vectors(options) => vectors::run(&options),
    }
}
