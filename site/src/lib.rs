#![doc = include_str!("../README.md")]

pub mod guide;
mod packed;
pub mod page;
mod program;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// The folder of the repository.
#[must_use]
pub fn repository() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

/// Builds the guide, and the planner's page as `planner.html` in it.
///
/// # Errors
/// If the planner does not compile for browsers, or a file cannot be read or written.
pub fn build(folder: &Path) -> Result<()> {
    guide::build(&repository(), folder)?;
    let file = folder.join("planner.html");
    fs::write(&file, page::build(&repository())?).with_context(|| file.display().to_string())
}
