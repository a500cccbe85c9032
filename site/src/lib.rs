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

/// The folder of build products.
#[must_use]
pub fn target() -> PathBuf {
    let given = std::env::var_os("CARGO_TARGET_DIR");
    given.map_or_else(|| repository().join("target"), PathBuf::from)
}
