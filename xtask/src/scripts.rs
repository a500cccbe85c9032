//! Commands that start another program of this repository: a script in `.ci`, or the workspace
//! `site`.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Subcommand, value_parser};
use dp_cli::Failure;

/// The compilation target of browsers.
const BROWSERS: &str = "wasm32-unknown-unknown";

#[derive(Debug, Subcommand)]
pub(crate) enum Script {
    /// Look for branches and addresses that depend on noise, in compiled code: some ten minutes,
    /// with valgrind and libclang. One that is found is an error
    ConstantTime {
        /// Only with the first of the builds
        #[arg(long)]
        quick: bool,
    },
    /// Build the planner in the browser: `planner.html`
    Site {
        /// Folder of the page; a page of that name is replaced
        #[arg(long, value_name = "DIR", default_value = "target/site")]
        out: PathBuf,
    },
    /// Run property tests, random certificates and fuzz targets with fresh seeds until time is up.
    /// The first that fails is an error with the line that repeats it
    Soak {
        /// Minutes after which no command begins, up to a week
        #[arg(long, default_value = "10", value_parser = value_parser!(u64).range(1..=10_080), allow_hyphen_values = true)]
        minutes: u64,
        /// Seed of the first round; the next round has the next number [default: a fresh one]
        #[arg(long, value_name = "SEED", allow_hyphen_values = true)]
        seed: Option<u32>,
    },
}

impl Script {
    /// Runs the program in the folder of the repository; its own messages say what failed.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mut command;
        match self {
            Self::ConstantTime { quick } => {
                command = Command::new("./.ci/constant-time");
                command.args(quick.then_some("--quick"));
            }
            Self::Site { out } => {
                if !compiles_for_browsers() {
                    let reason = format!("no Rust for browsers: rustup target add {BROWSERS}");
                    return Err(Failure::Other(reason.into()));
                }
                command = Command::new("cargo");
                command.arg("site").arg(std::path::absolute(out).map_err(Failure::other)?);
            }
            Self::Soak { minutes, seed } => {
                command = Command::new("./.ci/soak");
                let numbers = [Some(*minutes), seed.map(u64::from)].into_iter().flatten();
                command.args(numbers.map(|number| number.to_string()));
            }
        }
        let status = command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).status();
        if status.map_err(Failure::other)?.success() {
            return Ok(());
        }
        Err(Failure::Other(format!("{} failed", command.get_program().display()).into()))
    }
}

/// Whether the target [`BROWSERS`] is installed: without it the page fails after minutes of
/// compiling.
fn compiles_for_browsers() -> bool {
    let asked =
        Command::new("rustc").args(["--print", "target-libdir", "--target", BROWSERS]).output();
    let folder = asked.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    folder.is_some_and(|folder| Path::new(folder.trim()).is_dir())
}
