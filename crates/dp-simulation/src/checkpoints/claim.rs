//! Claims: a locked file for each process, named for the blocks at which it works.
//!
//! The operating system releases a lock when its process ends, however it ends. A file that is not
//! locked was left by a process that has ended, and is removed.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::ops::Range;
use std::path::{Path, PathBuf};

use dp_exact::OwnerProcess;
use dp_files::remove_leftovers;

use crate::checkpoints::CheckpointError;
use crate::checkpoints::part_file::{PartHeader, headers, missing, write};
use crate::checkpoints::run::RunIdentity;

/// Name of the file that a process locks while it looks at claims.
const GATE: &str = "claims.lock";

/// Blocks at which this process alone works.
///
/// Locks work within one machine, and on network file systems that pass them on (NFS 4 does).
/// Elsewhere two processes can work at the same blocks; their files are then refused as doubled.
#[derive(Debug)]
pub struct BlockClaim<'a> {
    /// The folder of the run.
    folder: &'a Path,
    /// The run that has the blocks.
    run: &'a RunIdentity,
    /// All blocks of the claim.
    blocks: Range<u64>,
    /// Ranges of blocks that no file had when the claim was made, in order.
    missing: Vec<Range<u64>>,
    /// The file that is locked for this claim.
    path: PathBuf,
    /// Locked as long as it is open.
    _lock: File,
    /// The process that made the claim.
    process: OwnerProcess,
}

impl<'a> BlockClaim<'a> {
    /// Claims `blocks` for this process, and finds which of them no file of a part holds yet. `Err`
    /// if another process works at one of them.
    pub(crate) fn new(
        folder: &'a Path,
        run: &'a RunIdentity,
        blocks: Range<u64>,
    ) -> Result<Self, CheckpointError> {
        // Where the file system has no locks, doubled parts are found later: errors of locks do not matter.
        let gate = open(&folder.join(GATE))?;
        let _ = gate.lock();
        refuse_taken(folder, &blocks)?;
        let path = folder.join(format!("claim-{}-{}.lock", blocks.start, blocks.end));
        let lock = open(&path)?;
        let _ = lock.try_lock();
        drop(gate);
        // Files of processes that ended while they wrote hold what parts hold.
        remove_leftovers(folder).map_err(CheckpointError::system(folder))?;
        let (open, process) = (Vec::new(), OwnerProcess::this());
        let mut claim = Self { folder, run, blocks, missing: open, path, _lock: lock, process };
        let headers = headers(folder, run)?;
        let own = headers.iter().filter(|header| overlap(&header.blocks, &claim.blocks));
        own.map(PartHeader::part).try_for_each(|part| part.map(drop))?;
        claim.missing = missing(&headers, claim.blocks.clone());
        Ok(claim)
    }

    /// All blocks of this claim.
    #[must_use]
    pub const fn blocks(&self) -> &Range<u64> {
        &self.blocks
    }

    /// The blocks of this claim that no file had when it was made, in order.
    #[must_use]
    pub fn missing(&self) -> &[Range<u64>] {
        &self.missing
    }

    /// Writes the results of these blocks, in place of earlier results of this claim for the same
    /// first block. They are on the disk when this returns `Ok`; on `Err` nothing has changed.
    ///
    /// # Errors
    /// If the file cannot be written; [`CheckpointError::Forked`] in a process forked from the one that made the claim.
    ///
    /// # Panics
    /// If there are no blocks, or they were not missing: they would overwrite another part.
    pub fn write(&self, blocks: Range<u64>, payload: &[u8]) -> Result<(), CheckpointError> {
        self.process.check()?;
        let fits =
            |missing: &Range<u64>| missing.start <= blocks.start && blocks.end <= missing.end;
        assert!(
            !blocks.is_empty() && self.missing.iter().any(fits),
            "blocks {blocks:?} of {:?}",
            self.missing
        );
        write(self.folder, self.run, &blocks, payload)
    }
}

impl Drop for BlockClaim<'_> {
    fn drop(&mut self) {
        // A forked process gives nothing back: the other one goes on working.
        if self.process.check().is_ok() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// `Err` if a living process works at one of `blocks`. Removes the claims of processes that have
/// ended.
fn refuse_taken(folder: &Path, blocks: &Range<u64>) -> Result<(), CheckpointError> {
    for entry in fs::read_dir(folder).map_err(CheckpointError::system(folder))? {
        let entry = entry.map_err(CheckpointError::system(folder))?;
        let path = entry.path();
        let Some(taken) = entry.file_name().to_str().and_then(blocks_of) else {
            continue;
        };
        let Ok(file) = File::open(&path) else {
            continue;
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if overlap(&taken, blocks) => {
                return Err(CheckpointError::InWork { path, blocks: taken });
            }
            Ok(()) => {
                let _ = fs::remove_file(&path);
            }
            Err(_) => {}
        }
    }
    Ok(())
}

/// Whether two ranges have a block in common; either may be empty.
fn overlap(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start.max(other.start) < one.end.min(other.end)
}

/// The blocks in the name of a claim; `None` for another name.
fn blocks_of(name: &str) -> Option<Range<u64>> {
    let range = name.strip_prefix("claim-")?.strip_suffix(".lock")?;
    let (first, end) = range.split_once('-')?;
    Some(first.parse().ok()?..end.parse().ok()?)
}

/// Opens or creates a file, for its user alone.
fn open(path: &Path) -> Result<File, CheckpointError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(CheckpointError::system(path))
}
