//! The shares that an aggregator released: a file for each.
//!
//! The file of a release is named by the hexadecimal digits of its key, and holds SHA-256 of the
//! share and the share.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use dp_exact::hexadecimal;
use sha2::{Digest as _, Sha256};

use super::{altered, at, named, read};
use crate::releases::{ReleaseKey, ReleaseStore, StoreError};

/// What was released, in a directory.
///
/// Any number of aggregators, threads and processes may share it, forked ones as well. One of them
/// releases a batch, and a killed process leaves a whole file or none. A file that cannot be read,
/// or was altered, is an error, and nothing is released.
///
/// Deleting a file, or restoring an old copy of the directory, makes a second release of its batch
/// possible: nothing on the same disk can detect that.
#[derive(Clone, Debug)]
pub struct DirectoryReleases {
    path: PathBuf,
}

impl DirectoryReleases {
    /// A directory for releases, where nothing or an empty directory is. Its owner alone may enter
    /// it.
    ///
    /// # Errors
    /// If there is something at `path`, or it cannot be made.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        dp_files::create_folder(path, |_| Ok(())).map_err(|error| at(path, error))?;
        Self::open(path)
    }

    /// The releases in the directory at `path`, whose permissions stay as they are; its files are
    /// readable by their owner alone. What a killed process left beside them is removed.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref().to_owned();
        let found = fs::metadata(&path).map_err(|error| at(&path, error))?;
        if !found.is_dir() {
            return Err(named(&path, ErrorKind::NotADirectory, "no directory"));
        }
        dp_files::remove_leftovers(&path).map_err(|error| at(&path, error))?;
        Ok(Self { path })
    }

    /// Keeps `share` under `key`, and returns `None`; if a share is there already, returns that
    /// share and changes nothing. `Err` if the file is there and altered or unreadable.
    fn keep_file(&self, key: &ReleaseKey, share: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let file = self.file(key);
        if let Some(kept) = self.kept(&file)? {
            return Ok(Some(kept));
        }
        let created = dp_files::create(&file, |output| {
            output.write_all(&Sha256::digest(share))?;
            output.write_all(share)
        });
        match created {
            Ok(_) => Ok(None),
            // Another caller was first, and released its share. A file without content,
            // such as a broken link, keeps nothing, and nothing may be released then.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let kept = self.kept(&file)?;
                let cannot = || altered(&file, "is there and cannot be read");
                kept.map(Some).ok_or_else(cannot)
            }
            Err(error) => Err(error),
        }
    }

    /// The share in a file; `None` if there is no file, `Err` if the file was altered. Makes the
    /// file's name durable: the process that wrote the file may have stopped before.
    fn kept(&self, file: &Path) -> io::Result<Option<Vec<u8>>> {
        let mut content = match read(file) {
            Ok(content) => content,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(named(file, error.kind(), &error.to_string())),
        };
        let share = content.split_off(content.len().min(32));
        if content != Sha256::digest(&share)[..] {
            return Err(altered(file, "was altered"));
        }
        dp_files::sync_folder(&self.path)?;
        Ok(Some(share))
    }

    /// The path of the file for `key`.
    fn file(&self, key: &ReleaseKey) -> PathBuf {
        self.path.join(hexadecimal(&key.0))
    }
}

impl ReleaseStore for DirectoryReleases {
    fn keep(&self, key: &ReleaseKey, share: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.keep_file(key, share).map_err(|error| StoreError::new(at(&self.path, error)))
    }

    fn find(&self, key: &ReleaseKey) -> Result<Option<Vec<u8>>, StoreError> {
        // A directory that is gone is an error, not an absent share.
        let there = dp_files::sync_folder(&self.path);
        let kept = there.and_then(|()| self.kept(&self.file(key)));
        kept.map_err(|error| StoreError::new(at(&self.path, error)))
    }
}
