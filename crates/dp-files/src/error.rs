//! What goes wrong with a file. Each message is one line that begins with its path.

use std::io;
use std::path::{Path, PathBuf};

use dp_exact::shown;

/// Why a file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system says no, or there is no file of a kind that is accepted.
    #[error("{}: {source}", shown(path))]
    System {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// Another process is to write to it, a pipe or a terminal, and does not.
    #[error("{}: nothing was written to it for {seconds} seconds", shown(path))]
    Silent {
        /// The file.
        path: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },
    /// It has more bytes than are accepted. The rest was not read.
    #[error("{}: longer than {max} bytes", shown(path))]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The most that is accepted.
        max: u64,
    },
}

impl FileError {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::System { path, .. } | Self::Silent { path, .. } | Self::TooLong { path, .. } => {
                path
            }
        }
    }

    pub(crate) fn system(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::System { path, source }
    }
}

impl From<FileError> for io::Error {
    /// An error of the same kind, which still names the file.
    fn from(error: FileError) -> Self {
        let kind = match &error {
            FileError::System { source, .. } => source.kind(),
            FileError::Silent { .. } => io::ErrorKind::TimedOut,
            FileError::TooLong { .. } => io::ErrorKind::FileTooLarge,
        };
        Self::new(kind, error)
    }
}
