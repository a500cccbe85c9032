//! The sections of a document.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::de::DeserializeOwned;

use crate::field::{Field, only};
use crate::refusal::Refusal;
use crate::value::Value;

/// A section of a document.
#[derive(Debug)]
pub(crate) struct Table(BTreeMap<String, Value>);

impl Table {
    pub(crate) fn new(value: Value) -> Result<Self, Refusal> {
        match value {
            Value::Table(fields) => Ok(Self(fields)),
            other => Err(Refusal::new(other, "a table")),
        }
    }

    /// The section of this name, if it occurs.
    pub(crate) fn section(&mut self, name: &str) -> Result<Option<Self>, Refusal> {
        let section = self.0.remove(name).map(Self::new).transpose();
        section.map_err(|refusal| refusal.within(name))
    }

    /// The `type` of a section, one of these.
    pub(crate) fn tag(&mut self, types: &[&'static str]) -> Result<&'static str, Refusal> {
        let accepted = || format!("one of {}", types.join(", "));
        let refused = |value: &dyn Display| Refusal::new(value, accepted()).within("type");
        match self.0.remove("type") {
            None => Err(refused(&"missing")),
            Some(Value::Text(name)) => {
                let found = types.iter().find(|candidate| **candidate == name);
                found.copied().ok_or_else(|| refused(&name))
            }
            Some(other) => Err(refused(&other)),
        }
    }

    /// Refuses every field that is not one of these.
    pub(crate) fn only(&self, fields: &[&str], of: &str) -> Result<(), Refusal> {
        only(&self.0, fields, of)
    }

    /// A text.
    pub(crate) fn text(&mut self, name: &str, accepted: &str) -> Result<String, Refusal> {
        match self.0.remove(name) {
            Some(Value::Text(text)) => Ok(text),
            other => Err(Field(other).refused(accepted).within(name)),
        }
    }

    /// The value of a field.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<T, Refusal> {
        let field = Field(self.0.remove(name));
        T::deserialize(field).map_err(|refusal| refusal.within(name))
    }
}
