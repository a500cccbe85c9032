//! `vectors`: test vectors as files, for other implementations and for our own tests.

mod conversion;
mod extension;
mod fields;
mod matrices;
mod model;
mod noise;
mod privacy_loss;
mod queries;
mod randomizers;
mod samplers;

use std::path::PathBuf;

use clap::Args;
use dp_cli::{Failure, print};
use dp_exact::shown;
use dp_files::OutputFile;

use model::{Outcome, Vector};

/// The folder of the vectors for other implementations.
const ALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors");

/// Makes the vectors of a file.
type MakeVectors = fn() -> Outcome<Vec<Vector>>;

/// The name of each file, and the function that makes its vectors.
const GROUPS: [(&str, MakeVectors); 10] = [
    ("sensitivity", queries::sensitivity),
    ("noise", || each(noise::ROWS, noise::vector)),
    ("delta", || each(privacy_loss::SINGLE, privacy_loss::single)),
    ("composition", || each(privacy_loss::COMPOSED, privacy_loss::composed)),
    ("conversion", || each(conversion::ROWS, conversion::vector)),
    ("randomizers", || each(randomizers::ROWS, randomizers::vector)),
    ("fields", fields::fields),
    ("strategy-matrices", matrices::matrices),
    ("samplers", samplers::samplers),
    ("dap-extension", extension::extension),
];

/// A vector for each row of a table.
fn each<R>(rows: &[R], vector: fn(&R) -> Outcome<Vector>) -> Outcome<Vec<Vector>> {
    rows.iter().map(vector).collect()
}

/// Write the test vectors for other implementations
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// An existing folder for all files [default: vectors]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let folder = options.folder.clone().unwrap_or_else(|| ALL.into());
    for (group, vectors) in GROUPS {
        let contents = vectors().and_then(|vectors| model::file(group, vectors));
        let contents = contents.map_err(Failure::Other)?;
        let path = folder.join(format!("{group}.json"));
        let file = OutputFile::prepare(&path, is_own)?;
        file.write(|writer| writer.write_all(contents.as_bytes()))?;
        print(format_args!("{}\n", shown(&path)))?;
    }
    Ok(())
}

/// Whether a file begins like one of test vectors, and so may be replaced.
fn is_own(beginning: &[u8]) -> bool {
    let text: Vec<u8> =
        beginning.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    text.starts_with(model::BEGINNING.as_bytes())
}
