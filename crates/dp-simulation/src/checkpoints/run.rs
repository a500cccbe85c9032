//! What all parts of a run share, and the file in which it stands.

use std::path::{Path, PathBuf};

use dp_exact::hexadecimal;
use dp_files::{FileError, Reason, create, read_limited};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::checkpoints::CheckpointError;

/// The file of a folder that says which run it is for.
pub(crate) const FILE: &str = "run.json";

/// What its first field says.
const FORMAT: &str = "dp-parts run 1";

/// The most bytes that it has.
const LONGEST: u64 = 1 << 27;

/// A run: work that is cut into consecutive blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunIdentity {
    /// What kind of run it is, such as `simulation`.
    pub kind: String,
    /// What tells it from every other run: of all that its results depend on.
    pub digest: [u8; 32],
    /// How many blocks it has.
    pub blocks: u64,
    /// What is needed to report its results, in the words of whoever began it.
    pub description: String,
}

/// The same in a file.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    kind: String,
    digest: String,
    blocks: String,
    description: String,
    checksum: String,
}

impl RunIdentity {
    /// Whether a folder says for which run it is.
    pub(crate) fn is_in(folder: &Path) -> bool {
        folder.join(FILE).exists()
    }

    /// Reads what a folder says.
    pub(crate) fn read(folder: &Path) -> Result<Self, CheckpointError> {
        let path = folder.join(FILE);
        let bytes = match read_limited(&path, LONGEST) {
            Err(error) if is_missing(&error) => {
                return Err(CheckpointError::NoRun(folder.to_owned()));
            }
            other => other?,
        };
        let document = serde_json::from_slice(&bytes);
        let run = document.ok().and_then(Self::of);
        run.ok_or_else(|| CheckpointError::damaged(&path, "it is not what was written"))
    }

    /// Writes it to a folder that has none yet. Of several processes that do so at once one writes it, and the
    /// others find it.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), CheckpointError> {
        let path = folder.join(FILE);
        let document = Document {
            format: FORMAT.to_owned(),
            kind: self.kind.clone(),
            digest: hexadecimal(&self.digest),
            blocks: self.blocks.to_string(),
            description: self.description.clone(),
            checksum: self.checksum(),
        };
        let written = create(&path, |writer| {
            serde_json::to_writer_pretty(&mut *writer, &document)?;
            writeln!(writer)
        });
        match written {
            Err(_) if Self::is_in(folder) => Ok(()),
            written => written.map(drop).map_err(CheckpointError::system(&path)),
        }
    }

    fn of(document: Document) -> Option<Self> {
        let run = Self {
            digest: bytes(&document.digest)?,
            blocks: document.blocks.parse().ok()?,
            kind: document.kind,
            description: document.description,
        };
        let is_whole = document.format == FORMAT && document.checksum == run.checksum();
        is_whole.then_some(run)
    }

    fn checksum(&self) -> String {
        let mut hasher = Sha256::new();
        for text in [self.kind.as_bytes(), &self.digest, self.description.as_bytes()] {
            hasher.update(text.len().to_le_bytes());
            hasher.update(text);
        }
        hasher.update(self.blocks.to_le_bytes());
        hexadecimal(&hasher.finalize())
    }

    /// The file that says so.
    pub(crate) fn file(folder: &Path) -> PathBuf {
        folder.join(FILE)
    }
}

/// Whether a file that begins like this says which run a folder is for, also one with other white space.
pub(crate) fn is_own(beginning: &[u8]) -> bool {
    let own = b"{\"format\":\"dp-partsrun";
    let text = beginning.iter().filter(|byte| !byte.is_ascii_whitespace());
    text.take(own.len()).eq(own)
}

fn is_missing(error: &FileError) -> bool {
    matches!(error.reason(), Reason::System(error) if error.kind() == std::io::ErrorKind::NotFound)
}

fn bytes(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * place..2 * place + 2)?, 16).ok()?;
    }
    (text.len() == 64).then_some(bytes)
}
