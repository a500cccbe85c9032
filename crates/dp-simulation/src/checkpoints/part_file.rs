//! The files of parts: the blocks, their results, and a checksum over both.

use std::fs;
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use dp_exact::shown;
use dp_files::{Input, read_limited, replace};
use sha2::{Digest, Sha256};

use crate::checkpoints::CheckpointError;
use crate::checkpoints::run::RunIdentity;

/// The first bytes of the file of a part.
pub(crate) const MAGIC: &[u8; 16] = b"dp-parts part 1\n";

/// Bytes of the header: magic, digest, first block, end, and length of the payload.
const HEADER: usize = 16 + 32 + 3 * 8;

/// Bytes of a checksum.
const CHECKSUM: usize = 32;

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

/// The part of a file before the payload.
#[derive(Clone, Debug)]
pub(crate) struct PartHeader {
    pub(crate) blocks: Range<u64>,
    path: PathBuf,
    /// The digest of the run.
    digest: [u8; 32],
    /// The number of bytes of the payload.
    payload: u64,
}

/// The path of the part that begins with block `first`.
fn path(folder: &Path, first: u64) -> PathBuf {
    folder.join(format!("part-{first:012}"))
}

/// Whether a file of this name is a part.
pub(crate) fn is_name(name: &str) -> bool {
    let digits = name.strip_prefix("part-");
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The paths of all parts in a folder; empty if there is no folder.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>, CheckpointError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(CheckpointError::system(folder))?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(CheckpointError::system(folder))?;
        if entry.file_name().to_str().is_some_and(is_name) {
            files.push(entry.path());
        }
    }
    Ok(files)
}

/// The headers of all parts in a folder, in the order of their blocks. No two have a block in common.
pub(crate) fn headers(
    folder: &Path,
    run: &RunIdentity,
) -> Result<Vec<PartHeader>, CheckpointError> {
    let headers = files(folder)?.into_iter().map(|path| PartHeader::read(&path, run));
    let mut headers = headers.collect::<Result<Vec<_>, _>>()?;
    headers.sort_by_key(|header| (header.blocks.start, header.blocks.end));
    for pair in headers.windows(2) {
        let [one, other] = pair else { continue };
        if other.blocks.start < one.blocks.end {
            let (block, has) = (other.blocks.start, shown(&one.path));
            let reason = format!("it has block {block}, as {has} has: remove one of them");
            return Err(CheckpointError::Refused { path: other.path.clone(), reason });
        }
    }
    // A part of other blocks would be written over a file that is not named for its first block.
    let misnamed = headers.iter().find(|header| {
        header.path.file_name() != path(Path::new(""), header.blocks.start).file_name()
    });
    match misnamed {
        Some(header) => {
            Err(CheckpointError::damaged(&header.path, "its name is not that of its first block"))
        }
        None => Ok(headers),
    }
}

/// The ranges of blocks within `range` that none of these parts has. The parts are in order.
pub(crate) fn missing(parts: &[PartHeader], range: Range<u64>) -> Vec<Range<u64>> {
    let mut missing = Vec::new();
    let mut next = range.start;
    let parts = parts.iter().map(|part| part.blocks.clone());
    for part in parts.chain(std::iter::once(range.end..range.end)) {
        let end = part.start.min(range.end);
        if next < end {
            missing.push(next..end);
        }
        next = next.max(part.end);
    }
    missing
}

/// Writes a part, in place of an earlier one with the same first block.
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
    let path = path(folder, blocks.start);
    let written = replace(&path, |writer| {
        writer.write_all(&header)?;
        writer.write_all(payload)?;
        writer.write_all(&checksum)
    });
    written.map_err(CheckpointError::system(&path))
}

impl PartHeader {
    /// Reads the header of a file; `Err` if it is damaged or of another run.
    fn read(path: &Path, run: &RunIdentity) -> Result<Self, CheckpointError> {
        let mut bytes = Vec::with_capacity(HEADER);
        let file = Input::open(path)?;
        // Before the header is read: a longer file may replace this one meanwhile.
        let length = file.size()?;
        let limit = u64::try_from(HEADER).unwrap_or(u64::MAX);
        file.take(limit).read_to_end(&mut bytes).map_err(CheckpointError::system(path))?;
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

    /// The header at the beginning of `bytes`; `path` is for the error.
    fn of(bytes: &[u8], path: &Path) -> Result<Self, CheckpointError> {
        let header = || {
            let (magic, rest) = bytes.split_first_chunk::<16>()?;
            let (digest, rest) = rest.split_first_chunk::<32>()?;
            let (first, rest) = rest.split_first_chunk::<8>()?;
            let (end, rest) = rest.split_first_chunk::<8>()?;
            let (payload, _) = rest.split_first_chunk::<8>()?;
            (magic == MAGIC).then(|| Self {
                blocks: u64::from_le_bytes(*first)..u64::from_le_bytes(*end),
                path: path.to_owned(),
                digest: *digest,
                payload: u64::from_le_bytes(*payload),
            })
        };
        header().ok_or_else(|| CheckpointError::damaged(path, "it does not begin as a part"))
    }

    /// Reads the whole part; `Err` if its checksum does not match.
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

/// SHA-256 over header and payload.
fn checksum(header: &[u8], payload: &[u8]) -> [u8; CHECKSUM] {
    Sha256::new().chain_update(header).chain_update(payload).finalize().into()
}
