//! The command line of the workspace: it parses, calls the crates, and prints.

mod calibrate;
mod failure;
mod options;
mod output;
mod policies;
mod policy_table;
mod questions;
mod simulate;
mod speed;
mod tables;
mod timing;
mod vectors;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;

/// Differential privacy for Prio3: simulate policies, calibrate noise, measure samplers.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Simulate(Box<options::Options>),
    Policies(policy_table::Options),
    Calibrate(Box<calibrate::Options>),
    /// Compare the tables of the Internet-Draft on differential privacy for DAP with exact values
    Tables,
    Speed(speed::Options),
    Timing(timing::Options),
    Vectors(vectors::Options),
}

fn main() -> ExitCode {
    let command_line = match CommandLine::try_parse() {
        Ok(command_line) => command_line,
        Err(error) if error.use_stderr() => return failure::report(&Failure::from(error)),
        Err(help) => {
            print!("{help}");
            return ExitCode::SUCCESS;
        }
    };
    let result = match command_line.command {
        Command::Simulate(options) => simulate::run(&options),
        Command::Policies(options) => policy_table::run(&options),
        Command::Calibrate(options) => calibrate::run(&options),
        Command::Tables => tables::run(),
        Command::Speed(options) => speed::run(&options),
        Command::Timing(options) => timing::run(&options),
        Command::Vectors(options) => vectors::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure::report(&failure),
    }
}
