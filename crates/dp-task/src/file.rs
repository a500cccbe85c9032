//! Documents in files.

use std::path::Path;

use dp_exact::shown;
use dp_files::{Reason, read_limited};

use crate::read::{MAX_BYTES, json, toml};
use crate::{Document, Error};

/// Reads a file in the format that its name ends with, and no more of it than is accepted.
pub(crate) fn read(path: &Path) -> Result<Document, Error> {
    let failed = |reason: &dyn ToString| Error::File {
        path: shown(path),
        reason: reason.to_string(),
    };
    let parse = match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => toml,
        Some("json") => json,
        _ => return Err(failed(&"expected a name that ends in .toml or .json")),
    };
    let max = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let bytes = read_limited(path, max).map_err(|error| match error.reason() {
        Reason::TooLong { .. } => Error::TooLong { max: MAX_BYTES },
        other => failed(other),
    })?;
    parse(&bytes)
}
