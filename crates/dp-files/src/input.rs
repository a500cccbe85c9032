//! Files to be read, of any kind, without ever blocking for good.
//!
//! Opening a FIFO waits for its other end, and reading from a pipe or a terminal waits for a writer:
//! a program that is given the wrong path would wait for ever. So every file is opened without
//! blocking, and what is no regular file is read only once the system says that there is something,
//! which it must within [`PATIENCE`]. (On systems other than Unix there is no such limit.)

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{FileError, Reason, is_a_directory};
use crate::system::{self, Wait};

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
        let failed = |error| FileError::new(path, error);
        let file = system::open(OpenOptions::new().read(true), path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(FileError::new(path, is_a_directory()));
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

    /// How many bytes the file has that is open, whatever stands in its place by now.
    ///
    /// # Errors
    /// If the system does not say.
    pub fn size(&self) -> Result<u64, FileError> {
        let metadata = self.file.metadata();
        let metadata = metadata.map_err(|error| FileError::new(&self.path, error))?;
        Ok(metadata.len())
    }

    fn read_piece(&mut self, buffer: &mut [u8]) -> Result<usize, FileError> {
        let failed = |error| FileError::new(&self.path, error);
        loop {
            let is_ready = || system::is_ready(&self.file, Wait::ToRead, self.patience);
            if !self.is_regular && !is_ready().map_err(failed)? {
                let (what, patience) = ("written to", self.patience);
                let silent = Reason::Silent { what, patience };
                return Err(FileError::new(&self.path, silent));
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
            Err(error) if error.is_interrupted() => continue,
            other => other?,
        };
        if count == 0 {
            return Ok(bytes);
        }
        bytes.extend_from_slice(&buffer[..count]);
        if u64::try_from(bytes.len()).is_ok_and(|length| length > max) {
            return Err(FileError::new(path, Reason::TooLong { max }));
        }
    }
}
