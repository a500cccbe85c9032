//! Documents in files.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::read::{MAX_BYTES, json, toml};
use crate::{Document, Error};

/// Reads a file in the format that its name ends with, and no more of it than is accepted.
pub(crate) fn read(path: &Path) -> Result<Document, Error> {
    let failed = |reason: String| Error::File {
        path: path.display().to_string(),
        reason,
    };
    let parse = match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => toml,
        Some("json") => json,
        _ => {
            let reason = "expected a name that ends in .toml or .json";
            return Err(failed(reason.to_owned()));
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
