//! JSON documents of answers: the first fields, the echo of the options, and the format of numbers.
//! `docs/json.md` describes the documents for people, `schema/dp-cli.json` for programs.

use std::collections::BTreeMap;
use std::io;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use dp_exact::escaped;
use serde::{Deserialize, Serialize};
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

/// Options that say where the answer goes; documents do not echo them.
const OF_DELIVERY: [&str; 6] = ["json", "html", "markdown", "csv", "certificate", "force"];

/// Options that say how a run is computed; they do not change the answer.
const OF_PROCESSES: [&str; 4] = ["threads", "checkpoints", "resume", "range"];

/// A document: its format and version, the options, and the fields of the answer.
#[derive(Debug, Serialize)]
pub(crate) struct JsonDocument<'a, A> {
    /// Name of the program and the command, such as `dp-cli plan`.
    pub(crate) format: &'a str,
    /// Grows when a field is removed or changes its meaning.
    pub(crate) schema_version: u32,
    /// The options as they were typed.
    pub(crate) inputs: &'a Inputs,
    /// The fields of the answer.
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
pub struct Inputs {
    /// Values by clap's name of the option.
    given: BTreeMap<String, Given>,
    /// Names of the subcommands, outermost first.
    #[serde(skip)]
    subcommands: Vec<String>,
}

/// The values of one option: a set flag, one value, or several.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
enum Given {
    Flag(bool),
    Once(String),
    Often(Vec<String>),
}

impl Inputs {
    /// Names of the subcommands below the command, such as `ledger`, `show`.
    pub(crate) fn subcommands(&self) -> &[String] {
        &self.subcommands
    }

    /// A copy that all processes of a run share: with this seed, without [`OF_PROCESSES`].
    pub(crate) fn of_run(&self, seed: u64) -> Self {
        let mut of_run = self.clone();
        for name in OF_PROCESSES {
            of_run.given.remove(name);
        }
        let seed = Given::Once(seed.to_string());
        of_run.given.insert("seed".to_owned(), seed);
        of_run
    }

    /// The first of `options`, named with dashes, that has a value, and the value; `None` if none.
    pub(crate) fn first_of<'a>(
        &self,
        options: impl IntoIterator<Item = &'a str>,
    ) -> Option<(&'a str, String)> {
        options.into_iter().find_map(|option| {
            let value = match self.given.get(&option.replace('-', "_"))? {
                Given::Flag(flag) => flag.to_string(),
                Given::Once(value) => value.clone(),
                Given::Often(values) => values.join(", "),
            };
            Some((option, value))
        })
    }

    /// Adds the values of a command and of its subcommands, except [`OF_DELIVERY`].
    fn gather(&mut self, matches: &ArgMatches) {
        for id in matches.ids() {
            let name = id.as_str();
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

/// The values of one option; `None` for a flag that is not set and for a group of options.
fn given(matches: &ArgMatches, name: &str) -> Option<Given> {
    if let Ok(flag) = matches.try_get_one::<bool>(name) {
        return flag.copied().filter(|is_set| *is_set).map(Given::Flag);
    }
    if let Ok(Some(_)) = matches.try_get_one::<clap::Id>(name) {
        return None;
    }
    let mut values: Vec<String> = matches.try_get_raw(name).ok()??.map(escaped).collect();
    match values.len() {
        0 => None,
        1 => values.pop().map(Given::Once),
        _ => Some(Given::Often(values)),
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

/// Writes `document` as indented JSON with a line break at the end.
pub(crate) fn write(mut writer: impl io::Write, document: &impl Serialize) -> io::Result<()> {
    document.serialize(&mut Serializer::with_formatter(&mut writer, Strings::new()))?;
    writer.write_all(b"\n")
}

/// JSON formatter that writes every number except `schema_version` as a string: programs that read
/// numbers as floats would lose digits.
struct Strings {
    pretty: PrettyFormatter<'static>,
    /// The name of the current field, in bytes.
    key: Vec<u8>,
    /// Whether a field's name is being written.
    is_key: bool,
}

impl Strings {
    fn new() -> Self {
        Self { pretty: PrettyFormatter::new(), key: Vec::new(), is_key: false }
    }

    /// Writes the digits of a number: bare for `schema_version` and in names of fields, else in
    /// quotes. `2.0` becomes `2`, `1e+40` becomes `1e40`.
    fn number<W: io::Write + ?Sized>(&self, writer: &mut W, number: &str) -> io::Result<()> {
        if !self.is_key && self.key == b"schema_version" {
            return writer.write_all(number.as_bytes());
        }
        let number = number.strip_suffix(".0").unwrap_or(number);
        let number = number.replace("e+", "e");
        if self.is_key {
            return writer.write_all(number.as_bytes());
        }
        write!(writer, "\"{number}\"")
    }
}

/// Methods that write numbers of these types through [`Strings::number`].
macro_rules! as_strings {
    ($($method:ident: $number:ty),* $(,)?) => {
        $(fn $method<W: io::Write + ?Sized>(&mut self, writer: &mut W, value: $number) -> io::Result<()> {
            let mut number = Vec::new();
            self.pretty.$method(&mut number, value)?;
            self.number(writer, &String::from_utf8_lossy(&number))
        })*
    };
}

/// Methods that call the pretty formatter.
macro_rules! as_ever {
    ($($method:ident($($argument:ident: $kind:ty)?)),* $(,)?) => {
        $(fn $method<W: io::Write + ?Sized>(&mut self, writer: &mut W $(, $argument: $kind)?) -> io::Result<()> {
            self.pretty.$method(writer $(, $argument)?)
        })*
    };
}

impl Formatter for Strings {
    as_strings! {
        write_i8: i8, write_i16: i16, write_i32: i32, write_i64: i64, write_i128: i128,
        write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64, write_u128: u128,
        write_f32: f32, write_f64: f64,
    }

    as_ever! {
        begin_array(), end_array(), begin_array_value(first: bool), end_array_value(),
        begin_object(), end_object(), begin_object_value(),
    }

    fn end_object_value<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.key.clear();
        self.pretty.end_object_value(writer)
    }

    fn begin_object_key<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.key.clear();
        self.is_key = true;
        self.pretty.begin_object_key(writer, first)
    }

    fn end_object_key<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.is_key = false;
        self.pretty.end_object_key(writer)
    }

    fn write_string_fragment<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if self.is_key {
            self.key.extend_from_slice(fragment.as_bytes());
        }
        self.pretty.write_string_fragment(writer, fragment)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn every_number_but_the_version_is_a_string_with_all_its_digits() {
        let by_difference = BTreeMap::from([(-3_i128, vec![1_u8, 2])]);
        let document = (u64::MAX, u128::MAX, [0.1, 2.0, 1e-300, -2.5e40, f64::NAN], by_difference);
        let document = BTreeMap::from([("list", document)]);
        let mut bytes = Vec::new();
        let inputs = Inputs::default();
        let document =
            JsonDocument { format: "dp-cli", schema_version: 3, inputs: &inputs, answer: document };
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
            ],
        });
        assert_eq!(value, expected);
        assert!(bytes.starts_with(b"{\n  \"format\": \"dp-cli\",\n"));
    }
}
