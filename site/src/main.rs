//! `site DIR` builds the site into a folder: `cargo xtask site` starts it.

use std::path::PathBuf;

use anyhow::{Context as _, Result};

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    site::build(&folder.context("expected the folder to write to")?)
}
