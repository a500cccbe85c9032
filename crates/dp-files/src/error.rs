//! What goes wrong with a file. Each message is one line that begins with its path.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dp_exact::shown;

/// Why a file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", shown(path))]
pub struct FileError {
    path: PathBuf,
    reason: Reason,
}

/// What is wrong with it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The operating system says no.
    #[error(transparent)]
    System(#[from] io::Error),
    /// It is a pipe or a device, and the process at its other end does nothing.
    #[error("nothing was {what} it for {} seconds", patience.as_secs())]
    Silent {
        /// "written to" or "read from".
        what: &'static str,
        /// How long it was waited for.
        patience: Duration,
    },
    /// It has more bytes than are accepted. The rest was not read.
    #[error("longer than {max} bytes")]
    TooLong {
        /// The most that is accepted.
        max: u64,
    },
    /// It is neither a file nor a pipe nor a device that takes a text.
    #[error("not a file, a pipe or a terminal")]
    Kind,
    /// It must not be written, whoever asks.
    #[error("read-only")]
    ReadOnly,
    /// It is there, and is replaced by force alone.
    #[error("exists already, and is {is}")]
    Foreign {
        /// What it is, such as "not of this program".
        is: Cow<'static, str>,
    },
    /// It holds what no program can compute again: it is never replaced.
    #[error("it is {is}, which no output replaces")]
    Kept {
        /// What it is, such as "a budget ledger".
        is: Cow<'static, str>,
    },
    /// It is read for what was to be written to it: it is never replaced.
    #[error("it is an input of the same command, which no output replaces")]
    Input,
    /// Another process is at work to write the same file, or this one writes it already.
    #[error("it is being written, by another process or for another option")]
    InUse,
}

impl FileError {
    pub(crate) fn new(path: &Path, reason: impl Into<Reason>) -> Self {
        let (path, reason) = (path.to_owned(), reason.into());
        Self { path, reason }
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        matches!(&self.reason, Reason::System(error) if error.kind() == io::ErrorKind::Interrupted)
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong with it.
    #[must_use]
    pub fn reason(&self) -> &Reason {
        &self.reason
    }
}

/// A directory, where a file is expected.
pub(crate) fn is_a_directory() -> io::Error {
    io::Error::new(io::ErrorKind::IsADirectory, "it is a directory")
}

impl From<FileError> for io::Error {
    /// An error of the same kind, which still names the file.
    fn from(error: FileError) -> Self {
        let kind = match &error.reason {
            Reason::System(source) => source.kind(),
            Reason::Silent { .. } => io::ErrorKind::TimedOut,
            Reason::TooLong { .. } => io::ErrorKind::FileTooLarge,
            Reason::Kind => io::ErrorKind::InvalidInput,
            Reason::ReadOnly => io::ErrorKind::PermissionDenied,
            Reason::Foreign { .. } | Reason::Kept { .. } | Reason::Input => {
                io::ErrorKind::AlreadyExists
            }
            Reason::InUse => io::ErrorKind::ResourceBusy,
        };
        Self::new(kind, error)
    }
}
