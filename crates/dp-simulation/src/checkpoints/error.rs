//! Errors of a run folder. Each message is one line that begins with the path of the folder or file.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use dp_exact::{Forked, hexadecimal, shown};
use dp_files::FileError;

/// The reason why parts are not written, read or put together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The process was forked from the process that made the claim, which alone writes its parts.
    #[error(transparent)]
    Forked(#[from] Forked),
    /// The folder, or a lock in it, cannot be used.
    #[error("{}: {source}", shown(path))]
    System {
        /// The folder or the lock.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The folder has no run.
    #[error("{}: there is no run in it: no run.json", shown(.0))]
    NoRun(PathBuf),
    /// The folder has a run, and a new one was to begin.
    #[error("{}: there is a run in it already: resume it, or name another folder", shown(.0))]
    Occupied(PathBuf),
    /// A file is of another run: with other options, another task, other data or another version.
    #[error(
        "{}: it is of another run: its digest is {}, expected {}",
        shown(path),
        start(found),
        start(expected)
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The digest of its run.
        found: [u8; 32],
        /// The digest of this run.
        expected: [u8; 32],
    },
    /// A file is not what was written.
    #[error("{}: damaged: {reason}; remove it, and its blocks are worked off again", shown(path))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage that was found.
        reason: &'static str,
    },
    /// Two files have the same blocks.
    #[error("{}: it has block {block}, as {} has: remove one of them", shown(path), shown(other))]
    Doubled {
        /// One of them.
        path: PathBuf,
        /// The other one.
        other: PathBuf,
        /// The first block that both have.
        block: u64,
    },
    /// No file has these blocks.
    #[error("{}: no file has blocks {}", shown(path), listed(missing, *blocks))]
    Missing {
        /// The folder.
        path: PathBuf,
        /// The blocks.
        missing: Vec<Range<u64>>,
        /// How many blocks there are.
        blocks: u64,
    },
    /// Another process works at the same blocks.
    #[error("{}: another process works at blocks {} to {}", shown(path), blocks.start, blocks.end - 1)]
    InWork {
        /// The file that it holds locked.
        path: PathBuf,
        /// Its blocks.
        blocks: Range<u64>,
    },
}

impl CheckpointError {
    /// [`CheckpointError::Damaged`] for this file.
    pub(crate) fn damaged(path: &Path, reason: &'static str) -> Self {
        let path = path.to_owned();
        Self::Damaged { path, reason }
    }

    /// [`CheckpointError::System`] for this path, from an error of the operating system.
    pub(crate) fn system(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::System { path, source }
    }
}

/// The first twelve digits of a digest.
fn start(digest: &[u8; 32]) -> String {
    hexadecimal(&digest[..6])
}

/// The first eight of the ranges, with their last blocks, and how many more there are.
fn listed(missing: &[Range<u64>], blocks: u64) -> String {
    let shown = missing.iter().take(8);
    let mut texts: Vec<String> = shown
        .map(|range| match range.end - range.start {
            1 => range.start.to_string(),
            _ => format!("{} to {}", range.start, range.end - 1),
        })
        .collect();
    if missing.len() > texts.len() {
        texts.push(format!("and {} ranges more", missing.len() - texts.len()));
    }
    format!("{} of 0 to {}", texts.join(", "), blocks.saturating_sub(1))
}
