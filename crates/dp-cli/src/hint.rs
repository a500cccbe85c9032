//! What to type in place of an option or a command that is none: a slip of a name that is there, or where names are
//! listed. A name that stands for another quantity is never offered.

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use dp_calibration::Query;
use dp_exact::{Rational, shown};

/// The most commands that are named as having an option.
const MOST_OWNERS: usize = 3;

/// What to type in place of what clap refused, if that is known.
pub(crate) fn hint(error: &clap::Error, program: &Command, typed: &[String]) -> Option<String> {
    let said = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let (path, command) = innermost(program, typed);
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let unknown = said(ContextKind::InvalidArg)?;
            if path.is_empty() {
                return Some("expected a command before it, see --help".to_owned());
            }
            let path = path.join(" ");
            let Some(name) = unknown.strip_prefix("--") else {
                return Some(positional(unknown, command, &path));
            };
            let near = said(ContextKind::SuggestedArg).filter(|near| is_slip(unknown, near));
            let value = || {
                let mut words = typed.iter().skip_while(|word| !word.starts_with(unknown));
                let (first, second) = (words.next()?, words.next());
                let value = first.split_once('=').map(|(_, value)| value);
                value.or(second.map(String::as_str))
            };
            let listed = format!("`{path} --help` lists its options");
            Some(
                spelled(name, command)
                    .or_else(|| {
                        (name == "sigma")
                            .then(|| of_sigma(value()?, command))
                            .flatten()
                    })
                    .or_else(|| elsewhere(name, program, &listed))
                    .or_else(|| near.map(|near| format!("did you mean {near}?")))
                    .unwrap_or(listed),
            )
        }
        ErrorKind::InvalidSubcommand => {
            let unknown = said(ContextKind::InvalidSubcommand)?;
            let here = |name: &str| [&path[..], &[name]].concat().join(" ");
            let near = command.get_subcommands().map(Command::get_name);
            let near = near.filter(|name| is_near(unknown, name)).map(here).next();
            Some(near.or_else(|| nested(unknown, program)).map_or_else(
                || format!("expected {}", names_of(command)),
                |name| format!("did you mean {name}?"),
            ))
        }
        ErrorKind::InvalidValue => match error.get(ContextKind::ValidValue) {
            Some(ContextValue::Strings(accepted)) if !accepted.is_empty() => {
                Some(format!("expected {}", listed(accepted)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The innermost command that the words name, and their names.
fn innermost<'a>(program: &'a Command, typed: &[String]) -> (Vec<&'a str>, &'a Command) {
    let mut path = Vec::new();
    let mut command = program;
    for word in typed {
        if let Some(below) = command.find_subcommand(word) {
            path.push(below.get_name());
            command = below;
        }
    }
    (path, command)
}

fn has(command: &Command, option: &str) -> bool {
    let mut arguments = command.get_arguments();
    option == "help" || arguments.any(|argument| argument.get_long() == Some(option))
}

/// The option that was written in other letters: `--local_epsilon`.
fn spelled(name: &str, command: &Command) -> Option<String> {
    let name = name.to_lowercase().replace('_', "-");
    has(command, &name).then(|| format!("did you mean --{name}?"))
}

/// Whether a name is so near another one that it is it with at most two slips.
fn is_slip(typed: &str, meant: &str) -> bool {
    let slips = strsim::damerau_levenshtein(typed, meant);
    slips <= 2 && slips * 4 <= meant.len()
}

/// Whether a command may be meant by a name: it begins with it, or is nearly it.
fn is_near(typed: &str, command: &str) -> bool {
    const NEAR: f64 = 0.9;
    typed.len() > 1 && command.starts_with(typed) || strsim::jaro_winkler(typed, command) >= NEAR
}

/// The standard deviation of Gaussian noise, where noise is typed by its variance or follows from a promise.
fn of_sigma(value: &str, command: &Command) -> Option<String> {
    let sigma: Rational = value.parse().ok()?;
    let help = |name: &str| {
        let mut arguments = command.get_arguments();
        let own = arguments.find(|argument| argument.get_long() == Some(name));
        own.and_then(|own| own.get_help()).map(ToString::to_string)
    };
    let takes = help("mechanism").and_then(|help| {
        let forms = ["gaussian:VARIANCE:QUERY", "gaussian:VARIANCE"];
        forms.into_iter().find(|form| help.contains(form))
    });
    if let Some(form) = takes {
        let typed = form.replace("VARIANCE", &(&sigma * &sigma).to_string());
        return Some(format!(
            "did you mean --mechanism {typed}? It takes the variance, sigma squared"
        ));
    }
    help("epsilon").map(|_| {
        format!(
            "here noise follows from what is promised; `calibrate gaussian --sigma {sigma} --epsilon 1` says what \
             noise promises"
        )
    })
}

/// The commands that have an option of this name: it is no slip of another name.
fn elsewhere(name: &str, program: &Command, listed: &str) -> Option<String> {
    let mut owners = Vec::new();
    with_option(program, name, &mut Vec::new(), &mut owners);
    owners.truncate(MOST_OWNERS);
    let owners = Some(owners.join(", ")).filter(|owners| !owners.is_empty())?;
    Some(format!("it is an option of {owners}; {listed}"))
}

fn with_option(command: &Command, name: &str, path: &mut Vec<String>, owners: &mut Vec<String>) {
    if !path.is_empty() && has(command, name) {
        owners.push(path.join(" "));
    }
    for below in command.get_subcommands() {
        path.push(below.get_name().to_owned());
        with_option(below, name, path, owners);
        path.pop();
    }
}

/// A word that stands where an option is expected.
fn positional(word: &str, command: &Command, path: &str) -> String {
    let options = ["type", "query"].into_iter();
    let mut options = options.filter(|option| has(command, option));
    match (word.parse::<Query>(), options.next()) {
        (Ok(query), Some(option)) => format!("did you mean --{option} {query}?"),
        _ => format!("options begin with --, `{path} --help` lists them"),
    }
}

/// The command of this name below another command.
fn nested(word: &str, program: &Command) -> Option<String> {
    let mut above = program.get_subcommands();
    above.find_map(|above| {
        let found = above.find_subcommand(word)?;
        Some(format!("{} {}", above.get_name(), found.get_name()))
    })
}

/// The commands below one, in a sentence.
pub(crate) fn names_of(command: &Command) -> String {
    let names = command.get_subcommands().map(Command::get_name);
    let names: Vec<String> = names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect();
    listed(&names)
}

fn listed(names: &[String]) -> String {
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// That the word after --json was taken as its file, where something else is missing.
pub(crate) fn taken_by_json(typed: &[String]) -> Option<String> {
    let mut words = typed.iter().skip_while(|word| *word != "--json").skip(1);
    let file = words.next().filter(|file| !file.starts_with('-'))?;
    let file = shown(file);
    Some(format!(
        ", since --json took {file}: write --json last, or --json=-"
    ))
}
