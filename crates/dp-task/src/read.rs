//! From bytes to a document: sizes first, then syntax, then fields.

use serde::Deserialize as _;

use crate::value::Value;
use crate::{Document, Error};

/// The longest document that is read, in bytes: 64 KiB.
pub const MAX_BYTES: usize = 1 << 16;

/// Reads TOML. Nested tables and arrays are bounded by the parser, at a depth of 80.
pub(crate) fn toml(bytes: &[u8]) -> Result<Document, Error> {
    let text = text("TOML", bytes)?;
    let syntax = |error: toml::de::Error| Error::syntax("TOML", toml_reason(text, &error));
    let deserializer = toml::Deserializer::parse(text).map_err(syntax)?;
    Document::read(Value::deserialize(deserializer).map_err(syntax)?)
}

/// Reads JSON. Nested objects and arrays are bounded by the parser, at a depth of 128.
pub(crate) fn json(bytes: &[u8]) -> Result<Document, Error> {
    let text = text("JSON", bytes)?;
    let value = serde_json::from_str(text).map_err(|error| Error::syntax("JSON", error))?;
    Document::read(value)
}

fn text<'a>(format: &'static str, bytes: &'a [u8]) -> Result<&'a str, Error> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::TooLong { max: MAX_BYTES });
    }
    str::from_utf8(bytes).map_err(|error| Error::syntax(format, error))
}

fn toml_reason(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    match before.map(|before| before.matches('\n').count() + 1) {
        None => error.message().to_owned(),
        Some(line) => format!("line {line}: {}", error.message()),
    }
}
