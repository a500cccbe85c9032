//! The folder of a run: one file that identifies the run, and the files of its parts.

use std::cmp::Reverse;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use dp_exact::shown;
use dp_files::{read_limited, remove_leftovers, replace};
use sha2::{Digest as _, Sha256};

use crate::checkpoints::CheckpointError;
use crate::checkpoints::run::{FILE, RunIdentity};

/// The first bytes of the file of a part.
const MAGIC: &[u8; 16] = b"dp-parts part 2\n";

/// The most bytes of the file of a part.
const LONGEST: u64 = 1 << 31;

/// A folder with the parts of one run.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    run: RunIdentity,
}

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

impl RunFolder {
    /// The folder of a run that begins. A missing folder is made, for its user alone.
    ///
    /// # Errors
    /// [`CheckpointError::Refused`] if there is a run in it; [`CheckpointError::File`] or
    /// [`CheckpointError::System`] if it cannot be written to.
    pub fn create(path: impl Into<PathBuf>, run: &RunIdentity) -> Result<Self, CheckpointError> {
        let path = path.into();
        if path.join(FILE).exists() {
            let reason = "there is a run in it already: resume it, or name another folder";
            return Err(CheckpointError::refused(&path, reason));
        }
        Self::resume(path, run)
    }

    /// The folder of a run that begins or continues, in this process or in several.
    ///
    /// # Errors
    /// [`CheckpointError::Refused`] if the folder is of another run, by digest and number of
    /// blocks, or its file is damaged; [`CheckpointError::File`] or [`CheckpointError::System`] if
    /// it cannot be written to.
    pub fn resume(path: impl Into<PathBuf>, run: &RunIdentity) -> Result<Self, CheckpointError> {
        let path = path.into();
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path).map_err(CheckpointError::system(&path))?;
        if !path.join(FILE).exists() {
            run.write(&path)?;
        }
        let folder = Self::read(path)?;
        run.check_digest(&folder.run.digest, &folder.path.join(FILE))?;
        folder.check_blocks(run.blocks)?;
        Ok(folder)
    }

    /// The folder of a run, to read its parts.
    ///
    /// # Errors
    /// [`CheckpointError::NoRun`] if there is no run in it, and as [`resume`](Self::resume).
    pub fn read(path: impl Into<PathBuf>) -> Result<Self, CheckpointError> {
        let path = path.into();
        let run = RunIdentity::read(&path)?;
        Ok(Self { path, run })
    }

    /// Refuses a run with another number of blocks than `expected`: its digest does not cover it.
    ///
    /// # Errors
    /// [`CheckpointError::Refused`] if its number is another one.
    pub fn check_blocks(&self, expected: u64) -> Result<(), CheckpointError> {
        let found = self.run.blocks;
        if found == expected {
            return Ok(());
        }
        let reason = format!("its run is said to have {found} blocks: expected {expected}");
        Err(CheckpointError::refused(&self.path, reason))
    }

    /// The identity of the run.
    pub const fn run(&self) -> &RunIdentity {
        &self.run
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The ranges of `blocks` that no part has yet, in order. Removes what processes left that
    /// ended while they wrote.
    ///
    /// # Errors
    /// [`CheckpointError::System`] if the folder cannot be read.
    pub fn missing(&self, blocks: Range<u64>) -> Result<Vec<Range<u64>>, CheckpointError> {
        remove_leftovers(&self.path).map_err(CheckpointError::system(&self.path))?;
        Ok(missing(&self.parts_by_block()?, blocks))
    }

    /// Writes the results of these blocks. They are on the disk when this returns `Ok`.
    ///
    /// # Errors
    /// [`CheckpointError::System`] if the file cannot be written.
    pub fn write(&self, blocks: Range<u64>, payload: &[u8]) -> Result<(), CheckpointError> {
        let path = self.part(&blocks);
        let written = replace(&path, |writer| {
            writer.write_all(MAGIC)?;
            writer.write_all(&self.run.digest)?;
            writer.write_all(payload)?;
            writer.write_all(&self.checksum(&blocks, payload))
        });
        written.map_err(CheckpointError::system(&path))
    }

    /// The parts of all blocks, in order, each block once: a part whose blocks other parts have is
    /// left out. Each is read when the iterator comes to it.
    ///
    /// # Errors
    /// [`CheckpointError::Refused`], with the name of the file, if blocks are missing, parts have
    /// some of each other's blocks, or one is damaged or of another run; [`CheckpointError::File`]
    /// or [`CheckpointError::System`] if one cannot be read.
    pub fn parts(
        &self,
    ) -> Result<impl Iterator<Item = Result<PartFile, CheckpointError>>, CheckpointError> {
        let all = self.parts_by_block()?;
        let missing = missing(&all, 0..self.run.blocks);
        if !missing.is_empty() {
            return Err(self.incomplete(&missing));
        }
        let mut parts: Vec<Range<u64>> = Vec::new();
        for blocks in all {
            let next = parts.last().map_or(0, |last| last.end);
            if blocks.end <= next {
                continue;
            }
            if let Some(last) = parts.last().filter(|_| blocks.start < next) {
                let (block, other) = (blocks.start, shown(self.part(last)));
                let reason = format!("it has block {block}, as {other} has: remove one of them");
                return Err(CheckpointError::refused(&self.part(&blocks), reason));
            }
            parts.push(blocks);
        }
        Ok(parts.into_iter().map(|blocks| self.read_part(blocks)))
    }

    /// Reads the part with these blocks; `Err` if it is damaged or of another run.
    fn read_part(&self, blocks: Range<u64>) -> Result<PartFile, CheckpointError> {
        let path = self.part(&blocks);
        let bytes = read_limited(&path, LONGEST)?;
        let way_out = "remove it, and --resume works its blocks off";
        let damaged = || CheckpointError::damaged(&path, way_out);
        let parts = || {
            let (digest, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<32>()?;
            let (payload, checksum) = rest.split_last_chunk::<32>()?;
            Some((digest, payload, checksum))
        };
        let (digest, payload, found) = parts().ok_or_else(damaged)?;
        self.run.check_digest(digest, &path)?;
        if *found != self.checksum(&blocks, payload) {
            return Err(damaged());
        }
        let payload = payload.to_vec();
        Ok(PartFile { blocks, payload, path })
    }

    fn part(&self, blocks: &Range<u64>) -> PathBuf {
        self.path.join(format!("part-{:012}-{:012}", blocks.start, blocks.end))
    }

    /// SHA-256 over [`MAGIC`], the run's digest, the blocks and the payload.
    fn checksum(&self, blocks: &Range<u64>, payload: &[u8]) -> [u8; 32] {
        let mut hash = Sha256::new_with_prefix(MAGIC);
        hash.update(self.run.digest);
        [blocks.start, blocks.end].iter().for_each(|block| hash.update(block.to_le_bytes()));
        hash.update(payload);
        hash.finalize().into()
    }

    /// The blocks of all parts, by their first block; of parts with the same one the longest first.
    fn parts_by_block(&self) -> Result<Vec<Range<u64>>, CheckpointError> {
        let blocks = |name: &str| {
            let (first, end) = name.strip_prefix("part-")?.split_once('-')?;
            let blocks = first.parse().ok()?..end.parse().ok()?;
            (!blocks.is_empty()).then_some(blocks)
        };
        let names = || -> std::io::Result<Vec<_>> {
            fs::read_dir(&self.path)?.map(|entry| Ok(entry?.file_name())).collect()
        };
        let names = names().map_err(CheckpointError::system(&self.path))?;
        let parts = names.iter().filter_map(|name| blocks(name.to_str()?));
        let mut parts: Vec<Range<u64>> = parts.collect();
        parts.sort_by_key(|blocks| (blocks.start, Reverse(blocks.end)));
        Ok(parts)
    }

    fn incomplete(&self, missing: &[Range<u64>]) -> CheckpointError {
        let shown = missing.iter().take(8).map(|range| match range.end - range.start {
            1 => range.start.to_string(),
            _ => format!("{} to {}", range.start, range.end - 1),
        });
        let mut texts: Vec<String> = shown.collect();
        if missing.len() > texts.len() {
            texts.push(format!("and {} ranges more", missing.len() - texts.len()));
        }
        let (texts, last) = (texts.join(", "), self.run.blocks.saturating_sub(1));
        let reason = format!("no file has blocks {texts} of 0 to {last}");
        CheckpointError::refused(&self.path, reason)
    }
}

/// The ranges of blocks within `range` that none of these parts has. The parts are in order.
fn missing(parts: &[Range<u64>], range: Range<u64>) -> Vec<Range<u64>> {
    let mut missing = Vec::new();
    let mut next = range.start;
    for part in parts.iter().chain([&(range.end..range.end)]) {
        let end = part.start.min(range.end);
        if next < end {
            missing.push(next..end);
        }
        next = next.max(part.end);
    }
    missing
}
