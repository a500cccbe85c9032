//! What a folder with parts says of its run, so that another process can go on with it or report it.

use dp_exact::shown;
use dp_simulation::parts::{Folder, Run};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use crate::failure::Failure;

/// The version of this program, which is that of the runs that it begins.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A description of a run, in JSON.
pub(crate) trait Description: DeserializeOwned + Serialize {
    /// The kind of run.
    const KIND: &str;

    /// The version of the program that began the run.
    fn version(&self) -> &str;

    /// SHA-256 over all that the results depend on: see [`digest`].
    fn digest(&self) -> Result<[u8; 32], Failure>;

    /// The run for its folder, of so many blocks.
    fn run(&self, blocks: u64) -> Result<Run, Failure> {
        Ok(Run {
            kind: Self::KIND.to_owned(),
            digest: self.digest()?,
            blocks,
            description: serde_json::to_string(self).map_err(Failure::other)?,
        })
    }

    /// What a folder says.
    ///
    /// # Errors
    /// If it says nothing that this program would say.
    fn of(folder: &Folder) -> Result<Self, Failure> {
        let run = folder.run();
        if run.kind != Self::KIND {
            let kind = &run.kind;
            return Err(refused(folder, format!("it is a run of the kind {kind:?}")));
        }
        let described: Self =
            serde_json::from_str(&run.description).map_err(|error| unreadable(folder, error))?;
        let version = described.version();
        if version != VERSION {
            let reason =
                format!("its run is of version {version} of this program: expected {VERSION}");
            return Err(refused(folder, reason));
        }
        if described.digest()? != run.digest {
            return Err(refused(folder, "its digest is not that of its run"));
        }
        Ok(described)
    }
}

/// SHA-256 over the kind of a run and parts of its description, each with its length before it.
pub(crate) fn digest(kind: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(format!("dp-cli {kind} 1\n"));
    for part in parts {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// The refusal of a folder.
pub(crate) fn refused(folder: &Folder, reason: impl Into<String>) -> Failure {
    Failure::Run {
        path: shown(folder.path()),
        reason: reason.into(),
    }
}

/// The refusal of a description that cannot be read.
pub(crate) fn unreadable(folder: &Folder, error: impl ToString) -> Failure {
    let error = error.to_string();
    refused(folder, format!("what it says of its run is none: {error}"))
}

/// Refuses a folder whose run is said to have another number of blocks than it has: the digest is not over it.
pub(crate) fn check_blocks(folder: &Folder, expected: u64) -> Result<(), Failure> {
    let found = folder.run().blocks;
    if found == expected {
        return Ok(());
    }
    let reason = format!("its run is said to have {found} blocks: expected {expected}");
    Err(refused(folder, reason))
}
