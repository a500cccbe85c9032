//! How a program that writes other files knows a file of a store, which it must not replace.

use std::path::Path;

use crate::{directory_releases, directory_reports};

/// Whether the file at this path, which begins like this, belongs to a store of seen reports or of
/// releases. It is one by its content, or by its name.
///
/// ```
/// use std::path::Path;
///
/// let release = "a".repeat(64);
/// assert!(dp_store::is_of_a_store(Path::new(&release), b"..."));
/// assert!(!dp_store::is_of_a_store(Path::new("report.json"), b"{}"));
/// ```
#[must_use]
pub fn is_of_a_store(path: &Path, beginning: &[u8]) -> bool {
    directory_reports::is_own(path, beginning) || directory_releases::is_name(path)
}
