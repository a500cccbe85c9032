//! The files of parts: the run, the blocks and their results, and a checksum over them.

use std::ops::Range;
use std::path::{Path, PathBuf};

use dp_files::{read_limited, replace};
use sha2::{Digest, Sha256};

use crate::checkpoints::CheckpointError;
use crate::checkpoints::run::RunIdentity;

/// The first bytes of the file of a part.
pub(crate) const MAGIC: &[u8; 16] = b"dp-parts part 2\n";

/// The most bytes of the file of a part.
const LONGEST: u64 = 1 << 31;

/// The results of consecutive blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartFile {
    /// The blocks: from the first up to, but not including, the end.
    pub blocks: Range<u64>,
    /// The results, byte for byte as they were written.
    pub payload: Vec<u8>,
    /// The file.
    pub path: PathBuf,
}

/// The path of the part with these blocks.
pub(crate) fn path(folder: &Path, blocks: &Range<u64>) -> PathBuf {
    folder.join(format!("part-{:012}-{:012}", blocks.start, blocks.end))
}

/// The blocks of the part with this file name; `None` for another file.
pub(crate) fn blocks_of(name: &str) -> Option<Range<u64>> {
    let (first, end) = name.strip_prefix("part-")?.split_once('-')?;
    let blocks = first.parse().ok()?..end.parse().ok()?;
    (!blocks.is_empty()).then_some(blocks)
}

/// Writes a part.
pub(crate) fn write(
    folder: &Path,
    run: &RunIdentity,
    blocks: &Range<u64>,
    payload: &[u8],
) -> Result<(), CheckpointError> {
    let path = path(folder, blocks);
    let written = replace(&path, |writer| {
        writer.write_all(MAGIC)?;
        writer.write_all(&run.digest)?;
        writer.write_all(payload)?;
        writer.write_all(&checksum(run, blocks, payload))
    });
    written.map_err(CheckpointError::system(&path))
}

/// Reads the part with these blocks; `Err` if it is damaged or of another run.
pub(crate) fn read(
    folder: &Path,
    run: &RunIdentity,
    blocks: Range<u64>,
) -> Result<PartFile, CheckpointError> {
    let path = path(folder, &blocks);
    let bytes = read_limited(&path, LONGEST)?;
    let parts = || {
        let (magic, rest) = bytes.split_first_chunk::<16>()?;
        let (digest, rest) = rest.split_first_chunk::<32>()?;
        let (payload, checksum) = rest.split_last_chunk::<32>()?;
        (magic == MAGIC).then_some((digest, payload, checksum))
    };
    let (digest, payload, found) = parts().ok_or_else(|| CheckpointError::damaged(&path))?;
    run.check_digest(digest, &path)?;
    if *found != checksum(run, &blocks, payload) {
        return Err(CheckpointError::damaged(&path));
    }
    let payload = payload.to_vec();
    Ok(PartFile { blocks, payload, path })
}

/// SHA-256 over the run's digest, the blocks and the payload.
fn checksum(run: &RunIdentity, blocks: &Range<u64>, payload: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(MAGIC);
    hash.update(run.digest);
    [blocks.start, blocks.end].iter().for_each(|block| hash.update(block.to_le_bytes()));
    hash.update(payload);
    hash.finalize().into()
}
