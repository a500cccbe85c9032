//! What only the deployer knows: purpose, operators, retention, whom to ask.
//!
//! The document is TOML; [`FIELDS`] lists what it has. Nothing has a default: what is missing is refused, all of it at
//! once.

use dp_exact::{ParameterError, check_line};
use serde::Deserialize;
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

/// A field that has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeploymentField {
    /// Where it stands: `product.name`.
    pub path: &'static str,
    /// What it says, in words.
    pub what: &'static str,
    kind: Kind,
}

/// Which values a field accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Version,
    Text,
    Texts,
    Day,
    Count,
    /// One of the values of the registry.
    OneOf(&'static [&'static str]),
}

const fn field(path: &'static str, kind: Kind, what: &'static str) -> DeploymentField {
    DeploymentField { path, what, kind }
}

const SECTORS: Kind =
    Kind::OneOf(&["Technology", "Healthcare", "Education", "Government", "Energy", "Finance"]);
const SOURCES: Kind = Kind::OneOf(&["Static", "Dynamic"]);
const CURATORS: Kind = Kind::OneOf(&["Government", "Industry", "Nonprofit"]);

/// Every field of a deployment. All are needed; `aggregators` is a list of tables.
#[rustfmt::skip]
pub const FIELDS: &[DeploymentField] = &[
    field("version", Kind::Version, "1"),
    field("product.name", Kind::Text, "what the statistics are called"),
    field("product.description", Kind::Text, "what they show"),
    field("product.purpose", Kind::Text, "what they are for"),
    field("product.collected", Kind::Text, "what a person's device sends, in plain words"),
    field("product.schedule", Kind::Text, "when results are made, and when it ends"),
    field("product.region", Kind::Text, "where the people live"),
    field("product.sector", SECTORS, "Technology, Healthcare, Education, Government, Energy or Finance"),
    field("product.data_source", SOURCES, "Dynamic if new data come in over time, else Static"),
    field("product.first_published", Kind::Day, "YYYY-MM-DD"),
    field("curator.name", Kind::Text, "who publishes the statistics"),
    field("curator.type", CURATORS, "Government, Industry or Nonprofit"),
    field("aggregators.operator", Kind::Text, "who runs the aggregator, of each"),
    field("aggregators.trust", Kind::Text, "why it does not work together with the others, of each"),
    field("collector.operator", Kind::Text, "who receives the results"),
    field("collector.audience", Kind::Text, "to whom the results are shown"),
    field("retention.reports", Kind::Text, "how long the operators keep reports"),
    field("retention.results", Kind::Text, "how long results are kept"),
    field("contact.name", Kind::Text, "whom to ask"),
    field("contact.address", Kind::Text, "where to ask"),
    field("contact.opt_out", Kind::Text, "how to stop taking part"),
    field("choices.tuning", Kind::Text, "whether the data were looked at before the parameters were chosen"),
    field("choices.justification", Kind::Text, "why these parameters"),
    field("choices.post_processing", Kind::Text, "what is done with the results before they are shown"),
    field("record.authors", Kind::Texts, "a list: who wrote the record"),
    field("record.people", Kind::Count, "about how many people take part"),
];

/// A deployment, as its operator describes it. Every text is 1 to 1000 bytes of
/// [printable](dp_exact::is_printable) characters, on one line.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Deployment {
    pub(super) product: Product,
    pub(super) curator: Curator,
    /// One for each aggregator of the task.
    pub(super) aggregators: Vec<Operator>,
    pub(super) collector: Collector,
    pub(super) retention: Retention,
    pub(super) contact: Contact,
    pub(super) choices: Choices,
    pub(super) record: About,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Product {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) purpose: String,
    pub(super) collected: String,
    pub(super) schedule: String,
    pub(super) region: String,
    pub(super) sector: String,
    pub(super) data_source: String,
    pub(super) first_published: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Curator {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Operator {
    pub(super) operator: String,
    pub(super) trust: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Collector {
    pub(super) operator: String,
    pub(super) audience: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Retention {
    pub(super) reports: String,
    pub(super) results: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Contact {
    pub(super) name: String,
    pub(super) address: String,
    pub(super) opt_out: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Choices {
    pub(super) tuning: String,
    pub(super) justification: String,
    pub(super) post_processing: String,
}

/// What the registry asks about the record.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct About {
    pub(super) authors: Vec<String>,
    pub(super) people: u64,
}

impl Deployment {
    /// Reads TOML.
    ///
    /// # Errors
    /// If it is longer than [`MAX_BYTES`], is not TOML, has a field that is unknown or of another kind; and
    /// [`Error::Missing`] with every field that is left out or left empty, in the order of [`FIELDS`].
    pub fn from_toml(document: impl AsRef<[u8]>) -> Result<Self, Error> {
        let mut table = parsed(document.as_ref())?;
        check_names(&table)?;
        let mut missing = Vec::new();
        for field in FIELDS {
            let value = match field.path.split_once('.') {
                Some(("aggregators", "operator")) => {
                    check_aggregators(table.get_mut("aggregators"), &mut missing)?;
                    continue;
                }
                Some(("aggregators", _)) => continue,
                Some((section, name)) => {
                    table.get_mut(section).and_then(|section| section.get_mut(name))
                }
                None => table.get_mut(field.path),
            };
            match value.filter(|value| !is_empty(value)) {
                Some(value) => field.check(field.path, value)?,
                None => missing.push(field.described()),
            }
        }
        if !missing.is_empty() {
            return Err(Error::Missing { fields: missing });
        }
        table.try_into().map_err(Error::syntax)
    }

    /// The error of a deployment that says nothing at all: the list of what is needed.
    #[must_use]
    pub fn nothing_said() -> Error {
        let fields = FIELDS.iter().map(DeploymentField::described).collect();
        Error::Missing { fields }
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
        Error::syntax(format!("line {line}: {}", error.message()))
    })
}

/// Refuses names that are no field's, in every section.
fn check_names(document: &Table) -> Result<(), Error> {
    let all = FIELDS.iter().map(|field| match field.path.split_once('.') {
        Some((section, name)) => (section, Some(name)),
        None => (field.path, None),
    });
    for (section, value) in document {
        if !all.clone().any(|(known, _)| known == section) {
            return Err(unknown(section, all.map(|(known, _)| known).collect()));
        }
        let own = all.clone().filter(|(known, _)| known == section);
        let own: Vec<&str> = own.filter_map(|(_, name)| name).collect();
        let tables: Vec<&Table> = match value {
            _ if own.is_empty() => continue,
            Value::Table(table) if section != "aggregators" => vec![table],
            Value::Array(tables) if section == "aggregators" => {
                tables.iter().filter_map(Value::as_table).collect()
            }
            other if section == "aggregators" => {
                return Err(refused(section, other, "a list of tables, [[aggregators]]"));
            }
            other => return Err(refused(section, other, format!("a table, [{section}]"))),
        };
        for name in tables.into_iter().flat_map(Table::keys) {
            if !own.contains(&name.as_str()) {
                return Err(unknown(&format!("{section}.{name}"), own));
            }
        }
    }
    Ok(())
}

fn check_aggregators(value: Option<&mut Value>, missing: &mut Vec<String>) -> Result<(), Error> {
    let own =
        FIELDS.iter().filter_map(|field| Some((field, field.path.strip_prefix("aggregators.")?)));
    let tables = match value {
        None => {
            missing.extend(own.map(|(field, _)| field.described()));
            return Ok(());
        }
        Some(Value::Array(tables)) if (1..=MOST).contains(&tables.len()) => tables,
        Some(other) => {
            let accepted = format!("a list of 1 to {MOST} tables, [[aggregators]]");
            return Err(refused("aggregators", other, accepted));
        }
    };
    for (place, table) in tables.iter_mut().enumerate() {
        for (field, name) in own.clone() {
            let path = format!("aggregators[{place}].{name}");
            match table.get_mut(name).filter(|value| !is_empty(value)) {
                Some(value) => field.check(&path, value)?,
                None => missing.push(path),
            }
        }
    }
    Ok(())
}

impl DeploymentField {
    /// The path with what it says.
    fn described(&self) -> String {
        format!("{} ({})", self.path, self.what)
    }

    /// Refuses a value that the field at `path` does not accept. Texts are trimmed, and a day becomes a text.
    fn check(&self, path: &str, value: &mut Value) -> Result<(), Error> {
        let accepted = match self.kind {
            Kind::Version => "1".to_owned(),
            Kind::Text => return trim(path, value),
            Kind::Texts => format!("a list of 1 to {MOST} texts"),
            Kind::Day => "a day, as YYYY-MM-DD".to_owned(),
            Kind::Count => format!("an integer from 1 to {MOST_PEOPLE}"),
            Kind::OneOf(names) => names.join(", "),
        };
        match (self.kind, &mut *value) {
            (Kind::Version, Value::Integer(1)) => Ok(()),
            (Kind::Count, Value::Integer(1..=MOST_PEOPLE)) => Ok(()),
            (Kind::OneOf(names), Value::String(text)) if names.contains(&text.as_str()) => Ok(()),
            (Kind::Texts, Value::Array(texts)) if (1..=MOST).contains(&texts.len()) => {
                texts.iter_mut().try_for_each(|text| trim(path, text))
            }
            (Kind::Day, Value::String(_) | Value::Datetime(_)) => {
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

/// Whether nothing is filled in: a text has no characters, a list no other texts than such.
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

/// A deployment in TOML in which every field is empty, below a comment that says what it is, with so many aggregators.
///
/// It is refused until every field is filled in.
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
