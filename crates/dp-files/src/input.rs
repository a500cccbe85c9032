//! Files to be read, of any kind, without ever blocking for good.
//!
//! Opening a FIFO waits for its other end, and reading from a pipe or a terminal waits for a writer:
//! a program that is given the wrong path would wait for ever. So every file is opened without
//! blocking, and what is no regular file is read only once the system says that there is something,
//! which it must within [`PATIENCE`]. (On systems other than Unix there is no such limit.)

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::FileError;

/// The longest time that another process may take to write the next piece of a pipe.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A file that is open for reading. Each error of [`Read`] is made from a [`FileError`], and so names
/// the file.
///
/// A device can be endless, as `/dev/zero` is: bound what is read with [`Read::take`], or use
/// [`read_limited`].
#[derive(Debug)]
pub struct Input {
    file: File,
    path: PathBuf,
    is_regular: bool,
    patience: Duration,
}

impl Input {
    /// Opens a regular file, a FIFO, a device, or what `/dev/stdin` and `<(…)` of a shell stand for.
    ///
    /// # Errors
    /// If the file cannot be opened, or is a directory.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        Self::open_with(path, PATIENCE)
    }

    /// The same, with another limit to each wait.
    ///
    /// # Errors
    /// If the file cannot be opened, or is a directory.
    pub fn open_with(path: &Path, patience: Duration) -> Result<Self, FileError> {
        let failed = |error| FileError::system(path, error);
        let file = system::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        Ok(Self {
            file,
            path: path.to_owned(),
            is_regular: metadata.is_file(),
            patience,
        })
    }

    /// The path, as it was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn read_piece(&mut self, buffer: &mut [u8]) -> Result<usize, FileError> {
        let failed = |error| FileError::system(&self.path, error);
        loop {
            if !self.is_regular && !system::is_ready(&self.file, self.patience).map_err(failed)? {
                return Err(FileError::Silent {
                    path: self.path.clone(),
                    seconds: self.patience.as_secs(),
                });
            }
            match self.file.read(buffer) {
                // Another process has read it first.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && !self.is_regular => {}
                other => return other.map_err(failed),
            }
        }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_piece(buffer).map_err(io::Error::from)
    }
}

/// A whole file of at most `max` bytes. What is longer is refused, endless devices too, and no more
/// than `max` + 1 bytes of it are held.
///
/// # Errors
/// If the file cannot be read or is longer, or if a pipe stays silent for [`PATIENCE`].
pub fn read_limited(path: &Path, max: u64) -> Result<Vec<u8>, FileError> {
    let mut input = Input::open(path)?;
    let mut bytes = Vec::new();
    let mut buffer = [0; 1 << 14];
    loop {
        let count = match input.read_piece(&mut buffer) {
            Err(FileError::System { source, .. })
                if source.kind() == io::ErrorKind::Interrupted =>
            {
                continue;
            }
            other => other?,
        };
        if count == 0 {
            return Ok(bytes);
        }
        bytes.extend_from_slice(&buffer[..count]);
        if u64::try_from(bytes.len()).is_ok_and(|length| length > max) {
            let path = path.to_owned();
            return Err(FileError::TooLong { path, max });
        }
    }
}

#[cfg(unix)]
mod system {
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::unix::fs::OpenOptionsExt as _;
    use std::path::Path;
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::OFlags;
    use rustix::io::Errno;

    /// Opens without waiting for the other end of a FIFO, and never as the terminal of the process.
    pub(super) fn open(path: &Path) -> io::Result<File> {
        let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        OpenOptions::new().read(true).custom_flags(flags).open(path)
    }

    /// Waits until something can be read, or until the end of the file; `false` if nothing came.
    pub(super) fn is_ready(file: &File, patience: Duration) -> io::Result<bool> {
        let end = Instant::now() + patience;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).map_err(io::Error::other)?;
            match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&left)) {
                Err(Errno::INTR) => {}
                other => return Ok(other? > 0),
            }
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::File;
    use std::io;
    use std::path::Path;
    use std::time::Duration;

    pub(super) fn open(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    pub(super) fn is_ready(_: &File, _: Duration) -> io::Result<bool> {
        Ok(true)
    }
}
