//! Files to be read, with errors that name the file.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::durable::folder_of;
use crate::error::{FileError, Reason};

/// A file that is open for reading. Each error of [`Read`] is made from a [`FileError`], and so
/// names the file. Bound what is read from an endless device with [`Read::take`], or use
/// [`read_limited`].
#[derive(Debug)]
pub struct Input {
    file: File,
    path: PathBuf,
}

impl Input {
    /// Opens a regular file; or by a name in `/dev` or `/proc` a pipe or a device, such as
    /// `/dev/stdin` or `<(…)` of a shell. On Unix `-` is `/dev/stdin`.
    ///
    /// # Errors
    /// If the file cannot be opened, or is anything else: a named pipe would wait for its writer
    /// for ever.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let failed = |error| FileError::new(path, error);
        let is_dash = cfg!(unix) && path.as_os_str() == "-";
        let place = if is_dash { Path::new("/dev/stdin") } else { path };
        let there = fs::metadata(place).map_err(failed)?;
        if there.is_dir() {
            return Err(failed(ErrorKind::IsADirectory.into()));
        }
        if !there.is_file() && !is_passed(place) {
            return Err(FileError::new(path, Reason::Kind));
        }
        let file = File::open(place).map_err(failed)?;
        let path = path.to_owned();
        Ok(Self { file, path })
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer);
        read.map_err(|error| match error.kind() {
            // The caller tries again.
            ErrorKind::Interrupted => error,
            _ => FileError::new(&self.path, error).into(),
        })
    }
}

/// Whether a path names what the user has passed on purpose, whatever its kind: standard input and
/// output, a device, `<(…)` of a shell. Its folder decides, wherever `..` and links lead.
pub(crate) fn is_passed(path: &Path) -> bool {
    fs::canonicalize(folder_of(path)).is_ok_and(|folder| begins_in_system(&folder))
}

/// Whether a path begins with `/dev/` or `/proc/`. Files of `/dev/shm` are files in memory.
pub(crate) fn begins_in_system(path: &Path) -> bool {
    let is_device = path.starts_with("/dev") && !path.starts_with("/dev/shm");
    is_device || path.starts_with("/proc")
}

/// A whole file of at most `max` bytes. Of a longer file, or of an endless device, `max` + 1 bytes
/// are read.
///
/// # Errors
/// If the file cannot be read or is longer.
pub fn read_limited(path: &Path, max: u64) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    let file = Input::open(path)?.file;
    let read = file.take(max.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| FileError::new(path, error))?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > max) {
        return Err(FileError::new(path, Reason::TooLong { max }));
    }
    Ok(bytes)
}
