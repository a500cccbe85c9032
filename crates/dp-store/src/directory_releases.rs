//! The shares that an aggregator released: a file for each.
//!
//! The file of a release is named by the hexadecimal digits of its key, and holds SHA-256 of the
//! share and the share.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use dp_prio3::releases::{ReleaseKey, ReleaseStore, StoreError};
use sha2::{Digest as _, Sha256};
use tempfile::Builder;

use crate::regular;

/// The bytes of SHA-256.
const DIGEST: usize = 32;

/// How the names of files begin that are not whole yet.
const UNFINISHED: &str = ".unfinished-";

/// What was released, in a directory.
///
/// Any number of aggregators, threads and processes may share it, forked ones as well: it holds nothing between two
/// calls.
#[derive(Clone, Debug)]
pub struct DirectoryReleases {
    path: PathBuf,
}

impl DirectoryReleases {
    /// A directory for releases, where nothing is yet. Its owner alone may enter it.
    ///
    /// # Errors
    /// If there is something at `path`, or it cannot be made.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        regular::create_private_directory(path).map_err(|error| regular::at(path, error))?;
        Self::open(path)
    }

    /// The releases in the directory at `path`, which must be there. Its files are readable by their owner alone;
    /// who may enter the directory stays as it is. Files that a killed process left
    /// unfinished beside them are removed, unless somebody is writing there just now.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref().to_owned();
        let found = fs::metadata(&path).map_err(|error| regular::at(&path, error))?;
        if !found.is_dir() {
            let line = format!("{} is no directory", path.display());
            return Err(io::Error::new(ErrorKind::NotADirectory, line));
        }
        let directory = File::open(&path)?;
        if directory.try_lock().is_ok() {
            for entry in fs::read_dir(&path)? {
                let entry = entry?;
                if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                    let left = entry.path();
                    fs::remove_file(&left).map_err(|error| regular::at(&left, error))?;
                }
            }
        }
        Ok(Self { path })
    }

    fn keep_file(&self, key: &ReleaseKey, share: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let place = self.path.join(name(key));
        if let Some(known) = self.known(&place)? {
            return Ok(Some(known));
        }
        // Whoever opens the directory meanwhile does not take the file for one that was left.
        let directory = File::open(&self.path)?;
        directory.lock_shared()?;
        let mut file = Builder::new().prefix(UNFINISHED).tempfile_in(&self.path)?;
        file.write_all(&Sha256::digest(share))?;
        file.write_all(share)?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(&place) {
            Ok(_) => self.sync().map(|()| None),
            // Somebody else was first: theirs is what was released. Something without a content,
            // such as a link that leads nowhere, keeps nothing, and nothing may be released then.
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {
                let known = self.known(&place)?;
                known.map(Some).ok_or_else(|| {
                    let line = format!("{} is there and cannot be read", place.display());
                    io::Error::new(ErrorKind::InvalidData, line)
                })
            }
            Err(error) => Err(error.error),
        }
    }

    /// The share that is kept at a place, if there is one. Whoever put it there may have stopped
    /// before its name was on the disk: it is from now on.
    fn known(&self, place: &Path) -> io::Result<Option<Vec<u8>>> {
        let known = read(place)?;
        if known.is_some() {
            self.sync()?;
        }
        Ok(known)
    }

    /// Waits until the names in the directory are on the disk.
    fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }
}

impl ReleaseStore for DirectoryReleases {
    fn keep(&self, key: &ReleaseKey, share: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.keep_file(key, share)
            .map_err(|error| StoreError::new(regular::at(&self.path, error)))
    }

    fn find(&self, key: &ReleaseKey) -> Result<Option<Vec<u8>>, StoreError> {
        // A directory that is gone cannot tell.
        let known = self
            .sync()
            .and_then(|()| self.known(&self.path.join(name(key))));
        known.map_err(|error| StoreError::new(regular::at(&self.path, error)))
    }
}

/// Whether the file at this path has the name of a release.
pub(crate) fn is_name(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    name.is_some_and(|name| name.len() == 64 && name.bytes().all(is_digit))
}

fn name(key: &ReleaseKey) -> String {
    key.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The share in a file, if there is one.
fn read(place: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut content = match regular::read(place) {
        Ok(content) => content,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let line = format!("{}: {error}", place.display());
            return Err(io::Error::new(error.kind(), line));
        }
    };
    let share = content.split_off(content.len().min(DIGEST));
    if content == Sha256::digest(&share)[..] {
        Ok(Some(share))
    } else {
        let line = format!("{} was altered", place.display());
        Err(io::Error::new(ErrorKind::InvalidData, line))
    }
}
