//! `vectors`: the test vectors of the samplers, as files.

use std::path::PathBuf;

use clap::Args;
use dp_cli::{Failure, print};
use dp_exact::shown;
use dp_files::{OutputFile, Overwrite};
use dp_samplers::vectors;

/// The folder that the tests of the samplers read.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/dp-samplers/tests/vectors");

/// The first bytes of such files, without white space.
const OWN: &[u8] = b"[{\"algorithm\":";

/// Write the test vectors of the samplers: their draws for fixed seeds
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// An existing folder [default: crates/dp-samplers/tests/vectors]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let folder = options.folder.clone().unwrap_or_else(|| FOLDER.into());
    for (name, contents) in vectors::files().map_err(Failure::other)? {
        let path = folder.join(name);
        let file = OutputFile::prepare(&path, Overwrite::own(is_own))?;
        file.write(|writer| writer.write_all(contents.as_bytes()))?;
        print(format_args!("{}\n", shown(&path)))?;
    }
    Ok(())
}

/// Whether a file begins like a list of test vectors, and so may be replaced.
fn is_own(beginning: &[u8]) -> bool {
    let text = beginning.iter().filter(|byte| !byte.is_ascii_whitespace());
    text.take(OWN.len()).eq(OWN)
}
