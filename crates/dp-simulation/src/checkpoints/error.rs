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
    /// The folder has a run where a new one was to begin, or parts are damaged, doubled or missing.
    #[error("{}: {reason}", shown(path))]
    Refused {
        /// The folder or the file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
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
    /// [`CheckpointError::Refused`] for a file that is not what was written.
    pub(crate) fn damaged(path: &Path, reason: &str) -> Self {
        let path = path.to_owned();
        let reason = format!("damaged: {reason}; remove it, and its blocks are worked off again");
        Self::Refused { path, reason }
    }

    /// [`CheckpointError::Refused`] for a folder that lacks the ranges `missing` of a run's
    /// `blocks` blocks.
    pub(crate) fn missing(path: PathBuf, missing: &[Range<u64>], blocks: u64) -> Self {
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
        let (texts, last) = (texts.join(", "), blocks.saturating_sub(1));
        Self::Refused { path, reason: format!("no file has blocks {texts} of 0 to {last}") }
    }

    /// [`CheckpointError::System`] for this path, from an error of the operating system.
    pub(crate) fn system(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::System { path, source }
    }
}

/// The first twelve hexadecimal digits of a digest, for an error.
fn start(digest: &[u8; 32]) -> String {
    hexadecimal(&digest[..6])
}
