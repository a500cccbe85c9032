//! Facts that only the deployer knows, as TOML with the fields of the [`template`]. No field has a
//! default: one error names all that are missing.

use std::collections::BTreeMap;

use dp_calibration::check_line;
use dp_exact::ParameterError;
use toml::value::Datetime;
use toml::{Table, Value};

use super::Error;

/// The longest document that is read, in bytes: 64 KiB.
pub const MAX_BYTES: usize = 1 << 16;

const LONGEST: usize = 1000;

/// The most aggregators, and authors of a record.
const MOST: usize = 254;

const MOST_PEOPLE: i64 = 100_000_000_000;

/// The document with one aggregator and with every field empty.
const TEMPLATE: &str = include_str!("template.toml");

/// Fields of the registry, and all values that each accepts.
const CHOICES: [(&str, &[&str]); 3] = [
    (
        "product.sector",
        &["Technology", "Healthcare", "Education", "Government", "Energy", "Finance"],
    ),
    ("product.data_source", &["Static", "Dynamic"]),
    ("curator.type", &["Government", "Industry", "Nonprofit"]),
];

/// A deployment, as its operator describes it: a value for each field of the [`template`]. Every
/// text is 1 to 1000 bytes of [printable](dp_calibration::is_printable) characters, on one line.
#[derive(Clone, Debug, PartialEq)]
pub struct Deployment {
    fields: Value,
}

impl Deployment {
    /// Reads TOML.
    ///
    /// # Errors
    /// If the document is longer than [`MAX_BYTES`], is not TOML, or has an unknown field or a
    /// value that is not accepted; and [`Error::Missing`] with every field that is left out or left
    /// empty.
    pub fn from_toml(document: impl AsRef<[u8]>) -> Result<Self, Error> {
        let bytes = document.as_ref();
        if bytes.len() > MAX_BYTES {
            return Err(Error::TooLong);
        }
        let text = str::from_utf8(bytes).map_err(Error::syntax)?;
        let fields: Table = text.parse().map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map(|before| before.matches('\n').count() + 1);
            let line = line.map_or(String::new(), |line| format!("line {line}: "));
            Error::syntax(line + error.message())
        })?;
        let (mut fields, mut missing) = (Value::Table(fields), Vec::new());
        check_fields("", &form(), Some(&mut fields), &mut missing)?;
        match missing.is_empty() {
            true => Ok(Self { fields }),
            false => Err(Error::Missing { fields: missing }),
        }
    }

    /// The value of the field `path`, such as `product.name`, which has a point.
    pub(super) fn value(&self, path: &str) -> &Value {
        let (section, name) = path.split_once('.').expect("a section and a name");
        &self.fields[section][name]
    }

    /// The text of the field `path`, which is one of text.
    pub(super) fn text(&self, path: &str) -> &str {
        text(self.value(path))
    }

    /// About how many people take part.
    pub(super) fn people(&self) -> u64 {
        let people = self.value("record.people").as_integer();
        let people = people.and_then(|people| u64::try_from(people).ok());
        people.expect("a number of people, as the deployment was checked")
    }

    /// The operator of each aggregator, and why it does not work together with the others.
    pub(super) fn aggregators(&self) -> impl Iterator<Item = (&str, &str)> + Clone {
        let tables = self.fields["aggregators"].as_array().into_iter().flatten();
        tables.map(|table| (text(&table["operator"]), text(&table["trust"])))
    }
}

/// The fields of the template.
fn form() -> Value {
    Value::Table(TEMPLATE.parse().expect("the template is TOML"))
}

/// The place of a table's head in the template.
fn place_of(head: &str) -> usize {
    TEMPLATE.find(head).expect("a table of the template")
}

/// The text of a field that the form says is one of text.
fn text(value: &Value) -> &str {
    value.as_str().expect("a text, as the deployment was checked")
}

/// Checks names and values of `found` against the form at `path`: a table, a list of tables that
/// are all like its first one, or an empty field. Adds the paths of absent or empty fields to
/// `missing`; `Err` for an unknown name or a value that is not accepted.
fn check_fields(
    path: &str,
    form: &Value,
    found: Option<&mut Value>,
    missing: &mut Vec<String>,
) -> Result<(), Error> {
    match (form, found) {
        (Value::Table(form), Some(Value::Table(found))) => {
            let at = |name: &str| match path {
                "" => name.to_owned(),
                path => format!("{path}.{name}"),
            };
            // Messages name the fields in alphabetical order.
            let form: BTreeMap<_, _> = form.iter().collect();
            if let Some(name) = found.keys().filter(|name| !form.contains_key(name)).min() {
                let known: Vec<&str> = form.keys().map(|name| name.as_str()).collect();
                let accepted = format!("one of the fields {}", known.join(", "));
                return Err(ParameterError::new(at(name), "unknown", accepted).into());
            }
            let mut fields = form.into_iter();
            fields.try_for_each(|(name, form)| {
                check_fields(&at(name), form, found.get_mut(name), missing)
            })
        }
        (Value::Table(_), None) => {
            check_fields(path, form, Some(&mut Value::Table(Table::new())), missing)
        }
        (Value::Table(_), Some(other)) => Err(refused(path, other, format!("a table, [{path}]"))),
        (Value::Array(form), None) => check_fields(path, &form[0], None, missing),
        (Value::Array(form), Some(Value::Array(tables)))
            if (1..=MOST).contains(&tables.len()) && tables.iter().all(Value::is_table) =>
        {
            let mut tables = tables.iter_mut().enumerate();
            tables.try_for_each(|(place, table)| {
                check_fields(&format!("{path}[{place}]"), &form[0], Some(table), missing)
            })
        }
        (Value::Array(_), Some(other)) => {
            Err(refused(path, other, format!("a list of 1 to {MOST} tables, [[{path}]]")))
        }
        (_, Some(value)) if value.as_str() != Some("") => check(path, value),
        _ => {
            missing.push(path.to_owned());
            Ok(())
        }
    }
}

/// Checks the value of the field at `path`; trims texts, and writes a day as a text. `Err` for a
/// value that the field does not accept.
fn check(path: &str, value: &mut Value) -> Result<(), Error> {
    let choice = CHOICES.iter().find(|(known, _)| *known == path);
    let (is_accepted, accepted) = match (path, &mut *value) {
        ("version", value) => (*value == Value::Integer(1), "1".to_owned()),
        ("record.people", value) => {
            // Between the quotes of the form, too.
            if let Some(people) = value.as_str().and_then(|text| text.trim().parse().ok()) {
                *value = Value::Integer(people);
            }
            (
                value.as_integer().is_some_and(|people| (1..=MOST_PEOPLE).contains(&people)),
                format!("an integer from 1 to {MOST_PEOPLE}"),
            )
        }
        ("product.first_published", value) => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let day = text.parse::<Datetime>();
            let is_day = day.is_ok_and(|day| day.date.is_some() && day.time.is_none());
            if is_day {
                *value = Value::String(text);
            }
            (is_day, "a day, as YYYY-MM-DD".to_owned())
        }
        ("record.authors", Value::Array(texts)) if (1..=MOST).contains(&texts.len()) => {
            return texts.iter_mut().try_for_each(|text| trim(path, text));
        }
        // One author, between the quotes of the form.
        ("record.authors", value @ Value::String(_)) => {
            trim(path, value)?;
            *value = Value::Array(vec![value.clone()]);
            return Ok(());
        }
        ("record.authors", _) => (false, format!("a text, or a list of 1 to {MOST} texts")),
        (_, value) => match choice {
            Some((_, names)) => {
                (value.as_str().is_some_and(|text| names.contains(&text)), names.join(", "))
            }
            None => return trim(path, value),
        },
    };
    if is_accepted { Ok(()) } else { Err(refused(path, value, accepted)) }
}

/// Trims a text; `Err` unless it is one line of 1 to 1000 printable bytes.
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

/// The error of a value of the field at `path`, with what is accepted.
fn refused(path: &str, value: &Value, accepted: impl Into<String>) -> Error {
    ParameterError::new(path.to_owned(), value, accepted.into()).into()
}

/// A deployment in TOML with every field empty, below a comment with its meaning. It is refused
/// until all are filled in.
///
/// ```
/// use dp_report::statement::{Deployment, template};
///
/// let refused = Deployment::from_toml(template(2)).unwrap_err().to_string();
/// assert!(refused.starts_with("the deployment leaves out aggregators[0].operator, "));
/// ```
#[must_use]
pub fn template(aggregators: usize) -> String {
    let (begin, end) = (place_of("[[aggregators]]"), place_of("[collector]"));
    let (before, after) = (&TEMPLATE[..begin], &TEMPLATE[end..]);
    format!("{before}{}{after}", TEMPLATE[begin..end].repeat(aggregators))
}
