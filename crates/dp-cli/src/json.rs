//! JSON documents of answers, which `docs/json.md` describes, with an echo of the options.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use dp_calibration::Refusal;
use dp_exact::escaped;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::values::LEAVE_OUT;

/// Options that say where the answer goes; documents do not echo them.
const OF_DELIVERY: [&str; 8] =
    ["json", "html", "markdown", "csv", "certificate", "coq", "force", "quiet"];

/// Options that say how a run is computed; they do not change the answer.
const OF_PROCESSES: [&str; 2] = ["threads", "share"];

/// A document: its format and version, the options, and the fields of the answer.
#[derive(Debug, Serialize)]
pub(crate) struct JsonDocument<'a, A> {
    pub(crate) format: &'a str,
    /// Grows when a field is removed or changes its meaning; `None` if the answer has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) schema_version: Option<u32>,
    pub(crate) inputs: &'a Inputs,
    #[serde(flatten)]
    pub(crate) answer: A,
}

/// A document that has its own format field, followed by the options.
#[derive(Debug, Serialize)]
pub(crate) struct WithInputs<'a, D> {
    #[serde(flatten)]
    pub(crate) document: D,
    pub(crate) inputs: &'a Inputs,
}

/// Every option of a command and of its subcommands as typed, or with its default.
///
/// It has to be the first field of a command's options: clap empties its matches for later fields.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(transparent)]
pub(crate) struct Inputs {
    /// `true` of a flag, a text, or a list of texts, by clap's name of the option.
    given: BTreeMap<String, Value>,
    /// Names of the subcommands, outermost first.
    #[serde(skip)]
    subcommands: Vec<String>,
    /// The option and the path of every file that an option or a position names.
    #[serde(skip)]
    files: Vec<(String, PathBuf)>,
}

impl Inputs {
    /// Names of the subcommands below the command, such as `ledger`, `show`.
    pub(crate) fn subcommands(&self) -> &[String] {
        &self.subcommands
    }

    /// The option, without dashes, and the path of every file that the command reads or writes, as
    /// typed; of a position its name in the help.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.files.iter().map(|(option, path)| (option.as_str(), path.as_path()))
    }

    /// A copy that all processes of a run share: without the options `threads` and `share`.
    pub(crate) fn of_run(&self) -> Self {
        let mut of_run = self.clone();
        for name in OF_PROCESSES {
            of_run.given.remove(name);
        }
        of_run
    }

    /// The options as words of a command line.
    pub(crate) fn words(&self) -> Vec<String> {
        let words = self.given.iter().flat_map(|(name, value)| {
            let long = format!("--{}", name.replace('_', "-"));
            match value {
                Value::String(value) => vec![format!("{long}={value}")],
                Value::Array(values) => {
                    let values = values.iter().filter_map(Value::as_str);
                    values.map(|value| format!("{long}={value}")).collect()
                }
                _ => vec![long],
            }
        });
        words.collect()
    }

    /// The name, without dashes, of the first option that has another value in `other`, or a value
    /// in one of both alone; options of `except` are not compared. `None` if there is no such
    /// option.
    pub(crate) fn difference(&self, other: &Self, except: &[&str]) -> Option<String> {
        let mut names = self.given.keys().chain(other.given.keys());
        let differs = |name: &&String| self.given.get(*name) != other.given.get(*name);
        let found = names.find(|name| !except.contains(&name.as_str()) && differs(name))?;
        Some(found.replace('_', "-"))
    }

    /// The first of `options`, named without dashes, that has a value, typed or by default, and its
    /// value, a list as one text; `None` if none has.
    pub(crate) fn first_of<'a>(
        &self,
        options: impl IntoIterator<Item = &'a str>,
    ) -> Option<(&'a str, String)> {
        options.into_iter().find_map(|option| {
            let value = match self.given.get(&option.replace('-', "_"))? {
                Value::String(value) => value.clone(),
                Value::Array(values) => {
                    let values: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
                    values.join(", ")
                }
                flag => flag.to_string(),
            };
            Some((option, value))
        })
    }

    /// `Err` if any of `options`, named without dashes, has a value; `context` says in the message
    /// where they have no meaning, such as "with --task".
    pub(crate) fn refuse<'a>(
        &self,
        options: impl IntoIterator<Item = &'a str>,
        context: impl Into<String>,
    ) -> Result<(), Refusal> {
        match self.first_of(options) {
            None => Ok(()),
            Some((option, value)) => Err(Refusal::contradiction(option, value, context, LEAVE_OUT)),
        }
    }

    /// Adds the values of a command and of its subcommands, except options that say where the
    /// answer goes, the names of the subcommands, and all files.
    fn gather(&mut self, matches: &ArgMatches) {
        for id in matches.ids() {
            let name = id.as_str();
            if let Ok(Some(paths)) = matches.try_get_many::<PathBuf>(name) {
                let option = name.replace('_', "-");
                self.files.extend(paths.map(|path| (option.clone(), path.clone())));
            }
            if !OF_DELIVERY.contains(&name)
                && let Some(given) = given(matches, name)
            {
                self.given.insert(name.to_owned(), given);
            }
        }
        if let Some((name, below)) = matches.subcommand() {
            self.subcommands.push(name.to_owned());
            self.gather(below);
        }
    }
}

/// The values of one option: `true` for a flag, a text for one value, a list for several. `None`
/// without a value, for a flag that is not set, and for a group of options.
fn given(matches: &ArgMatches, name: &str) -> Option<Value> {
    if let Ok(flag) = matches.try_get_one::<bool>(name) {
        return flag.copied().filter(|is_set| *is_set).map(Value::from);
    }
    if let Ok(Some(_)) = matches.try_get_one::<clap::Id>(name) {
        return None;
    }
    let mut values: Vec<String> = matches.try_get_raw(name).ok()??.map(escaped).collect();
    match values.len() {
        0 | 1 => values.pop().map(Value::from),
        _ => Some(values.into()),
    }
}

impl FromArgMatches for Inputs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut inputs = Self::default();
        inputs.gather(matches);
        Ok(inputs)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.gather(matches);
        Ok(())
    }
}

/// Adds no option: [`Inputs`] reads the options of others.
impl Args for Inputs {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

/// Writes `document` as indented JSON with a line break at the end. Every number except
/// `schema_version` becomes a string with all its digits, as programs that read numbers as floats
/// would lose some.
pub(crate) fn write(mut writer: impl io::Write, document: &impl Serialize) -> io::Result<()> {
    // Each field and each entry of a list has a line of its own; a text ends with a quotation mark.
    for line in serde_json::to_string_pretty(document)?.lines() {
        let (content, comma) = match line.strip_suffix(',') {
            Some(content) => (content, ","),
            None => (line, ""),
        };
        let (name, value) = content.split_at(content.rfind(' ').map_or(0, |space| space + 1));
        let is_number = value.starts_with(|first: char| first == '-' || first.is_ascii_digit())
            && value.ends_with(|last: char| last.is_ascii_digit());
        if is_number && name.trim_start() != "\"schema_version\": " {
            let number = value.strip_suffix(".0").unwrap_or(value).replace("e+", "e");
            writeln!(writer, "{name}\"{number}\"{comma}")?;
        } else {
            writeln!(writer, "{line}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_number_but_the_version_is_a_string_with_all_its_digits() {
        let by_difference = BTreeMap::from([(-3_i128, vec![1_u8, 2])]);
        let texts = ["1", "a, 2", "line 3\n4", "\\\" 5"];
        let floats = [0.1, 2.0, 1e-300, -2.5e40, f64::NAN];
        let document = (u64::MAX, u128::MAX, floats, by_difference, texts);
        let document = BTreeMap::from([("list", document)]);
        let mut bytes = Vec::new();
        let inputs = Inputs::default();
        let document = JsonDocument {
            format: "dp-cli",
            schema_version: Some(3),
            inputs: &inputs,
            answer: document,
        };
        write(&mut bytes, &document).expect("JSON");
        let value: Value = serde_json::from_slice(&bytes).expect("JSON");
        let expected = json!({
            "format": "dp-cli",
            "schema_version": 3,
            "inputs": {},
            "list": [
                "18446744073709551615",
                "340282366920938463463374607431768211455",
                ["0.1", "2", "1e-300", "-2.5e40", null],
                {"-3": ["1", "2"]},
                texts,
            ],
        });
        assert_eq!(value, expected);
        assert!(bytes.starts_with(b"{\n  \"format\": \"dp-cli\",\n"));
    }
}
