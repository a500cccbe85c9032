//! The fields of a JSON object. Unknown fields are refused.

use serde_json::{Map, Value};

use crate::number::{Rational, Zero, parse};
use crate::statement::{Refusal, unreadable};

pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    pub(crate) fn of(value: Value) -> Result<Self, Refusal> {
        match value {
            Value::Object(fields) => Ok(Self(fields)),
            _ => Err(unreadable("something is no object that has to be one")),
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns the field `name` as `read` reads it; `None` if the field is absent.
    pub(crate) fn optional<T>(
        &mut self, name: &str, read: impl FnOnce(&mut Self, &str) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        self.has(name).then(|| read(self, name)).transpose()
    }

    /// Reads the field `name`, an integer from 1 to `most`; `None` if the field is absent.
    pub(crate) fn optional_integer(
        &mut self, name: &str, most: u64,
    ) -> Result<Option<u64>, Refusal> {
        self.optional(name, |fields, name| fields.integer(name, most))
    }

    pub(crate) fn value(&mut self, name: &str) -> Result<Value, Refusal> {
        let value = self.0.remove(name);
        value.ok_or_else(|| unreadable(format!("there is no {name} where one has to be")))
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<String, Refusal> {
        match self.value(name)? {
            Value::String(text) => Ok(text),
            _ => Err(unreadable(format!("{name} is no text in quotation marks"))),
        }
    }

    /// Reads the field `name`; `Err` unless it is an integer from 1 to `most`.
    pub(crate) fn integer(&mut self, name: &str, most: u64) -> Result<u64, Refusal> {
        let number = self.value(name)?.as_u64();
        let number = number.filter(|number| (1..=most).contains(number));
        number.ok_or_else(|| unreadable(format!("{name} is no integer from 1 to {most}")))
    }

    /// Reads the field `name`, a text of a number of at least 0. Returns the number and the text.
    pub(crate) fn number(&mut self, name: &str) -> Result<(Rational, String), Refusal> {
        let written = self.text(name)?;
        let number = parse(&written);
        let refused = || unreadable(format!("{name} is no number such as 0.317, 1e-9 or 1/3"));
        Ok((number.ok_or_else(refused)?, written))
    }

    /// Reads the field `name`, a text of a number above 0. Returns the number and the text.
    pub(crate) fn positive(&mut self, name: &str) -> Result<(Rational, String), Refusal> {
        let number = self.number(name)?;
        if number.0.is_zero() { Err(unreadable(format!("{name} is 0"))) } else { Ok(number) }
    }

    /// Reads the list `name` of at most `most` values that `read` accepts; an absent one is empty.
    pub(crate) fn list<T>(
        &mut self, name: &str, most: usize, read: impl Fn(Value) -> Option<T>,
    ) -> Result<Vec<T>, Refusal> {
        let list = match self.0.remove(name).unwrap_or(Value::Array(Vec::new())) {
            Value::Array(list) if list.len() <= most => list.into_iter().map(read).collect(),
            _ => None,
        };
        list.ok_or_else(|| unreadable(format!("{name} is no list of at most {most} such values")))
    }

    /// Reads the field `name`, a flag; false if it is absent.
    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, Refusal> {
        let value = self.0.remove(name).map_or(Some(false), |value| value.as_bool());
        value.ok_or_else(|| unreadable(format!("{name} is neither true nor false")))
    }

    /// `Err` if there are fields that nothing has read.
    pub(crate) fn end(self) -> Result<(), Refusal> {
        let left = self.0.keys().next().map(|name| name.chars().take(40).collect::<String>());
        left.map_or(Ok(()), |name| Err(unreadable(format!("the field {name:?} is unknown"))))
    }
}
