//! `site`: builds the planner's page with a program of another workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use dp_cli::{Failure, print};

/// Build the planner in the browser: `planner.html`
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Folder of the page; a page of that name is replaced
    #[arg(long, value_name = "DIR", default_value = "target/site")]
    out: PathBuf,
}

/// Runs the site's own program in its own workspace, whose dependencies no other command compiles.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let repository = own.parent().unwrap_or(own);
    let folder = std::path::absolute(&options.out).map_err(Failure::other)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--locked", "--quiet", "--manifest-path"])
        .arg(repository.join("site/Cargo.toml"))
        .arg("--target-dir")
        .arg(repository.join("target"))
        .arg("--")
        .arg(&folder)
        .status()
        .map_err(Failure::other)?;
    if !status.success() {
        return Err(Failure::Other("the site is not built".into()));
    }
    Ok(print(format!("{}/planner.html\n", folder.display()))?)
}
