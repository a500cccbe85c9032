//! What goes wrong with a file. Each message is one line that begins with its path.

use std::io;
use std::path::{Path, PathBuf};

use dp_exact::shown;

/// Why a file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", shown(path))]
pub struct FileError {
    path: PathBuf,
    reason: Reason,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The operating system says no.
    #[error(transparent)]
    System(#[from] io::Error),
    /// It has more bytes than are accepted. The rest was not read.
    #[error("longer than {max} bytes")]
    TooLong {
        /// The most that is accepted.
        max: u64,
    },
    /// It is no regular file, and its name does not say that it is none on purpose.
    #[error("not a regular file: name a pipe as /dev/stdin, /dev/stdout or <(...) of a shell")]
    Kind,
    /// Its name or its folder begins with `/dev/` or `/proc/`, and it is a regular file or not
    /// there.
    #[error("no pipe or device: name the file itself, or - for standard output")]
    Detour,
    /// It must not be written by any user.
    #[error("read-only")]
    ReadOnly,
    /// It is there, and is replaced by force alone.
    #[error("exists already, and is not of this command")]
    Foreign,
}

impl FileError {
    /// The error that `path` cannot be read or written, for this reason.
    pub(crate) fn new(path: &Path, reason: impl Into<Reason>) -> Self {
        let (path, reason) = (path.to_owned(), reason.into());
        Self { path, reason }
    }

    /// What is wrong with it.
    pub const fn reason(&self) -> &Reason {
        &self.reason
    }
}

impl From<FileError> for io::Error {
    /// An error of the system's kind, which still names the file.
    fn from(error: FileError) -> Self {
        let kind = match &error.reason {
            Reason::System(source) => source.kind(),
            _ => io::ErrorKind::InvalidInput,
        };
        Self::new(kind, error)
    }
}
