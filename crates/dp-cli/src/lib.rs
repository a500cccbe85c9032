//! [`dp-audit`]: dp_audit
//! [`dp-files`]: dp_files
//! [`dp-certificate`]: dp_certificate
//! [`dp-check`]: https://docs.rs/dp-check
//! [`dp-planner`]: dp_planner
//! [`dp-report`]: dp_report
//! [`dp-task`]: dp_task
//! [differential privacy for Prio3]: dp_prio3
//! [docs/json.md]: documents
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod audit;
mod calibrate;
mod checkpoints;
mod delivery;
mod failure;
mod forecast;
mod hint;
mod json;
mod merge;
mod options;
mod plan;
mod policies;
mod policy_table;
mod queries;
mod questions;
mod replaced;
mod reports;
mod shell;
mod simulate;
mod statement;
mod sweep;
mod tables;
mod text;

/// What `--json` writes.
#[doc = include_str!("../docs/json.md")]
pub mod documents {}

use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches, Parser, Subcommand};
use dp_exact::work;

use crate::options::Given;
pub use delivery::{Delivery, Rows, Undelivered, print};
pub use failure::Failure;
pub use json::Inputs;
pub use options::integer;
pub use replaced::Replacing;

/// What `--help` says of the exit status, in every program with these commands.
pub const EXIT_STATUS: &str = "\
Exit status: 0 if the answer was delivered; 1 if there is an answer and standard output or a file did
not take all of it (nothing is said of a pipe that was closed, as `head` does); 2 if there is none.";

/// What can be asked: the subcommands of `dp-cli`, for any program.
#[derive(Debug)]
pub struct Command(Question);

#[derive(Debug, Subcommand)]
enum Question {
    /// One task on real data.
    Simulate(Box<options::Options>),
    /// Many tasks: every combination of lists of policies, budgets, clients and lengths.
    Sweep(Box<sweep::Options>),
    /// A run from its parts.
    Merge(Box<merge::Options>),
    /// From the job to the policy.
    Plan(Box<plan::Options>),
    /// What a deployment publishes.
    Statement(Box<statement::Options>),
    /// Every policy.
    Policies(Box<policy_table::Options>),
    /// Noise, guarantees and accuracy.
    Calibrate(Box<calibrate::Options>),
    /// From outputs alone.
    Audit(Box<audit::Options>),
    /// Beside the Internet-Draft.
    Tables(tables::Options),
    /// For a shell.
    Completions(shell::Completions),
    /// For `man`.
    Man(shell::Manual),
}

impl FromArgMatches for Command {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Question::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl Subcommand for Command {
    fn augment_subcommands(program: clap::Command) -> clap::Command {
        Question::augment_subcommands(program)
    }

    fn augment_subcommands_for_update(program: clap::Command) -> clap::Command {
        Question::augment_subcommands_for_update(program)
    }

    fn has_subcommand(name: &str) -> bool {
        Question::has_subcommand(name)
    }
}

/// The program with these commands.
pub(crate) fn program() -> clap::Command {
    let program = clap::Command::new("dp-cli")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Differential privacy for Prio3: simulate policies, calibrate noise")
        .after_help(EXIT_STATUS);
    Command::augment_subcommands(program)
}

/// Answers on standard output.
///
/// # Errors
/// If an option is wrong, a file cannot be read or written, or there is no answer, or it is too costly:
/// what an answer computes is bounded by [`dp_exact::work::DEFAULT`], the run of `simulate` is not.
pub fn run(command: &Command) -> Result<(), Failure> {
    match &command.0 {
        Question::Simulate(options) => simulate::run(options),
        Question::Sweep(options) => sweep::run(options),
        Question::Merge(options) => merge::run(options),
        Question::Plan(options) => plan::run(options),
        Question::Statement(options) => statement::run(options),
        Question::Policies(options) => policy_table::run(options),
        Question::Calibrate(options) => calibrate::run(options),
        Question::Audit(options) => audit::run(options),
        Question::Tables(options) => tables::run(options),
        Question::Completions(options) => shell::complete(options),
        Question::Man(options) => shell::manual(options),
    }
}

/// All that is computed for an answer, under one budget of work; `given` are the options that make it
/// costly. Nothing is written within: what is computed after the budget is used up is thrown away.
pub(crate) fn bounded<T>(
    given: &Given,
    answer: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let refusal = || {
        let change = "take larger deltas, fewer clients or releases, or numbers of fewer digits";
        let given = given.iter().map(|(name, value)| (*name, value as _));
        work::refusal("the answer", &given.collect::<Vec<_>>(), change)
    };
    work::bounded(refusal, answer)
}

/// A program's `main`: parses the arguments, runs the command, and reports a failure on one line. The
/// exit status is 0 if there is an answer and it was delivered, 1 if not all of it was, 2 if there is
/// none.
pub fn main<L: Parser>(run: impl FnOnce(L) -> Result<(), Failure>) -> ExitCode {
    // Where that fails, the signal ends the process, and its status says which.
    let _ = dp_files::catch_size_limit();
    keep_memory();
    let result = match parsed::<L>() {
        Ok(line) => run(line),
        Err(error) if error.use_stderr() => Err(usage(error, &L::command())),
        Err(help) => print(help).map_err(Failure::from),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure::report(&failure),
    }
}

/// What is freed is kept for what comes next. Some guarantees fill vectors of a megabyte by the thousand, and the
/// GNU C library gives each of them back to the system, which costs as much as to fill it, until a larger one was
/// freed: then it keeps up to twice that.
fn keep_memory() {
    let mut large = Vec::<u8>::new();
    // Where there is not so much, nothing is kept.
    let _ = large.try_reserve_exact(KEPT);
    drop(std::hint::black_box(large));
}

/// Half of what is kept at most, in bytes; nothing of it is touched.
const KEPT: usize = 31 << 20;

/// The words that were typed. On a narrow terminal the help of an option stands below it.
fn parsed<L: Parser>() -> Result<L, clap::Error> {
    let is_narrow = text::columns_of_help() < text::COLUMNS_OF_TWO;
    let program = L::command().next_line_help(is_narrow);
    L::from_arg_matches_mut(&mut program.try_get_matches()?)
}

/// What is wrong with the words that were typed.
fn usage(error: clap::Error, program: &clap::Command) -> Failure {
    let typed = std::env::args_os().skip(1);
    let typed: Vec<String> = typed
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    Failure::usage(error, program, &typed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_too_costly_names_the_options_as_typed() {
        let given = vec![
            ("delta", "1e-300".to_owned()),
            ("times", "1048576".to_owned()),
        ];
        let costly = |answer: Result<(), Failure>| {
            let refused = bounded(&given, || {
                work::charge(2 * work::DEFAULT);
                answer
            });
            refused.expect_err("twice the budget").to_string()
        };
        assert_eq!(
            costly(Ok(())),
            "the answer for delta 1e-300, times 1048576 needs more operations than are allowed, which \
             takes too long: take larger deltas, fewer clients or releases, or numbers of fewer digits"
        );
        // What a question within says of itself is told, also of the policy of a task.
        let source = work::refusal("the noise", &[("epsilon", &2)], "take a larger epsilon");
        let source = dp_prio3::Error::Calibration(source.into());
        let field = "aggregator_noise.budget";
        let within = costly(Err(dp_task::Error::Policy { field, source }.into()));
        let said = "aggregator_noise.budget: the noise for epsilon 2 needs more operations";
        assert!(within.starts_with(said), "{within}");
    }
}
