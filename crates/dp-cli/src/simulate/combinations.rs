//! Lists of values in the options of `simulate`: a run for each combination.

use std::collections::HashSet;
use std::ffi::OsString;

use clap::builder::ValueParser;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use dp_exact::{Rational, parse_number};
use dp_task::PolicyName;

use crate::json::Inputs;
use crate::options::SimulateOptions;
use crate::tasks::foreign_options;

/// The options that take a list of values, separated by commas.
const LISTS: [&str; 19] = [
    "policy",
    "epsilon",
    "delta",
    "rho",
    "epsilon0",
    "local_epsilon",
    "max_weight",
    "false_positive_rate",
    "target_honest_clients",
    "assumed_malicious_clients",
    "aggregators",
    "honest_clients",
    "synthetic",
    "type",
    "bins",
    "max_measurement",
    "grid",
    "clients",
    "trials",
];

/// Those of [`LISTS`] whose values are rational numbers.
const RATIONALS: [&str; 6] =
    ["epsilon", "delta", "rho", "epsilon0", "local_epsilon", "false_positive_rate"];

/// The most combinations.
const MOST: usize = 10_000;

/// The options of `simulate`: of one run, or of a run for each combination of listed values.
#[derive(Debug)]
pub(crate) struct Combinations {
    /// The options as typed, with lists.
    pub(crate) inputs: Inputs,
    /// The options that have lists, without dashes; none for a single run.
    pub(crate) options: Vec<String>,
    /// The values of these options and all options of each run, the last list changing fastest.
    /// Where policies are listed, a value is empty and left out if the policy does not use it.
    pub(crate) runs: Vec<(Vec<String>, SimulateOptions)>,
}

impl FromArgMatches for Combinations {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let command = command();
        // The words of each option of one value, and the values of each list.
        let (mut fixed, mut options, mut lists) = (Vec::new(), Vec::new(), Vec::new());
        for argument in command.get_arguments() {
            let name = argument.get_id().as_str();
            if matches.value_source(name) != Some(ValueSource::CommandLine) {
                continue;
            }
            let long = argument.get_long().unwrap_or(name);
            match list(name, matches)? {
                values if values.len() > 1 => {
                    options.push(long.to_owned());
                    lists.push(values);
                }
                _ => fixed.push((long.to_owned(), typed_words(argument, long, matches))),
            }
        }
        if lists.iter().fold(1, |all: usize, list| all.saturating_mul(list.len())) > MOST {
            let reason = format!("more than {MOST} combinations of listed values\n");
            return Err(clap::Error::raw(ErrorKind::TooManyValues, reason));
        }
        let mut all: Vec<Vec<Option<String>>> = vec![Vec::new()];
        for values in lists {
            let with = |one: &Vec<_>, value| [one.clone(), vec![Some(value)]].concat();
            all = all
                .iter()
                .flat_map(|one| values.iter().map(|value| with(one, value.clone())))
                .collect();
        }
        let (mut runs, mut known) = (Vec::new(), HashSet::new());
        for mut values in all {
            // Of listed policies those that do not use an option are run without it, once.
            let listed = options.iter().position(|name| name == "policy");
            let policy = listed.and_then(|place| PolicyName::find(values[place].as_deref()?));
            let foreign: Vec<&str> = policy.into_iter().flat_map(foreign_options).collect();
            let is_foreign = |long: &String| foreign.contains(&long.as_str());
            for (_, value) in options.iter().zip(&mut values).filter(|(long, _)| is_foreign(long)) {
                *value = None;
            }
            if !known.insert(values.clone()) {
                continue;
            }
            let of_lists = options.iter().zip(&values);
            let of_lists =
                of_lists.filter_map(|(long, value)| Some(format!("--{long}={}", value.as_ref()?)));
            let words = fixed.iter().filter(|(long, _)| !is_foreign(long));
            let words = words.flat_map(|(_, words)| words.clone());
            let words = words.chain(of_lists.map(OsString::from));
            let typed = options_of(words)?;
            runs.push((values.into_iter().map(Option::unwrap_or_default).collect(), typed));
        }
        Ok(Self { inputs: Inputs::from_arg_matches(matches)?, options, runs })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Combinations {
    fn augment_args(command: Command) -> Command {
        let raw = |argument: Arg| argument.value_parser(ValueParser::os_string());
        let command = SimulateOptions::augment_args(command);
        LISTS.iter().fold(command, |command, name| command.mut_arg(name, raw))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The command of a single run.
fn command() -> Command {
    SimulateOptions::augment_args(Command::new("simulate").no_binary_name(true))
}

/// The options of a single run, from their words.
pub(super) fn options_of(
    words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<SimulateOptions, clap::Error> {
    SimulateOptions::from_arg_matches(&command().try_get_matches_from(words)?)
}

/// The words of an option with which it is typed again: `--long` for a flag, else `--long=value`
/// for each value.
fn typed_words(argument: &Arg, long: &str, matches: &ArgMatches) -> Vec<OsString> {
    if !argument.get_action().takes_values() {
        return vec![format!("--{long}").into()];
    }
    let values = matches.get_raw(argument.get_id().as_str()).into_iter().flatten();
    let word = |value| {
        let mut word = OsString::from(format!("--{long}="));
        word.push(value);
        word
    };
    values.map(word).collect()
}

/// The values of an option, separated by commas, if it takes a list; else none. For `bins` and
/// `grid` none unless each is a range LOW..HIGH/WIDTH: other values are of one run. `Err` for a
/// list that may be one number: `1,200`, `1,5k`, `sum:1,000`, or of rational numbers `1,5`.
fn list(name: &str, matches: &ArgMatches) -> Result<Vec<String>, clap::Error> {
    let typed = matches.get_raw(name).into_iter().flatten().next().and_then(|raw| raw.to_str());
    let Some(typed) = typed.filter(|_| LISTS.contains(&name)) else { return Ok(Vec::new()) };
    let values: Vec<String> = typed.split(',').map(|value| value.trim().to_owned()).collect();
    let are_ranges = values.iter().all(|value| value.contains("..") && value.contains('/'));
    if matches!(name, "bins" | "grid") && !are_ranges {
        return Ok(Vec::new());
    }
    let readings = match &*values {
        // Only a number has digits alone behind the comma: `sum:1,000`.
        [first, others @ ..]
            if name == "type" && others.iter().all(|one| one.parse::<u64>().is_ok()) =>
        {
            let number = first.clone() + &others.concat();
            (!others.is_empty()).then_some((number, "group digits"))
        }
        [whole, decimals] if typed == format!("{whole},{decimals}") => {
            let is_rational = RATIONALS.contains(&name);
            let has_suffix = decimals.ends_with(['k', 'K', 'm', 'M']);
            let is_one = |value: &Rational| is_rational || has_suffix && value.is_integer();
            let decimal = parse_number(&format!("{whole}.{decimals}")).filter(is_one);
            let grouped = parse_number(typed).filter(|_| !is_rational);
            let number = grouped.map(|number| (number.to_string(), "group digits"));
            number.or_else(|| Some((decimal?.to_string(), "begin a fraction")))
        }
        [_] => None,
        _ => parse_number(typed).map(|number| (number.to_string(), "group digits")),
    };
    if let Some((number, role)) = readings {
        let (name, list) = (name.replace('_', "-"), values.join(", "));
        let accepted = format!("{number} or \"{list}\"");
        let reason = format!("its comma may {role} or separate values");
        let error = format!("{name} is {typed}: expected {accepted}, as {reason}\n");
        return Err(clap::Error::raw(ErrorKind::InvalidValue, error));
    }
    Ok(values)
}
