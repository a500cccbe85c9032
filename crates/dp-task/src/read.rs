//! From bytes to a document: sizes first, then syntax, then fields.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde::Deserialize as _;

use crate::{Document, Error};

/// The longest document that is read, in bytes: 64 KiB.
pub const MAX_BYTES: usize = 1 << 16;

/// Reads TOML. Nested tables and arrays are bounded by the parser, at a depth of 80.
pub(crate) fn toml(bytes: &[u8]) -> Result<Document, Error> {
    let text = text("TOML", bytes)?;
    let syntax = |error: toml::de::Error| Error::Syntax {
        format: "TOML",
        reason: toml_reason(text, &error),
    };
    let deserializer = toml::Deserializer::parse(text).map_err(syntax)?;
    located(deserializer, |error: &toml::de::Error| {
        error.message().to_owned()
    })
}

/// Reads JSON. Nested objects and arrays are bounded by the parser, at a depth of 128.
pub(crate) fn json(bytes: &[u8]) -> Result<Document, Error> {
    let text = text("JSON", bytes)?;
    // Syntax first: an error of syntax has no path.
    let syntax = |error: serde_json::Error| Error::Syntax {
        format: "JSON",
        reason: error.to_string(),
    };
    serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(syntax)?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    located(&mut deserializer, serde_json::Error::to_string)
}

/// Reads a file in the format that its name ends with, and no more of it than is accepted.
pub(crate) fn file(path: &Path) -> Result<Document, Error> {
    let failed = |reason: String| Error::File {
        path: path.display().to_string(),
        reason,
    };
    let parse = match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => toml,
        Some("json") => json,
        _ => {
            return Err(failed(
                "expected a name that ends in .toml or .json".to_owned(),
            ));
        }
    };
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_BYTES)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    File::open(path)
        .and_then(|file| file.take(limit).read_to_end(&mut bytes))
        .map_err(|error| failed(error.to_string()))?;
    parse(&bytes)
}

fn text<'a>(format: &'static str, bytes: &'a [u8]) -> Result<&'a str, Error> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::TooLong { max: MAX_BYTES });
    }
    str::from_utf8(bytes).map_err(|error| Error::Syntax {
        format,
        reason: error.to_string(),
    })
}

fn located<'de, D>(deserializer: D, reason: fn(&D::Error) -> String) -> Result<Document, Error>
where
    D: serde::Deserializer<'de>,
{
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(deserializer, &mut track);
    Document::deserialize(tracked).map_err(|error| {
        let path = track.path().to_string();
        Error::Malformed {
            field: if path == "." {
                "document".to_owned()
            } else {
                path
            },
            reason: one_line(&reason(&error)),
        }
    })
}

fn toml_reason(text: &str, error: &toml::de::Error) -> String {
    let message = one_line(error.message());
    match error.span().and_then(|span| text.get(..span.start)) {
        None => message,
        Some(before) => {
            let line = before.matches('\n').count() + 1;
            format!("line {line}: {message}")
        }
    }
}

/// Messages repeat parts of the document: on one line, and not all of a long one.
fn one_line(message: &str) -> String {
    const SHOWN: usize = 400;
    let mut line = String::new();
    for character in message.chars().take(SHOWN) {
        match character {
            '\n' => line.push(' '),
            control if control.is_control() => line.extend(control.escape_default()),
            printable => line.push(printable),
        }
    }
    if message.chars().count() > SHOWN {
        line.push('…');
    }
    line
}
