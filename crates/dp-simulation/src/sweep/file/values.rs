//! From values of TOML to typed ones.

use std::fmt::Display;
use std::ops::RangeInclusive;

use dp_exact::{ParameterError, check_line, integer};
use toml::Value;

/// The most values of a list.
pub(super) const MAX_LIST: usize = 10_000;

/// The most bytes of a text that stands in rows, as of a path.
pub(super) const LONGEST_LINE: usize = 4096;

/// What is accepted as an exact number.
const EXACT: &str = "an exact number: an integer, or a string such as \"0.5\", \"1e-9\" or \"1/3\"";

/// A list, or one value as a list of it.
pub(super) fn list(path: &str, value: Value) -> Result<Vec<Value>, ParameterError> {
    match value {
        Value::Array(values) if (1..=MAX_LIST).contains(&values.len()) => Ok(values),
        Value::Array(values) => {
            let accepted = format!("a list of 1 to {MAX_LIST} values");
            let value = format!("a list of {} values", values.len());
            Err(refused(path, value, accepted))
        }
        one => Ok(vec![one]),
    }
}

/// Refuses a list in which a value stands twice.
pub(super) fn distinct<T: PartialEq + Display>(
    path: &str,
    values: Vec<T>,
) -> Result<Vec<T>, ParameterError> {
    for (place, value) in values.iter().enumerate() {
        if values[..place].contains(value) {
            return Err(refused(path, value, "each value once"));
        }
    }
    Ok(values)
}

pub(super) fn text(path: &str, value: &Value) -> Result<String, ParameterError> {
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| refused(path, shown(value), "a string"))
}

/// A text that stands in rows and reports: a line by the rule for names.
pub(super) fn line(path: &str, value: &Value) -> Result<String, ParameterError> {
    let line = text(path, value)?;
    check_line(path, &line, LONGEST_LINE)?;
    Ok(line)
}

pub(super) fn flag(path: &str, value: &Value) -> Result<bool, ParameterError> {
    value
        .as_bool()
        .ok_or_else(|| refused(path, shown(value), "true or false"))
}

/// An exact number, as its text.
pub(super) fn exact(path: &str, value: &Value) -> Result<String, ParameterError> {
    match value {
        Value::String(text) => Ok(text.trim().to_owned()),
        Value::Integer(integer) => Ok(integer.to_string()),
        other => Err(refused(path, shown(other), EXACT)),
    }
}

/// An integer, as such or as a string of digits.
pub(super) fn number<T>(
    name: &'static str,
    value: &Value,
    accepted: RangeInclusive<T>,
) -> Result<T, ParameterError>
where
    T: TryFrom<num_bigint::BigInt> + PartialOrd + Display,
{
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Integer(integer) => integer.to_string(),
        other => {
            let range = format!("an integer from {} to {}", accepted.start(), accepted.end());
            return Err(refused(name, shown(other), range));
        }
    };
    integer(name, &text, accepted)
}

/// A value in a message: of what has parts, only what it is.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "[…]".to_owned(),
        Value::Table(_) => "{…}".to_owned(),
        other => other.to_string(),
    }
}

pub(super) fn refused(
    path: &str,
    value: impl Display,
    accepted: impl Into<String>,
) -> ParameterError {
    ParameterError::new(path.to_owned(), value, accepted.into())
}
