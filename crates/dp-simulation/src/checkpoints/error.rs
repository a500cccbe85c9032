//! Errors of a run folder: one line each, which begins with the path of the folder or file.

use std::io;
use std::path::{Path, PathBuf};

use dp_exact::shown;
use dp_files::FileError;

/// The reason why parts are not written, read or put together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The folder cannot be used, or a file in it cannot be written.
    #[error("{}: {source}", shown(path))]
    System {
        /// The folder or the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The folder has no run.
    #[error("{}: there is no run in it: no run.json", shown(.0))]
    NoRun(PathBuf),
    /// The folder has a run already, or another one; parts are damaged, doubled, missing or foreign.
    #[error("{}: {reason}", shown(path))]
    Refused {
        /// The folder or the file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl CheckpointError {
    pub(crate) fn refused(path: &Path, reason: impl Into<String>) -> Self {
        Self::Refused { path: path.to_owned(), reason: reason.into() }
    }

    /// [`CheckpointError::Refused`] for a file that is not what was written, with the `way_out`.
    pub(crate) fn damaged(path: &Path, way_out: &str) -> Self {
        Self::refused(path, format!("damaged: it is not what was written; {way_out}"))
    }

    pub(crate) fn system(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::System { path, source }
    }
}
