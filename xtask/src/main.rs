//! The commands of `dp-cli`, and commands for this repository.

mod constant_time;
mod site;
mod soak;
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
    ConstantTime(constant_time::Options),
    Site(site::Options),
    Soak(soak::Options),
    Speed(speed::Options),
    Vectors(vectors::Options),
}

fn main() -> ExitCode {
    dp_cli::main(run)
}

fn run(line: CommandLine) -> Result<(), Failure> {
    match line.command {
        Command::Cli(command) => dp_cli::run(&command),
        Command::ConstantTime(options) => constant_time::run(&options),
        Command::Site(options) => site::run(&options),
        Command::Soak(options) => soak::run(&options),
        Command::Speed(options) => speed::run(&options),
        Command::Vectors(options) => vectors::run(&options),
    }
}
