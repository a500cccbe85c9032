//! The folder of a run: one file that identifies the run, and the files of its parts.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use dp_exact::shown;
use dp_files::remove_leftovers;

use crate::checkpoints::CheckpointError;
use crate::checkpoints::part_file::{self, PartFile};
use crate::checkpoints::run::{self, RunIdentity};

/// A folder with the parts of one run.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    run: RunIdentity,
}

impl RunFolder {
    /// The folder of a run that begins. A missing folder is made, for its user alone.
    ///
    /// # Errors
    /// [`CheckpointError::Refused`] if there is a run in it; [`CheckpointError::File`] or
    /// [`CheckpointError::System`] if it cannot be written to.
    pub fn create(path: impl Into<PathBuf>, run: &RunIdentity) -> Result<Self, CheckpointError> {
        let path = path.into();
        if run_file(&path).exists() {
            let reason = "there is a run in it already: resume it, or name another folder";
            return Err(CheckpointError::refused(&path, reason));
        }
        Self::resume(path, run)
    }

    /// The folder of a run that begins or continues, in this process or in several.
    ///
    /// # Errors
    /// [`CheckpointError::Refused`] if the folder is of another run, by digest and number of blocks, or its file is damaged;
    /// [`CheckpointError::File`] or [`CheckpointError::System`] if it cannot be written to.
    pub fn resume(path: impl Into<PathBuf>, run: &RunIdentity) -> Result<Self, CheckpointError> {
        let path = path.into();
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path).map_err(CheckpointError::system(&path))?;
        if !run_file(&path).exists() {
            run.write(&path)?;
        }
        let folder = Self::read(path)?;
        run.check_digest(&folder.run.digest, &run_file(&folder.path))?;
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
    #[must_use]
    pub const fn run(&self) -> &RunIdentity {
        &self.run
    }

    /// The folder's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The ranges of `blocks` that no part has yet, in order. Removes what processes left that ended while they wrote.
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
        part_file::write(&self.path, &self.run, &blocks, payload)
    }

    /// The parts of all blocks, in order, each block once: a part whose blocks other parts have is left out. Each is read when
    /// the iterator comes to it.
    ///
    /// # Errors
    /// [`CheckpointError::Refused`], with the name of the file, if blocks are missing, parts have some of each other's blocks,
    /// or one is damaged or of another run; [`CheckpointError::File`] or [`CheckpointError::System`] if one cannot be read.
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
                let (path, other) =
                    (part_file::path(&self.path, &blocks), part_file::path(&self.path, last));
                let (block, other) = (blocks.start, shown(other));
                let reason = format!("it has block {block}, as {other} has: remove one of them");
                return Err(CheckpointError::refused(&path, reason));
            }
            parts.push(blocks);
        }
        let read = |blocks| part_file::read(&self.path, &self.run, blocks);
        Ok(parts.into_iter().map(read))
    }

    /// The blocks of all parts, by their first block; of those with the same one the longest first.
    fn parts_by_block(&self) -> Result<Vec<Range<u64>>, CheckpointError> {
        let system = || CheckpointError::system(&self.path);
        let mut parts = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(system())? {
            let name = entry.map_err(system())?.file_name();
            parts.extend(name.to_str().and_then(part_file::blocks_of));
        }
        parts.sort_by_key(|blocks| (blocks.start, std::cmp::Reverse(blocks.end)));
        Ok(parts)
    }

    /// The error that no part has these ranges of blocks.
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

/// The path of the file that identifies the run of a folder, whether the file exists or not.
fn run_file(folder: &Path) -> PathBuf {
    folder.join(run::FILE)
}
