//! The program `dp-cli`.

use std::process::ExitCode;

use clap::Parser;
use dp_cli::Command;

/// Differential privacy for Prio3: simulate policies, calibrate noise.
#[derive(Debug, Parser)]
#[command(version, after_help = dp_cli::EXIT_STATUS)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    dp_cli::main::<CommandLine>(|line| dp_cli::run(&line.command))
}
