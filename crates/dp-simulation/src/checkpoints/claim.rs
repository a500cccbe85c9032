//! Who works at which blocks: a locked file for each process that works.
//!
//! The system gives a lock back when its process ends, however it ends. So a file that is not locked was left by a
//! process that is no more, and is removed.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::ops::Range;
use std::path::{Path, PathBuf};

use dp_exact::Process;
use dp_files::remove_leftovers;

use crate::checkpoints::CheckpointError;
use crate::checkpoints::folder::{RunFolder, missing};

/// The file that is locked while claims are looked at.
const GATE: &str = "claims.lock";

/// Blocks at which this process alone works, as far as they are missing.
///
/// Locks work within one machine, and on network file systems that pass them on (NFS 4 does). Where they do not, two
/// processes can work at the same blocks; what they wrote is refused as doubled then.
#[derive(Debug)]
pub struct BlockClaim<'a> {
    folder: &'a RunFolder,
    blocks: Range<u64>,
    missing: Vec<Range<u64>>,
    path: PathBuf,
    /// Locked as long as it is open.
    _lock: File,
    process: Process,
}

impl<'a> BlockClaim<'a> {
    pub(crate) fn of(folder: &'a RunFolder, blocks: Range<u64>) -> Result<Self, CheckpointError> {
        let gate = enter(&folder.path().join(GATE))?;
        refuse_taken(folder.path(), &blocks)?;
        let path = folder.path().join(name(&blocks));
        let lock = open(&path)?;
        // Where the file system has no locks, parts that were written twice are still found.
        let _ = lock.try_lock();
        drop(gate);
        // They may hold what parts hold.
        remove_leftovers(folder.path()).map_err(CheckpointError::system(folder.path()))?;
        let mut claim = Self {
            folder,
            missing: Vec::new(),
            path,
            _lock: lock,
            process: Process::this(),
            blocks,
        };
        let headers = folder.headers()?;
        for header in &headers {
            if is_common(&header.blocks, &claim.blocks) {
                header.part()?;
            }
        }
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

    /// Writes what came of these blocks, in the place of what this claim wrote for the same first block: it is on the
    /// disk when this returns, or nothing has changed.
    ///
    /// # Errors
    /// If it cannot be written; [`CheckpointError::Forked`] in a process that was forked from the one that made the claim.
    ///
    /// # Panics
    /// If the blocks are none, or were not missing: they would overwrite another part.
    pub fn write(&self, blocks: Range<u64>, payload: &[u8]) -> Result<(), CheckpointError> {
        self.process.check()?;
        let fits =
            |missing: &Range<u64>| missing.start <= blocks.start && blocks.end <= missing.end;
        assert!(
            !blocks.is_empty() && self.missing.iter().any(fits),
            "blocks {blocks:?} of {:?}",
            self.missing
        );
        self.folder.write(&blocks, payload)
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

/// Waits until no other process looks at claims, which takes some milliseconds.
fn enter(path: &Path) -> Result<File, CheckpointError> {
    let gate = open(path)?;
    // Where the file system has no locks, parts that were written twice are still found.
    let _ = gate.lock();
    Ok(gate)
}

/// Refuses blocks at which a living process works, and removes what dead ones have left.
fn refuse_taken(folder: &Path, blocks: &Range<u64>) -> Result<(), CheckpointError> {
    for entry in fs::read_dir(folder).map_err(CheckpointError::system(folder))? {
        let entry = entry.map_err(CheckpointError::system(folder))?;
        let Some(taken) = entry.file_name().to_str().and_then(blocks_of) else {
            continue;
        };
        let path = entry.path();
        let Ok(file) = File::open(&path) else {
            continue;
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if is_common(&taken, blocks) => {
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

/// Whether some block is in both, of which either may have none.
fn is_common(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start.max(other.start) < one.end.min(other.end)
}

fn name(blocks: &Range<u64>) -> String {
    format!("claim-{}-{}.lock", blocks.start, blocks.end)
}

/// Whether a file of this name is a claim, or the one that is locked while claims are looked at.
pub(crate) fn is_name(name: &str) -> bool {
    name == GATE || blocks_of(name).is_some()
}

/// The blocks that the name of a claim tells.
fn blocks_of(name: &str) -> Option<Range<u64>> {
    let range = name.strip_prefix("claim-")?.strip_suffix(".lock")?;
    let (first, end) = range.split_once('-')?;
    Some(first.parse().ok()?..end.parse().ok()?)
}

fn open(path: &Path) -> Result<File, CheckpointError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(CheckpointError::system(path))
}
