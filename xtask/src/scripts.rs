//! Commands that start another program of this repository: a script in `.ci`, or the workspace
//! `site`.

use std::path::PathBuf;
use std::process::Command;

use clap::value_parser;
use dp_cli::Failure;

/// Look for branches and addresses that depend on noise, in compiled code: some ten minutes, with
/// valgrind and libclang. One that is found is an error
#[derive(clap::Args, Debug)]
pub(crate) struct ConstantTime {
    /// Only with the first of the builds
    #[arg(long)]
    quick: bool,
}

/// Run property tests, random certificates and fuzz targets with fresh seeds until time is up. The
/// first that fails is an error with the line that repeats it
#[derive(clap::Args, Debug)]
pub(crate) struct Soak {
    /// Minutes after which no command begins, up to a week
    #[arg(long, default_value = "10", value_parser = value_parser!(u64).range(1..=10_080), allow_hyphen_values = true)]
    minutes: u64,
    /// Seed of the first round; the next round has the next number [default: a fresh one]
    #[arg(long, value_name = "SEED", allow_hyphen_values = true)]
    seed: Option<u32>,
}

/// Build the planner in the browser: `planner.html`
#[derive(clap::Args, Debug)]
pub(crate) struct Site {
    /// Folder of the page; a page of that name is replaced
    #[arg(long, value_name = "DIR", default_value = "target/site")]
    out: PathBuf,
}

impl ConstantTime {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        start(Command::new("./.ci/constant-time").args(self.quick.then_some("--quick")))
    }
}

impl Soak {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let numbers = [Some(self.minutes), self.seed.map(u64::from)];
        let numbers = numbers.into_iter().flatten().map(|number| number.to_string());
        start(Command::new("./.ci/soak").args(numbers))
    }
}

impl Site {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let folder = std::path::absolute(&self.out).map_err(Failure::other)?;
        start(Command::new("cargo").arg("site").arg(folder))
    }
}

/// Runs a program in the folder of the repository; its own messages say what failed.
fn start(command: &mut Command) -> Result<(), Failure> {
    let status = command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).status();
    if status.map_err(Failure::other)?.success() {
        return Ok(());
    }
    Err(Failure::Other(format!("{} failed", command.get_program().display()).into()))
}
