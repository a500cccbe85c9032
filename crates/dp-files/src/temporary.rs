//! The file beside a file, in which its new content is written.
//!
//! Its name is made from the name of the file, so that a process finds what an earlier one left that
//! was killed. It is locked as long as it lives: what is locked belongs to a process that is at work,
//! what is not was left.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::error::Reason;
use crate::{signals, system};

/// How the name of such a file begins.
const PREFIX: &str = ".dp-files-";

/// How many names are tried. One is enough unless another user has left a file of that name.
const NAMES: u32 = 8;

/// How often a name is tried while other processes clear it away.
const TRIES: u32 = 100;

/// A file that is removed with this value, unless it was moved to its place.
#[derive(Debug)]
pub(crate) struct Temporary {
    file: File,
    path: PathBuf,
}

/// What became of a name.
enum Name {
    Begun(File),
    /// Something that this process may not remove, or that changes all the time.
    Taken,
}

impl Temporary {
    /// Begins a file beside `place`. It can be read by the user alone if it is `private`, else by
    /// whom the process lets read its new files.
    pub(crate) fn beside(place: &Path, private: bool) -> Result<Self, Reason> {
        for number in 0..NAMES {
            let path = place.with_file_name(name(place.file_name().unwrap_or_default(), number));
            if let Name::Begun(file) = begin(&path, private)? {
                return Ok(Self { file, path });
            }
        }
        Err(io::Error::from(ErrorKind::AlreadyExists).into())
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Puts the file where it belongs, on the disk when this returns.
    pub(crate) fn move_to(self, place: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        let mut files = signals::files();
        // What another process has put there instead is not what was written.
        if !leads_to(&self.path, &self.file) {
            return Err(ErrorKind::NotFound.into());
        }
        fs::rename(&self.path, place)?;
        files.retain(|file| *file != self.path);
        drop(files);
        sync_folder(place)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut files = signals::files();
        // Not if it was moved: the name may be that of another process by now.
        if files.contains(&self.path) {
            files.retain(|file| *file != self.path);
            if leads_to(&self.path, &self.file) {
                let _ = fs::remove_file(&self.path);
            }
        }
    }
}

/// Removes what processes that are no more have left in a folder.
///
/// Files of this name that nobody holds locked are of no use to anybody: the process that finishes one holds it locked
/// from its beginning on.
///
/// # Errors
/// If the folder cannot be read.
pub fn remove_leftovers(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(PREFIX)) {
            // What another process works at, or another user has left, stays.
            let _ = remove_left(&entry.path());
        }
    }
    Ok(())
}

fn name(target: &OsStr, number: u32) -> String {
    // FNV-1a with 64 bits: of one length for every target, and the same in every version.
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let bytes = target.as_encoded_bytes().iter();
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, step);
    format!("{PREFIX}{hash:016x}-{number}")
}

fn begin(path: &Path, private: bool) -> Result<Name, Reason> {
    for _ in 0..TRIES {
        match create(path, private) {
            Ok(Some(file)) => return Ok(Name::Begun(file)),
            Ok(None) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                if !remove_left(path)? {
                    return Ok(Name::Taken);
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Name::Taken)
}

/// A new file of this name, locked; `None` if another process took it for one that was left.
fn create(path: &Path, private: bool) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    if private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let mut files = signals::files();
    let file = options.open(path)?;
    if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) || !leads_to(path, &file) {
        return Ok(None);
    }
    files.push(path.to_owned());
    Ok(Some(file))
}

/// Removes a file that nobody holds locked; `false` if that is not for this process to do.
fn remove_left(path: &Path) -> Result<bool, Reason> {
    let is_file = |path: &Path| fs::symlink_metadata(path).is_ok_and(|there| there.is_file());
    if !is_file(path) {
        return Ok(!path.is_symlink() && !path.exists());
    }
    let Ok(file) = system::open(OpenOptions::new().read(true), path) else {
        return Ok(false);
    };
    let is_own = file
        .metadata()
        .is_ok_and(|file| system::is_owned_by_user(&file));
    match file.try_lock() {
        Err(TryLockError::WouldBlock) if is_own => Err(Reason::InUse),
        Ok(()) if !leads_to(path, &file) => Ok(true),
        Ok(()) => Ok(fs::remove_file(path).is_ok()),
        Err(_) => Ok(false),
    }
}

fn leads_to(path: &Path, file: &File) -> bool {
    match (fs::symlink_metadata(path), file.metadata()) {
        (Ok(there), Ok(file)) => system::is_same(&there, &file),
        _ => false,
    }
}

/// Waits until the names in the folder are on the disk, where the system can.
fn sync_folder(place: &Path) -> io::Result<()> {
    let folder = place.parent().filter(|_| cfg!(unix)).map(File::open);
    match folder {
        Some(Ok(folder)) => match folder.sync_all() {
            Err(error) if error.kind() != ErrorKind::InvalidInput => Err(error),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}
