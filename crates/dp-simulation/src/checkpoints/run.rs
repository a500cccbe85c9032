//! The identity of a run, and its file.

use std::path::Path;

use dp_exact::hexadecimal;
use dp_files::{FileError, Reason, create, read_limited};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::checkpoints::CheckpointError;

/// The name of the file that identifies the run of a folder.
pub(crate) const FILE: &str = "run.json";

/// The first field of the file.
const FORMAT: &str = "dp-parts run 1";

/// The most bytes of the file that are read.
const LONGEST: u64 = 1 << 27;

/// The identity of a run, which is work that is cut into consecutive blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunIdentity {
    /// The kind of run, such as `simulation`.
    pub kind: String,
    /// A digest of all that the results depend on.
    pub digest: [u8; 32],
    /// The number of blocks.
    pub blocks: u64,
    /// Facts for the report, in a format of the program that began the run.
    pub description: String,
}

/// A [`RunIdentity`] as JSON.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Document {
    /// [`FORMAT`]
    format: String,
    kind: String,
    digest: String,
    /// The number of blocks in decimal digits.
    blocks: String,
    description: String,
    /// SHA-256 over the other fields, in hexadecimal digits.
    checksum: String,
}

impl RunIdentity {
    /// Reads the identity from a folder; `Err` if there is none or it is damaged.
    pub(crate) fn read(folder: &Path) -> Result<Self, CheckpointError> {
        let path = folder.join(FILE);
        let bytes = match read_limited(&path, LONGEST) {
            Err(error) if is_not_found(&error) => {
                return Err(CheckpointError::NoRun(folder.to_owned()));
            }
            other => other?,
        };
        let document = serde_json::from_slice(&bytes);
        let run = document.ok().and_then(Self::of);
        run.ok_or_else(|| CheckpointError::damaged(&path, "it is not what was written"))
    }

    /// Writes the identity to a folder without one. If several processes write at once, one of them
    /// succeeds and the others find its file.
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
            Err(_) if path.exists() => Ok(()),
            written => written.map(drop).map_err(CheckpointError::system(&path)),
        }
    }

    /// The identity in a document; `None` if the document is damaged.
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

    /// SHA-256 over all fields, in hexadecimal digits.
    fn checksum(&self) -> String {
        let mut hasher = Sha256::new();
        for text in [self.kind.as_bytes(), &self.digest, self.description.as_bytes()] {
            hasher.update(text.len().to_le_bytes());
            hasher.update(text);
        }
        hasher.update(self.blocks.to_le_bytes());
        hexadecimal(&hasher.finalize())
    }
}

/// Whether a file with this beginning identifies a run, with any white space.
pub(crate) fn is_own(beginning: &[u8]) -> bool {
    let own = b"{\"format\":\"dp-partsrun";
    let text = beginning.iter().filter(|byte| !byte.is_ascii_whitespace());
    text.take(own.len()).eq(own)
}

/// Whether the file does not exist.
fn is_not_found(error: &FileError) -> bool {
    matches!(error.reason(), Reason::System(error) if error.kind() == std::io::ErrorKind::NotFound)
}

/// 32 bytes from 64 hexadecimal digits; `None` for any other text.
fn bytes(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * place..2 * place + 2)?, 16).ok()?;
    }
    (text.len() == 64).then_some(bytes)
}
