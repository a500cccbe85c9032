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

use std::fs;
use std::path::{Path, PathBuf};

use dp_cli::{Failure, print};
use dp_exact::shown;

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

/// The path and the text of the file of a group.
fn file(group: &str, vectors: MakeVectors) -> Outcome<(PathBuf, String)> {
    let path = Path::new(ALL).join(format!("{group}.json"));
    Ok((path, model::file(group, vectors()?)?))
}

/// Writes the file of every group.
pub(crate) fn run() -> Result<(), Failure> {
    for (group, vectors) in GROUPS {
        let (path, text) = file(group, vectors).map_err(Failure::Other)?;
        fs::write(&path, text).map_err(Failure::other)?;
        print(format_args!("{}\n", shown(&path)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_the_repository_are_written() {
        for (group, vectors) in GROUPS {
            let (path, text) = file(group, vectors).expect("vectors");
            assert!(fs::read_to_string(&path).expect("a file") == text, "{path:?} differs");
        }
        // With the schema and the README.
        assert_eq!(fs::read_dir(ALL).expect("a folder").count(), GROUPS.len() + 2);
    }
}
