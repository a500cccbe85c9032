//! The identity of a run, and its file.

use std::borrow::Cow;
use std::path::Path;

use dp_files::hexadecimal;
use dp_files::{create, read_limited};
use serde::{Deserialize, Serialize};

use crate::checkpoints::CheckpointError;

/// The name of the file that identifies the run of a folder.
pub(crate) const FILE: &str = "run.json";

/// The first field of the file.
const FORMAT: &str = "dp-parts run 3";

/// The most bytes of the file that are read.
const LONGEST: u64 = 1 << 27;

/// The identity of a run, which is work that is cut into consecutive blocks.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RunIdentity {
    /// The kind of run, such as `simulation`.
    pub kind: String,
    /// A digest of all that the results depend on.
    #[serde(with = "crate::hexadecimal")]
    pub digest: [u8; 32],
    /// The number of blocks.
    pub blocks: u64,
    /// Facts for the report, in a format of the program that began the run.
    pub description: String,
}

/// The file of a [`RunIdentity`], as JSON.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Document<'a> {
    format: &'a str,
    run: Cow<'a, RunIdentity>,
}

impl RunIdentity {
    /// Reads the identity from a folder; `Err` if there is none or it is damaged.
    pub(crate) fn read(folder: &Path) -> Result<Self, CheckpointError> {
        let path = folder.join(FILE);
        if !path.exists() {
            return Err(CheckpointError::NoRun(folder.to_owned()));
        }
        let bytes = read_limited(&path, LONGEST)?;
        match serde_json::from_slice(&bytes) {
            Ok(Document { format: FORMAT, run }) => Ok(run.into_owned()),
            _ => {
                let way_out = "take a copy, or begin a new run in another folder";
                Err(CheckpointError::damaged(&path, way_out))
            }
        }
    }

    /// Writes the identity to a folder without one. If several processes write at once, one of them
    /// succeeds and the others find its file.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), CheckpointError> {
        let path = folder.join(FILE);
        let document = Document { format: FORMAT, run: Cow::Borrowed(self) };
        let written = create(&path, |writer| {
            serde_json::to_writer_pretty(&mut *writer, &document)?;
            writeln!(writer)
        });
        match written {
            Err(_) if path.exists() => Ok(()),
            written => written.map(drop).map_err(CheckpointError::system(&path)),
        }
    }

    /// Refuses the file at `path` if `found`, the digest of its run, is not this one's.
    pub(crate) fn check_digest(
        &self,
        found: &[u8; 32],
        path: &Path,
    ) -> Result<(), CheckpointError> {
        if *found == self.digest {
            return Ok(());
        }
        let [found, expected] = [found, &self.digest].map(|digest| hexadecimal(&digest[..6]));
        let reason = format!("it is of another run: its digest is {found}, expected {expected}");
        Err(CheckpointError::refused(path, reason))
    }
}
