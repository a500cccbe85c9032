//! `vectors`: the test vectors of the samplers, as files.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use dp_cli::{Failure, write_text};
use dp_samplers::vectors;

/// Where the tests of the samplers look for them.
const FOLDER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../crates/dp-samplers/tests/vectors"
);

/// Write the test vectors of the samplers: what fixed seeds expand to
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// A folder that exists [default: crates/dp-samplers/tests/vectors]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let folder = options.folder.clone().unwrap_or_else(|| FOLDER.into());
    let mut stdout = io::stdout().lock();
    for (name, contents) in vectors::files().map_err(Failure::other)? {
        let path = folder.join(name);
        write_text(&path, &contents)?;
        writeln!(stdout, "{}", path.display())?;
    }
    Ok(())
}
