//! Facts that only the deployer knows: purpose, operators, retention, contact.
//!
//! The document is TOML with the fields of [`FIELDS`]. No field has a default: one error names all that are missing.

use std::collections::BTreeSet;

use dp_exact::{ParameterError, check_line};
use toml::{Table, Value};

use super::Error;

/// The longest document that is read, in bytes: 64 KiB.
pub const MAX_BYTES: usize = 1 << 16;

/// The longest text of a field, in bytes.
const LONGEST: usize = 1000;

/// The most aggregators, and authors of a record.
const MOST: usize = 254;

/// The most people who take part.
const MOST_PEOPLE: i64 = 100_000_000_000;

/// A field of a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeploymentField {
    /// Its path, such as `product.name`.
    pub path: &'static str,
    /// Its meaning, in words.
    pub what: &'static str,
    kind: ValueKind,
}

/// The values that a field accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueKind {
    Version,
    Text,
    Texts,
    Day,
    Count,
    /// A value of the registry.
    OneOf(&'static [&'static str]),
}

const fn field(path: &'static str, kind: ValueKind, what: &'static str) -> DeploymentField {
    DeploymentField { path, what, kind }
}

const SECTORS: ValueKind =
    ValueKind::OneOf(&["Technology", "Healthcare", "Education", "Government", "Energy", "Finance"]);
const SOURCES: ValueKind = ValueKind::OneOf(&["Static", "Dynamic"]);
const CURATORS: ValueKind = ValueKind::OneOf(&["Government", "Industry", "Nonprofit"]);

/// Every field of a deployment. All are required; `aggregators` is a list of tables.
#[rustfmt::skip]
pub const FIELDS: &[DeploymentField] = &[
    field("version", ValueKind::Version, "1"),
    field("product.name", ValueKind::Text, "what the statistics are called"),
    field("product.description", ValueKind::Text, "what they show"),
    field("product.purpose", ValueKind::Text, "what they are for"),
    field("product.collected", ValueKind::Text, "what a person's device sends, in plain words"),
    field("product.schedule", ValueKind::Text, "when results are made, and when it ends"),
    field("product.region", ValueKind::Text, "where the people live"),
    field("product.sector", SECTORS, "Technology, Healthcare, Education, Government, Energy or Finance"),
    field("product.data_source", SOURCES, "Dynamic if new data come in over time, else Static"),
    field("product.first_published", ValueKind::Day, "YYYY-MM-DD"),
    field("curator.name", ValueKind::Text, "who publishes the statistics"),
    field("curator.type", CURATORS, "Government, Industry or Nonprofit"),
    field("aggregators.operator", ValueKind::Text, "who runs the aggregator, of each"),
    field("aggregators.trust", ValueKind::Text, "why it does not work together with the others, of each"),
    field("collector.operator", ValueKind::Text, "who receives the results"),
    field("collector.audience", ValueKind::Text, "to whom the results are shown"),
    field("retention.reports", ValueKind::Text, "how long the operators keep reports"),
    field("retention.results", ValueKind::Text, "how long results are kept"),
    field("contact.name", ValueKind::Text, "whom to ask"),
    field("contact.address", ValueKind::Text, "where to ask"),
    field("contact.opt_out", ValueKind::Text, "how to stop taking part"),
    field("choices.tuning", ValueKind::Text, "whether the data were looked at before the parameters were chosen"),
    field("choices.justification", ValueKind::Text, "why these parameters"),
    field("choices.post_processing", ValueKind::Text, "what is done with the results before they are shown"),
    field("record.authors", ValueKind::Texts, "a list: who wrote the record"),
    field("record.people", ValueKind::Count, "about how many people take part"),
];

/// A deployment, as its operator describes it: a value for each of [`FIELDS`]. Every text is 1 to 1000 bytes of
/// [printable](dp_exact::is_printable) characters, on one line.
#[derive(Clone, Debug, PartialEq)]
pub struct Deployment {
    fields: Table,
}

impl Deployment {
    /// Reads TOML.
    ///
    /// # Errors
    /// If the document is longer than [`MAX_BYTES`], is not TOML, or has an unknown field or a value that is not accepted;
    /// and [`Error::Missing`] with every field that is left out or left empty, in the order of [`FIELDS`].
    pub fn from_toml(document: impl AsRef<[u8]>) -> Result<Self, Error> {
        let mut fields = parsed(document.as_ref())?;
        let mut present = BTreeSet::new();
        for (section, value) in &mut fields {
            check_section(section, value, &mut present)?;
        }
        let aggregators = fields.get("aggregators").and_then(Value::as_array).map_or(0, Vec::len);
        let mut missing = Vec::new();
        for field in FIELDS {
            match field.path {
                "aggregators.operator" if aggregators > 0 => {
                    let places = (0..aggregators).flat_map(|place| {
                        ["operator", "trust"].map(|name| format!("aggregators[{place}].{name}"))
                    });
                    missing.extend(places.filter(|path| !present.contains(path)));
                }
                "aggregators.trust" if aggregators > 0 => {}
                path if !present.contains(path) => missing.push(field.described()),
                _ => {}
            }
        }
        match missing.is_empty() {
            true => Ok(Self { fields }),
            false => Err(Error::Missing { fields: missing }),
        }
    }

    /// The error of an empty deployment: the list of all fields.
    #[must_use]
    pub fn nothing_said() -> Error {
        Error::Missing { fields: FIELDS.iter().map(DeploymentField::described).collect() }
    }

    fn value(&self, path: &str) -> Option<&Value> {
        let (section, name) = path.split_once('.')?;
        self.fields.get(section)?.get(name)
    }

    /// The text of the field `path`, such as `product.name`.
    pub(super) fn text(&self, path: &str) -> &str {
        self.value(path).and_then(Value::as_str).unwrap_or_default()
    }

    /// The operator of each aggregator, and why it does not work together with the others.
    pub(super) fn aggregators(&self) -> impl Iterator<Item = (&str, &str)> + Clone {
        let tables = self.fields.get("aggregators").and_then(Value::as_array);
        let text =
            |table, name| Value::get(table, name).and_then(Value::as_str).unwrap_or_default();
        tables
            .into_iter()
            .flatten()
            .map(move |table| (text(table, "operator"), text(table, "trust")))
    }

    /// The authors of the record.
    pub(super) fn authors(&self) -> impl Iterator<Item = &str> {
        let authors = self.value("record.authors").and_then(Value::as_array);
        authors.into_iter().flatten().filter_map(Value::as_str)
    }

    /// The number of people who take part, about.
    pub(super) fn people(&self) -> u64 {
        let people = self.value("record.people").and_then(Value::as_integer);
        people.and_then(|people| people.try_into().ok()).unwrap_or_default()
    }
}

fn parsed(bytes: &[u8]) -> Result<Table, Error> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::TooLong { max: MAX_BYTES });
    }
    let text = str::from_utf8(bytes).map_err(Error::syntax)?;
    text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        let typed = text.lines().nth(line - 1).unwrap_or_default();
        let syntax = || Error::syntax(format!("line {line}: {}", error.message()));
        long_integer(typed, error.message()).unwrap_or_else(syntax)
    })
}

/// The refusal of an integer of more than 64 bits, which the parser does not read: of the field in the line `typed`.
/// `None` if `message`, of the parser, says something else.
fn long_integer(typed: &str, message: &str) -> Option<Error> {
    let integer = message.strip_prefix("invalid type: integer `")?.split('`').next()?;
    let (name, _) = typed.split_once('=')?;
    let mut counts = FIELDS.iter().filter(|field| field.kind == ValueKind::Count);
    let field = counts.find(|field| field.path.rsplit('.').next() == Some(name.trim()))?;
    Some(ParameterError::new(field.path, integer, accepted_people()).into())
}

/// The accepted numbers of people, in words.
fn accepted_people() -> String {
    format!("an integer from 1 to {MOST_PEOPLE}")
}

/// Checks the names and values at the top of a document and in its sections. Adds the paths of
/// fields that are not empty to `present`.
fn check_section(
    section: &str,
    value: &mut Value,
    present: &mut BTreeSet<String>,
) -> Result<(), Error> {
    if let Some(field) = FIELDS.iter().find(|field| field.path == section) {
        present.insert(section.to_owned());
        return field.check(section, value);
    }
    let own = FIELDS.iter().filter_map(|field| {
        let (known, name) = field.path.split_once('.')?;
        (known == section).then_some((name, field))
    });
    let own: Vec<(&str, &DeploymentField)> = own.collect();
    let tables: Vec<(String, &mut Table)> = match value {
        _ if own.is_empty() => {
            let sections = FIELDS.iter().filter_map(|field| field.path.split('.').next());
            return Err(unknown(section, sections.collect()));
        }
        Value::Array(tables) if section == "aggregators" && (1..=MOST).contains(&tables.len()) => {
            let tables = tables.iter_mut().enumerate();
            let tables = tables.filter_map(|(place, table)| {
                Some((format!("{section}[{place}]"), table.as_table_mut()?))
            });
            tables.collect()
        }
        Value::Table(table) if section != "aggregators" => vec![(section.to_owned(), table)],
        other if section == "aggregators" => {
            let accepted = format!("a list of 1 to {MOST} tables, [[aggregators]]");
            return Err(refused(section, other, accepted));
        }
        other => return Err(refused(section, other, format!("a table, [{section}]"))),
    };
    for (prefix, table) in tables {
        for (name, value) in table {
            let path = format!("{prefix}.{name}");
            let Some((_, field)) = own.iter().find(|(known, _)| known == name) else {
                return Err(unknown(&path, own.iter().map(|(name, _)| *name).collect()));
            };
            if !is_empty(value) {
                field.check(&path, value)?;
                present.insert(path);
            }
        }
    }
    Ok(())
}

impl DeploymentField {
    /// The path with the meaning.
    fn described(&self) -> String {
        format!("{} ({})", self.path, self.what)
    }

    /// Refuses a value that the field at `path` does not accept. Texts are trimmed, and a day becomes a text.
    fn check(&self, path: &str, value: &mut Value) -> Result<(), Error> {
        let accepted = match self.kind {
            ValueKind::Version => "1".to_owned(),
            ValueKind::Text => return trim(path, value),
            ValueKind::Texts => format!("a list of 1 to {MOST} texts"),
            ValueKind::Day => "a day, as YYYY-MM-DD".to_owned(),
            ValueKind::Count => accepted_people(),
            ValueKind::OneOf(names) => names.join(", "),
        };
        match (self.kind, &mut *value) {
            (ValueKind::Version, Value::Integer(1)) => Ok(()),
            (ValueKind::Count, Value::Integer(1..=MOST_PEOPLE)) => Ok(()),
            (ValueKind::OneOf(names), Value::String(text)) if names.contains(&text.as_str()) => {
                Ok(())
            }
            (ValueKind::Texts, Value::Array(texts)) if (1..=MOST).contains(&texts.len()) => {
                texts.iter_mut().try_for_each(|text| trim(path, text))
            }
            (ValueKind::Day, Value::String(_) | Value::Datetime(_)) => {
                let text = match &*value {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                match text.parse::<toml::value::Datetime>() {
                    Ok(date) if date.date.is_some() && date.time.is_none() => {
                        *value = Value::String(text);
                        Ok(())
                    }
                    _ => Err(refused(path, value, accepted)),
                }
            }
            _ => Err(refused(path, value, accepted)),
        }
    }
}

/// Whether a text is empty, or a list has only empty texts.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Array(entries) => !entries.is_empty() && entries.iter().all(is_empty),
        _ => false,
    }
}

fn trim(path: &str, value: &mut Value) -> Result<(), Error> {
    let accepted = format!("1 to {LONGEST} bytes of printable characters, on one line");
    let Value::String(text) = value else {
        return Err(refused(path, value, accepted));
    };
    check_line(path, text, LONGEST)
        .map_err(|_| ParameterError::new(path.to_owned(), &*text, accepted))?;
    *text = text.trim().to_owned();
    Ok(())
}

fn unknown(path: &str, mut known: Vec<&str>) -> Error {
    known.dedup();
    let accepted = format!("one of the fields {}", known.join(", "));
    ParameterError::new(path.to_owned(), "unknown", accepted).into()
}

fn refused(path: &str, value: &Value, accepted: impl Into<String>) -> Error {
    ParameterError::new(path.to_owned(), value, accepted.into()).into()
}

/// A deployment in TOML with every field empty, below a comment with its meaning. It is refused until all are filled in.
///
/// ```
/// use dp_report::statement::{Deployment, template};
///
/// let refused = Deployment::from_toml(template(2)).unwrap_err().to_string();
/// assert!(refused.starts_with("the deployment leaves out product.name (what the statistics are called)"));
/// ```
#[must_use]
pub fn template(aggregators: usize) -> String {
    let mut text = String::from(
        "# A deployment to fill in: write between the quotes. It is refused until no field is empty.\n",
    );
    let mut above = "";
    for field in FIELDS {
        let Some((section, name)) = field.path.split_once('.') else {
            text += &format!("{} = {}\n", field.path, field.what);
            continue;
        };
        let line = format!("# {}\n{name} = \"\"\n", field.what.trim_end_matches(", of each"));
        match section == above {
            true => text += &line,
            false if section == "aggregators" => text += &format!("\n[[{section}]]\n{line}"),
            false => text += &format!("\n[{section}]\n{line}"),
        }
        above = section;
    }
    // The one table of an aggregator, for each of them.
    let begin = text.find("\n[[aggregators]]").unwrap_or_default();
    let end = text.find("\n[collector]").unwrap_or_default();
    let table = text[begin..end].repeat(aggregators);
    text.replace_range(begin..end, &table);
    text
}
