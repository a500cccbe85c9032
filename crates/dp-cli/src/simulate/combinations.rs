//! Lists of values in the options of `simulate`: a run for each combination.

use std::ffi::OsString;

use clap::builder::ValueParser;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
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

/// A combination of the options so far.
#[derive(Clone, Default)]
struct Combination {
    policy: Option<PolicyName>,
    values: Vec<String>,
    words: Vec<OsString>,
}

impl FromArgMatches for Combinations {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let command = SimulateOptions::augment_args(Command::new("simulate").no_binary_name(true));
        let mut options = Vec::new();
        let mut all = vec![Combination::default()];
        for argument in command.get_arguments() {
            let name = argument.get_id().as_str();
            let long = argument.get_long().unwrap_or(name);
            if matches.value_source(name) != Some(ValueSource::CommandLine) {
                continue;
            }
            let typed = typed_words(argument, long, matches);
            let values = list(name, matches);
            if values.len() < 2 {
                // Of listed policies those that do not use an option are run without it.
                for one in &mut all {
                    if !one.is_foreign(long) {
                        one.words.extend(typed.iter().cloned());
                    }
                }
                continue;
            }
            options.push(long.to_owned());
            all = all.iter().flat_map(|one| one.with(long, &values)).collect();
            if all.len() > MOST {
                let reason = format!("more than {MOST} combinations of listed values\n");
                return Err(clap::Error::raw(ErrorKind::TooManyValues, reason));
            }
        }
        let run = |one: Combination| {
            let matches = command.clone().try_get_matches_from(one.words)?;
            Ok((one.values, SimulateOptions::from_arg_matches(&matches)?))
        };
        let runs = all.into_iter().map(run).collect::<Result<_, clap::Error>>()?;
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

impl Combination {
    /// Whether policies are listed, and this one's does not use the option.
    fn is_foreign(&self, long: &str) -> bool {
        self.policy.is_some_and(|policy| foreign_options(policy).any(|name| name == long))
    }

    /// This combination with each of the values, or without the option if it is foreign.
    fn with(&self, long: &str, values: &[String]) -> Vec<Self> {
        let mut more = Vec::new();
        for value in values {
            let mut one = self.clone();
            if self.is_foreign(long) {
                one.values.push(String::new());
                return vec![one];
            }
            if long == "policy" {
                one.policy = PolicyName::find(value);
            }
            one.values.push(value.clone());
            one.words.push(format!("--{long}={value}").into());
            more.push(one);
        }
        more
    }
}

/// The words of an option as typed: a flag, or `--name=value` for each value.
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

/// The values of an option that takes a list; at most one for others. A list of `--bins` has ranges
/// LOW..HIGH/WIDTH: other values with commas are the bins of one run.
fn list(name: &str, matches: &ArgMatches) -> Vec<String> {
    let typed = matches.get_raw(name).into_iter().flatten().next().and_then(|raw| raw.to_str());
    let values: Vec<String> = match typed {
        Some(typed) if LISTS.contains(&name) => {
            typed.split(',').map(|value| value.trim().to_owned()).collect()
        }
        _ => Vec::new(),
    };
    let are_ranges = values.iter().all(|value| value.contains("..") && value.contains('/'));
    if name == "bins" && !are_ranges { Vec::new() } else { values }
}
