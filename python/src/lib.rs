//! The commands of `dp-cli` as one function of Python, and a list of their options. Everything else
//! is in Python, in the folder `dp_prio3`.

use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use clap::{ArgAction, Subcommand as _};
use dp_cli::Command;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// The time between two looks at whether Ctrl-C was pressed.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs a command with these words as its command line. Returns the parts of its answer by name:
/// `text`, and each output that has the name `-`, such as `json` and `html`.
///
/// The command has a thread of its own: other threads of Python go on, and Ctrl-C raises
/// `KeyboardInterrupt` at once. The command cannot be stopped. After Ctrl-C it goes on unseen until
/// it is done or the process ends.
///
/// # Errors
/// `ValueError` with the command's sentence if there is no answer, and `RuntimeError` if the
/// command panics.
#[pyfunction]
fn answer(python: Python<'_>, words: Vec<String>) -> PyResult<BTreeMap<&'static str, String>> {
    let (sender, mut receiver) = channel();
    let command = move || {
        let answer = dp_cli::answer(words).map_err(|failure| failure.sentence());
        // After Ctrl-C nobody receives it.
        let _ = sender.send(answer);
    };
    let thread = thread::Builder::new().name("dp-prio3".to_owned()).spawn(command)?;
    loop {
        let received;
        (received, receiver) = python.detach(move || (receiver.recv_timeout(PATIENCE), receiver));
        match received {
            Ok(Ok(parts)) => {
                let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
                return Ok(parts.iter().map(|(name, bytes)| (*name, text(bytes))).collect());
            }
            Ok(Err(sentence)) => return Err(PyValueError::new_err(sentence)),
            Err(RecvTimeoutError::Timeout) => python.check_signals()?,
            // The thread has panicked and will send nothing.
            Err(RecvTimeoutError::Disconnected) => {
                let panic = python.detach(|| thread.join()).err();
                let said = panic.and_then(|panic| panic.downcast::<String>().ok());
                let said = said.map_or_else(|| "it panicked".to_owned(), |said| *said);
                return Err(PyRuntimeError::new_err(format!("a defect of this program: {said}")));
            }
        }
    }
}

/// All commands as JSON: for each its words, what it does, its options and its further arguments.
#[pyfunction]
fn commands() -> String {
    let mut program = Command::augment_subcommands(clap::Command::new("dp-cli"));
    program.build();
    let mut commands = Vec::new();
    list(&program, &[], &mut commands);
    Value::from(commands).to_string()
}

/// Appends the commands below this one that answer a question.
fn list(command: &clap::Command, words: &[&str], commands: &mut Vec<Value>) {
    // A shell completes words, no function of Python.
    let is_listed = |below: &&clap::Command| {
        !["help", "completions"].contains(&below.get_name()) && !below.is_hide_set()
    };
    for below in command.get_subcommands().filter(is_listed) {
        let words = [words, &[below.get_name()]].concat();
        let styled = |text: Option<&clap::builder::StyledStr>| text.map(ToString::to_string);
        let (arguments, options): (Vec<_>, Vec<_>) = below
            .get_arguments()
            .filter(|argument| argument.get_id() != "help" && argument.get_id() != "quiet")
            .partition(|argument| argument.is_positional());
        let described = |argument: &&clap::Arg| {
            let names = argument.get_all_aliases().unwrap_or_default();
            let defaults = argument.get_default_values().iter();
            let defaults: Vec<_> = defaults.map(|value| value.to_string_lossy()).collect();
            let is_flag = !argument.get_action().takes_values();
            json!({
                "name": argument.get_long().unwrap_or(argument.get_id().as_str()),
                "aliases": names,
                "help": styled(argument.get_help()),
                "default": defaults.first().filter(|_| !is_flag),
                "is_flag": is_flag,
                "is_file": argument.get_value_names().is_some_and(|names| names[0] == "FILE"),
                "repeats": matches!(argument.get_action(), ArgAction::Append),
                "is_required": argument.is_required_set(),
            })
        };
        commands.push(json!({
            "words": words,
            "about": styled(below.get_about()),
            "has_questions": below.has_subcommands(),
            "arguments": arguments.iter().map(described).collect::<Vec<_>>(),
            "options": options.iter().map(described).collect::<Vec<_>>(),
        }));
        list(below, &words, commands);
    }
}

/// The native part of the package `dp_prio3`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{answer, commands};
}
