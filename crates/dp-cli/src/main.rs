//! The program `dp-cli`.

use std::process::ExitCode;

use dp_cli::CommandLine;

fn main() -> ExitCode {
    dp_cli::main(|CommandLine { command }| dp_cli::run(&command))
}
