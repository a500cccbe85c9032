//! `site`: starts the workspace `site`, which builds the planner's page.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use dp_cli::Failure;

/// The compilation target of browsers.
const BROWSERS: &str = "wasm32-unknown-unknown";

/// Build the planner in the browser: `planner.html`
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Folder of the page; a page of that name is replaced
    #[arg(long, value_name = "DIR", default_value = "target/site")]
    out: PathBuf,
}

/// Runs the command in the folder of the repository; its own messages say what failed.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    if !compiles_for_browsers() {
        let reason = format!("no Rust for browsers: rustup target add {BROWSERS}");
        return Err(Failure::Other(reason.into()));
    }
    let mut command = Command::new("cargo");
    command.arg("site").arg(std::path::absolute(&options.out).map_err(Failure::other)?);
    let status = command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).status();
    if status.map_err(Failure::other)?.success() {
        return Ok(());
    }
    Err(Failure::Other("cargo site failed".into()))
}

/// Whether the target [`BROWSERS`] is installed: without it the page fails after minutes of
/// compiling.
fn compiles_for_browsers() -> bool {
    let asked =
        Command::new("rustc").args(["--print", "target-libdir", "--target", BROWSERS]).output();
    let folder = asked.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    folder.is_some_and(|folder| Path::new(folder.trim()).is_dir())
}
