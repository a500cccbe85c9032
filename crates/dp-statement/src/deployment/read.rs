//! From bytes to typed fields: sizes first, then syntax, then names, then values.

use dp_exact::{ParameterError, check_line};
use toml::{Table, Value};

use super::fields::FIELDS;
use super::{MAX_BYTES, Operator};
use crate::Error;

/// The longest text of a field, in bytes.
const LONGEST: usize = 1000;

/// The most aggregators, and authors of a record.
const MOST: usize = 254;

/// A document of which every name is known; what is missing is gathered.
#[derive(Debug)]
pub(super) struct Reader {
    document: Table,
    missing: Vec<String>,
}

impl Reader {
    pub(super) fn new(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() > MAX_BYTES {
            return Err(Error::TooLong { max: MAX_BYTES });
        }
        let text = str::from_utf8(bytes).map_err(Error::syntax)?;
        let document: Table = text.parse().map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(1, |before| before.matches('\n').count() + 1);
            Error::syntax(format!("line {line}: {}", error.message()))
        })?;
        check_names(&document)?;
        Ok(Self {
            document,
            missing: Vec::new(),
        })
    }

    /// Refuses a document that leaves something out.
    pub(super) fn finish(self) -> Result<(), Error> {
        if self.missing.is_empty() {
            return Ok(());
        }
        Err(Error::Missing {
            fields: self.missing,
        })
    }

    /// The value at a path, or a note that it is missing, as an empty one is.
    fn value(&mut self, path: &str) -> Option<Value> {
        let found = match path.split_once('.') {
            None => self.document.get(path),
            Some((section, name)) => {
                let section = self.document.get(section).and_then(Value::as_table);
                section.and_then(|section| section.get(name))
            }
        };
        let found = found.filter(|value| !is_empty(value));
        if found.is_none() {
            let field = FIELDS.iter().find(|field| field.path == path);
            let described = field.map_or_else(|| path.to_owned(), |field| field.described());
            self.missing.push(described);
        }
        found.cloned()
    }

    pub(super) fn version(&mut self) -> Result<(), Error> {
        match self.value("version") {
            None | Some(Value::Integer(1)) => Ok(()),
            Some(other) => Err(ParameterError::new("version", other, "1").into()),
        }
    }

    pub(super) fn text(&mut self, path: &str) -> Result<String, Error> {
        let value = self.value(path);
        value.map_or_else(|| Ok(String::new()), |value| text(path, &value))
    }

    pub(super) fn texts(&mut self, path: &str) -> Result<Vec<String>, Error> {
        let accepted = format!("a list of 1 to {MOST} texts");
        match self.value(path) {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) if (1..=MOST).contains(&values.len()) => {
                values.iter().map(|value| text(path, value)).collect()
            }
            Some(other) => Err(refused(path, &other, &accepted)),
        }
    }

    pub(super) fn one_of(&mut self, path: &str, accepted: &[&str]) -> Result<String, Error> {
        match self.value(path) {
            None => Ok(String::new()),
            Some(Value::String(text)) if accepted.contains(&text.as_str()) => Ok(text),
            Some(other) => Err(refused(path, &other, &accepted.join(", "))),
        }
    }

    /// A day: text, or a date of TOML.
    pub(super) fn date(&mut self, path: &str) -> Result<String, Error> {
        let Some(value) = self.value(path) else {
            return Ok(String::new());
        };
        let text = match &value {
            Value::String(text) => text.clone(),
            Value::Datetime(date) => date.to_string(),
            _ => String::new(),
        };
        let date = text.parse::<toml::value::Datetime>();
        let is_day = date.is_ok_and(|date| date.date.is_some() && date.time.is_none());
        if is_day {
            return Ok(text);
        }
        Err(refused(path, &value, "a day, as YYYY-MM-DD"))
    }

    pub(super) fn count(&mut self, path: &str) -> Result<u64, Error> {
        let Some(value) = self.value(path) else {
            return Ok(0);
        };
        let count = value
            .as_integer()
            .and_then(|count| u64::try_from(count).ok());
        match count {
            Some(count) if (1..=100_000_000_000).contains(&count) => Ok(count),
            _ => Err(refused(path, &value, "an integer from 1 to 100000000000")),
        }
    }

    pub(super) fn operators(&mut self) -> Result<Vec<Operator>, Error> {
        let accepted = format!("a list of 1 to {MOST} tables, [[aggregators]]");
        let tables = match self.document.get("aggregators") {
            None => {
                let fields = FIELDS.iter();
                let own = fields.filter(|field| field.path.starts_with("aggregators."));
                self.missing.extend(own.map(|field| field.described()));
                return Ok(Vec::new());
            }
            Some(Value::Array(tables)) if (1..=MOST).contains(&tables.len()) => tables.clone(),
            Some(other) => return Err(refused("aggregators", other, &accepted)),
        };
        let mut operators = Vec::with_capacity(tables.len());
        for (place, table) in tables.iter().enumerate() {
            operators.push(Operator {
                operator: self.of_operator(place, table, "operator")?,
                trust: self.of_operator(place, table, "trust")?,
            });
        }
        Ok(operators)
    }

    fn of_operator(&mut self, place: usize, table: &Value, name: &str) -> Result<String, Error> {
        let path = format!("aggregators[{place}].{name}");
        match table.get(name).filter(|value| !is_empty(value)) {
            Some(value) => text(&path, value),
            None => {
                self.missing.push(path);
                Ok(String::new())
            }
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

/// Refuses names that are no field's, in every section.
fn check_names(document: &Table) -> Result<(), Error> {
    let sections = || FIELDS.iter().map(|field| sections_of(field.path));
    for (name, value) in document {
        if !sections().any(|(section, _)| section == name) {
            return Err(unknown(name, sections().map(|(section, _)| section)));
        }
        let own: Vec<&str> = sections()
            .filter(|(section, _)| section == name)
            .filter_map(|(_, field)| field)
            .collect();
        let tables: Vec<&Table> = match value {
            _ if own.is_empty() => continue,
            Value::Table(table) if name != "aggregators" => vec![table],
            Value::Array(tables) if name == "aggregators" => {
                tables.iter().filter_map(Value::as_table).collect()
            }
            other if name == "aggregators" => {
                return Err(refused(name, other, "a list of tables, [[aggregators]]"));
            }
            other => return Err(refused(name, other, &format!("a table, [{name}]"))),
        };
        for table in tables {
            let stranger = table.keys().find(|field| !own.contains(&field.as_str()));
            if let Some(stranger) = stranger {
                return Err(unknown(&format!("{name}.{stranger}"), own.into_iter()));
            }
        }
    }
    Ok(())
}

/// `product` and `name` of `product.name`.
fn sections_of(path: &'static str) -> (&'static str, Option<&'static str>) {
    path.split_once('.')
        .map_or((path, None), |(section, field)| (section, Some(field)))
}

fn unknown(path: &str, known: impl Iterator<Item = &'static str>) -> Error {
    let mut names: Vec<&str> = known.collect();
    names.dedup();
    let accepted = format!("one of the fields {}", names.join(", "));
    ParameterError::new(path.to_owned(), "unknown", accepted).into()
}

fn refused(path: &str, value: &Value, accepted: &str) -> Error {
    ParameterError::new(path.to_owned(), value, accepted.to_owned()).into()
}

fn text(path: &str, value: &Value) -> Result<String, Error> {
    let accepted = format!("1 to {LONGEST} bytes of printable characters, on one line");
    let Some(text) = value.as_str() else {
        return Err(refused(path, value, &accepted));
    };
    check_line(path, text, LONGEST)
        .map_err(|_| ParameterError::new(path.to_owned(), text, accepted))?;
    Ok(text.trim().to_owned())
}
