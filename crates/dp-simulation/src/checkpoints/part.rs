//! A part as a file: which blocks it has, what came of them, and a checksum over both.

use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use dp_files::{Input, OutputFile, Overwrite, read_limited};
use sha2::{Digest, Sha256};

use crate::checkpoints::{CheckpointError, RunIdentity};

/// How a file of a part begins.
pub(crate) const MAGIC: &[u8; 16] = b"dp-parts part 1\n";

/// Magic, digest, first block, end, length of the payload.
const HEADER: usize = 16 + 32 + 3 * 8;

/// The bytes of a checksum.
const CHECKSUM: usize = 32;

/// The most bytes of a file.
const LONGEST: u64 = 1 << 31;

/// The results of consecutive blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartFile {
    /// The blocks: from the first up to, but not including, the end.
    pub blocks: Range<u64>,
    /// What came of them, as it was written.
    pub payload: Vec<u8>,
    /// The file.
    pub path: PathBuf,
}

/// Of a file what stands before the payload.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) blocks: Range<u64>,
    pub(crate) path: PathBuf,
    digest: [u8; 32],
    payload: u64,
}

/// The name of the file whose first block this is.
pub(crate) fn path(folder: &Path, first: u64) -> PathBuf {
    folder.join(format!("part-{first:012}"))
}

/// Whether a file of this name is a part.
pub(crate) fn is_name(name: &str) -> bool {
    let digits = name.strip_prefix("part-");
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Writes a part, in the place of an earlier one with the same first block.
pub(crate) fn write(
    folder: &Path,
    run: &RunIdentity,
    blocks: &Range<u64>,
    payload: &[u8],
) -> Result<(), CheckpointError> {
    let mut header = Vec::with_capacity(HEADER);
    header.extend_from_slice(MAGIC);
    header.extend_from_slice(&run.digest);
    let length = u64::try_from(payload.len()).unwrap_or(u64::MAX);
    for number in [blocks.start, blocks.end, length] {
        header.extend_from_slice(&number.to_le_bytes());
    }
    let checksum = checksum(&header, payload);
    let own = Overwrite::own(|beginning| beginning.starts_with(MAGIC));
    let file = OutputFile::private(&path(folder, blocks.start), own)?;
    file.write(|writer| {
        writer.write_all(&header)?;
        writer.write_all(payload)?;
        writer.write_all(&checksum)
    })?;
    Ok(())
}

impl Header {
    /// Reads the beginning of a file, which must be of this run.
    pub(crate) fn read(path: &Path, run: &RunIdentity) -> Result<Self, CheckpointError> {
        let mut bytes = Vec::with_capacity(HEADER);
        let file = Input::open(path)?;
        // A longer one may be moved to its place meanwhile.
        let length = file.size()?;
        let limit = u64::try_from(HEADER).unwrap_or(u64::MAX);
        let read = file.take(limit).read_to_end(&mut bytes);
        read.map_err(CheckpointError::system(path))?;
        let header = Self::of(&bytes, path)?;
        if header.digest != run.digest {
            let (path, found, expected) = (header.path, header.digest, run.digest);
            return Err(CheckpointError::Foreign { path, found, expected });
        }
        let around = u64::try_from(HEADER + CHECKSUM).unwrap_or(u64::MAX);
        if length != header.payload.saturating_add(around) || length > LONGEST {
            return Err(CheckpointError::damaged(path, "it has another length"));
        }
        if header.blocks.is_empty() || header.blocks.end > run.blocks {
            return Err(CheckpointError::damaged(path, "it has blocks that there are not"));
        }
        Ok(header)
    }

    /// Refuses a file whose name is that of other blocks: what is written under its name replaces it.
    pub(crate) fn check_name(&self) -> Result<(), CheckpointError> {
        let own = path(Path::new(""), self.blocks.start);
        if self.path.file_name() == own.file_name() {
            return Ok(());
        }
        Err(CheckpointError::damaged(&self.path, "its name is not that of its first block"))
    }

    fn of(bytes: &[u8], path: &Path) -> Result<Self, CheckpointError> {
        let damaged = || CheckpointError::damaged(path, "it does not begin as a part");
        let (magic, rest) = bytes.split_first_chunk::<16>().ok_or_else(damaged)?;
        let (digest, rest) = rest.split_first_chunk::<32>().ok_or_else(damaged)?;
        let (first, rest) = rest.split_first_chunk::<8>().ok_or_else(damaged)?;
        let (end, rest) = rest.split_first_chunk::<8>().ok_or_else(damaged)?;
        let (payload, _) = rest.split_first_chunk::<8>().ok_or_else(damaged)?;
        if magic != MAGIC {
            return Err(damaged());
        }
        Ok(Self {
            blocks: u64::from_le_bytes(*first)..u64::from_le_bytes(*end),
            path: path.to_owned(),
            digest: *digest,
            payload: u64::from_le_bytes(*payload),
        })
    }

    /// The whole part, whose file still has what it was written with.
    pub(crate) fn part(&self) -> Result<PartFile, CheckpointError> {
        let damaged = || CheckpointError::damaged(&self.path, "it is not what was written");
        let mut bytes = read_limited(&self.path, LONGEST)?;
        let content = bytes.len().checked_sub(CHECKSUM).ok_or_else(damaged)?;
        let found = bytes.split_off(content);
        let payload = bytes.split_off(HEADER.min(content));
        let header = Self::of(&bytes, &self.path)?;
        let is_same = header.blocks == self.blocks && header.digest == self.digest;
        if !is_same || found != checksum(&bytes, &payload) {
            return Err(damaged());
        }
        Ok(PartFile { blocks: header.blocks, payload, path: header.path })
    }
}

fn checksum(header: &[u8], payload: &[u8]) -> [u8; CHECKSUM] {
    let mut hasher = Sha256::new();
    hasher.update(header);
    hasher.update(payload);
    hasher.finalize().into()
}
