//! `site DIR` writes the planner's page into a folder: `cargo site DIR` starts it.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.context("expected the folder to write to")?;
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let file = folder.join("planner.html");
    let page = site::page::build()?;
    fs::write(&file, page).with_context(|| file.display().to_string())?;
    println!("{}", file.display());
    Ok(())
}
