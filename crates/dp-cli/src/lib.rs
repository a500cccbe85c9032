//! [`dp-audit`]: dp_audit
//! [`dp-check`]: dp_check
//! [`dp-planner`]: dp_planner
//! [`dp-report`]: dp_report
//! [`dp-simulation`]: dp_simulation
//! [differential privacy for Prio3]: dp_prio3
//! [docs/json.md]: documents
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod audit;
mod calibrate;
mod completions;
mod delivery;
mod estimate;
mod failure;
mod json;
mod ledger;
mod options;
mod plan;
mod policy_table;
mod progress;
mod simulate;
mod statement;
mod survey;
mod tasks;
mod text;
mod values;

/// The documents of `--json`.
#[doc = include_str!("../docs/json.md")]
pub mod documents {}

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::iter;
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, FromArgMatches, Parser, Subcommand};

pub use delivery::{Answer, print};
pub use failure::{Failure, Undelivered};

/// The explanation of exit statuses in `--help`, for every program with these commands.
pub const EXIT_STATUS: &str = "\
Exit status: 0 if the answer was delivered; 1 if standard output or a file did not take all of it (a
closed pipe, as `head` leaves it, gives no message); 2 if there is no answer, or if no policy does
the job of a plan; 3 if an audit refutes a guarantee or finds a fault; 66 and 75 as `estimate` says.";

/// The subcommands of `dp-cli` and their option `--quiet`, for any program.
#[derive(Debug)]
pub struct Command {
    question: Question,
    /// Whether no progress is shown.
    is_quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Question {
    Simulate(Box<simulate::Combinations>),
    Estimate(Box<estimate::Options>),
    Merge(Box<simulate::merge::Options>),
    Plan(Box<plan::Options>),
    Statement(Box<statement::Options>),
    Policies(Box<policy_table::Options>),
    Calibrate(Box<calibrate::Options>),
    Ledger(Box<ledger::Options>),
    Audit(Box<audit::Options>),
    Completions(completions::Options),
}

impl FromArgMatches for Command {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let question = Question::from_arg_matches(matches)?;
        Ok(Self { question, is_quiet: matches.get_flag(QUIET) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for Command {
    fn augment_subcommands(program: clap::Command) -> clap::Command {
        let quiet = Arg::new(QUIET).long(QUIET).short('q').global(true);
        let quiet = quiet.action(ArgAction::SetTrue).help("Show no progress on standard error");
        with_negative_numbers(Question::augment_subcommands(program.arg(quiet)))
    }

    fn augment_subcommands_for_update(program: clap::Command) -> clap::Command {
        Self::augment_subcommands(program)
    }

    fn has_subcommand(name: &str) -> bool {
        Question::has_subcommand(name)
    }
}

/// The option that silences progress.
const QUIET: &str = "quiet";

/// Lets options take values that begin with `-`, such as -1 and -5..5/0.5, in this command and all
/// below it. Names of files and texts are excepted.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|argument| {
        let value = argument.get_value_names().and_then(<[_]>::first);
        let is_word =
            value.is_some_and(|name| ["FILE", "DIR", "TEXT", "COMMAND"].contains(&name.as_str()));
        let is_value = argument.get_long().is_some() && argument.get_action().takes_values();
        argument.allow_hyphen_values(is_value && !is_word)
    });
    command.mut_subcommands(with_negative_numbers)
}

/// Differential privacy for Prio3: simulate policies, calibrate noise
#[derive(Debug, Parser)]
#[command(name = "dp-cli", version, after_help = EXIT_STATUS)]
pub struct CommandLine {
    /// The question.
    #[command(subcommand)]
    pub command: Command,
}

/// Runs a command and prints its answer.
///
/// # Errors
/// If an option is wrong, a file cannot be read or written, or there is no answer.
pub fn run(command: &Command) -> Result<(), Failure> {
    progress::set_quiet(command.is_quiet);
    match &command.question {
        Question::Simulate(options) => simulate::run(options),
        Question::Estimate(options) => estimate::run(options),
        Question::Merge(options) => simulate::merge::run(options),
        Question::Plan(options) => plan::run(options),
        Question::Statement(options) => statement::run(options),
        Question::Policies(options) => policy_table::run(options),
        Question::Calibrate(options) => calibrate::run(options),
        Question::Ledger(options) => ledger::run(options),
        Question::Audit(options) => audit::run(options),
        Question::Completions(options) => completions::run(options),
    }
}

/// Runs the command of these arguments, such as `["plan", "--help"]`, and returns its answer
/// instead of printing it. Every output may be named `-` at once. An audit that finds a fault and a
/// plan without a policy have an answer, too.
///
/// # Errors
/// As [`run`], and if the arguments are no command.
pub fn answer(arguments: impl IntoIterator<Item: Into<OsString>>) -> Result<Answer, Failure> {
    let words = iter::once(NAME.into()).chain(arguments.into_iter().map(Into::into));
    let (result, answer) = delivery::captured(|| match CommandLine::try_parse_from(words) {
        Ok(line) => run(&line.command),
        Err(help) if is_help(&help) => Ok(print(help)?),
        Err(error) => Err(Failure::usage(error)),
    });
    match result {
        Ok(()) | Err(Failure::Fault(_) | Failure::NoPolicy) => Ok(answer),
        Err(failure) => Err(failure),
    }
}

/// The name of the program outside of this repository.
const NAME: &str = "dp-cli";

static PROGRAM: OnceLock<String> = OnceLock::new();

/// The words with which the running program is called, such as `cargo xtask`; `dp-cli` if another
/// program calls the library.
pub(crate) fn program() -> &'static str {
    PROGRAM.get().map_or(NAME, String::as_str)
}

/// Whether clap answers with help or a version: asked for, or by a command without any words.
fn is_help(answer: &clap::Error) -> bool {
    let is_bare = answer.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    is_bare || !answer.use_stderr()
}

/// Whether words on this stream have colours: on a terminal, unless `NO_COLOR` is set.
pub(crate) fn has_colours(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// The `main` of a program: parses the arguments, runs the command and reports a failure on one
/// line.
///
/// Returns the exit status: 0 if the answer was delivered, 1 if a part of it was not, 2 if there is
/// none or no policy does the job of a plan, 3 if an audit found a fault; for the text of a
/// collector without a result also 75 and 66 ([`Failure::status`]).
pub fn main<L: Parser>(run: impl FnOnce(L) -> Result<(), Failure>) -> ExitCode {
    let _ = PROGRAM.set(L::command().get_bin_name().unwrap_or(NAME).to_owned());
    let result = match L::try_parse() {
        Ok(line) => run(line),
        Err(help) if is_help(&help) => match has_colours(&io::stdout()) {
            true => print(help.render().ansi()),
            false => print(help),
        }
        .map_err(Failure::from),
        Err(error) => Err(Failure::usage(error)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure::report(&failure),
    }
}
