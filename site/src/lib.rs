#![doc = include_str!("../README.md")]

pub mod page;
mod program;

use std::path::{Path, PathBuf};

/// The folder of the repository.
#[must_use]
pub fn repository() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}
