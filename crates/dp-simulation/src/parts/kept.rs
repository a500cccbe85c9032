//! How a program that writes other files knows a file of a run, which it must not replace.

use std::path::Path;

use crate::parts::Run;
use crate::parts::part::{self, MAGIC};
use crate::parts::{claim, run};

/// Whether the file at this path, which begins like this, belongs to the folder of a run.
///
/// It is one by its content, or by its name beside a file that says which run it is.
#[must_use]
pub fn is_of_a_run(path: &Path, beginning: &[u8]) -> bool {
    if beginning.starts_with(MAGIC) || run::is_own(beginning) {
        return true;
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return false;
    };
    let is_named = |name: &str| part::is_name(name) || claim::is_name(name) || name == run::FILE;
    name.to_str().is_some_and(is_named) && Run::read(folder).is_ok()
}

/// The file of a folder that says which run it is for, whether it is there or not.
#[must_use]
pub fn file_of_run(folder: &Path) -> std::path::PathBuf {
    Run::file(folder)
}
