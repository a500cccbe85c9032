//! A ledger's file among others: found, begun, locked, and still the same one.
//!
//! **Still the same.** A lock belongs to a file, not to its path. If the file is deleted or replaced
//! while it is open, a second process can lock another one under the same path, and both would
//! spend the whole limit. So the path is looked up again after locking and around every write, and
//! must lead to the file that is open: on Unix by device and inode, elsewhere by the time of its
//! creation, where the system tells it.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dp_exact::shown;

use crate::LedgerError;
use crate::format::{MAGIC, MAX_FILE};

/// How often a lock is tried.
const PAUSE: Duration = Duration::from_millis(10);

/// How often a file that is replaced is opened again, at least.
const ATTEMPTS: u32 = 8;

/// Opens a regular file of bounded size. A pipe or a device is refused before it is opened, which
/// could block.
pub(crate) fn open(path: &Path, for_writing: bool) -> Result<File, LedgerError> {
    let failed = |error| LedgerError::file(path, error);
    let check = |metadata: &fs::Metadata| {
        if !metadata.is_file() {
            return Err(LedgerError::not_a_ledger(path, "it is no regular file"));
        }
        if metadata.len() > MAX_FILE {
            return Err(LedgerError::not_a_ledger(path, "it is larger than 1 GiB"));
        }
        Ok(())
    };
    check(&fs::metadata(path).map_err(failed)?)?;
    let mut options = OpenOptions::new();
    let file = options.read(true).write(for_writing).open(path);
    let file = file.map_err(failed)?;
    check(&file.metadata().map_err(failed)?)?;
    Ok(file)
}

/// Opens a file for writing, locked against other processes, waiting up to `patience`. Where the file was replaced
/// meanwhile, by whoever had it open, the next one is opened.
pub(crate) fn open_locked(path: &Path, patience: Duration) -> Result<File, LedgerError> {
    let begun = Instant::now();
    let mut attempt = 1;
    loop {
        let file = open(path, true)?;
        let left = patience.saturating_sub(begun.elapsed());
        match lock(&file, path, left) {
            Ok(()) => return Ok(file),
            Err(LedgerError::Changed { .. }) if attempt < ATTEMPTS || !left.is_zero() => {}
            Err(error) => return Err(error),
        }
        attempt += 1;
    }
}

/// Locks the file against other processes, waiting up to `patience`, and makes sure that the path
/// still leads to it.
fn lock(file: &File, path: &Path, patience: Duration) -> Result<(), LedgerError> {
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return check_same(file, path),
            Err(TryLockError::Error(error)) => return Err(LedgerError::file(path, error)),
            Err(TryLockError::WouldBlock) if begun.elapsed() >= patience => {
                return Err(LedgerError::InUse { path: shown(path) });
            }
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
        }
    }
}

/// Whether the path leads to the open file.
pub(crate) fn check_same(file: &File, path: &Path) -> Result<(), LedgerError> {
    let failed = |error| LedgerError::file(path, error);
    let there = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(LedgerError::changed(path, "the file was deleted"));
        }
        other => other.map_err(failed)?,
    };
    if identity(&there) == identity(&file.metadata().map_err(failed)?) {
        return Ok(());
    }
    Err(LedgerError::changed(path, "the file was replaced"))
}

#[cfg(unix)]
fn identity(metadata: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(metadata: &fs::Metadata) -> Option<std::time::SystemTime> {
    metadata.created().ok()
}

/// Begins a file with these bytes, where there is nothing yet, and locks it. It appears under its
/// path whole and on the disk, or not at all; only where the system has no links (FAT, some shares)
/// a crash can leave the beginning of one, which is refused as damaged. Its owner alone may read it.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> Result<File, LedgerError> {
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::AlreadyExists => LedgerError::Exists { path: shown(path) },
        _ => LedgerError::file(path, error),
    };
    if fs::symlink_metadata(path).is_ok() {
        return Err(failed(ErrorKind::AlreadyExists.into()));
    }
    let folder = folder_of(path);
    let (file, beside) = begin_beside(&folder).map_err(failed)?;
    // A link, unlike a renaming, never replaces what is there.
    let linked = fill(&file, bytes).map(|()| fs::hard_link(&beside, path));
    let removed = fs::remove_file(&beside);
    let file = match linked.map_err(failed)? {
        Ok(()) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(failed(error)),
        Err(_) => begin_there(path, bytes).map_err(failed)?,
    };
    removed
        .and_then(|()| sync_folder(&folder))
        .map_err(failed)?;
    check_same(&file, path)?;
    Ok(file)
}

/// Puts a new file in the place of the open one, in one step: `fill` writes it, it is on the disk and locked before
/// it is there, and whoever stops in between leaves the old one. With the owner and the permissions of the old one;
/// until it is whole, only its owner may read it.
pub(crate) fn replace(
    file: &File,
    path: &Path,
    fill: impl FnOnce(&File) -> Result<(), LedgerError>,
) -> Result<File, LedgerError> {
    let failed = |error| LedgerError::file(path, error);
    let metadata = file.metadata().map_err(failed)?;
    if has_other_links(&metadata) {
        let reason = "the file has a second hard link, which would keep what was spent before: record the \
                      releases one by one, or remove the link";
        return Err(failed(io::Error::new(ErrorKind::Unsupported, reason)));
    }
    // What a symbolic link leads to is replaced, and not the link.
    let target = fs::canonicalize(path).map_err(failed)?;
    let folder = folder_of(&target);
    let not_replaced = |error: io::Error| {
        let reason = format!(
            "{error}: several releases are recorded in a new file that takes the place of this one; record them \
             one by one, or as the owner of the file and of a folder that can be written"
        );
        failed(io::Error::new(error.kind(), reason))
    };
    let (copy, beside) = begin_beside(&folder).map_err(not_replaced)?;
    let moved = own(&copy, &metadata)
        .map_err(not_replaced)
        .and_then(|()| fill(&copy))
        .and_then(|()| {
            copy.set_permissions(metadata.permissions())
                .and_then(|()| copy.sync_all())
                .map_err(failed)?;
            check_same(file, path)?;
            fs::rename(&beside, &target).map_err(not_replaced)
        });
    if let Err(error) = moved {
        let _ = fs::remove_file(&beside);
        return Err(error);
    }
    sync_folder(&folder).map_err(failed)?;
    check_same(&copy, path)?;
    Ok(copy)
}

#[cfg(unix)]
fn has_other_links(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    metadata.nlink() > 1
}

#[cfg(not(unix))]
fn has_other_links(_: &fs::Metadata) -> bool {
    false
}

/// Gives a new file to whom the old one belongs.
#[cfg(unix)]
fn own(copy: &File, old: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let new = copy.metadata()?;
    let changed = |new: u32, old: u32| (new != old).then_some(old);
    let (user, group) = (changed(new.uid(), old.uid()), changed(new.gid(), old.gid()));
    if user.is_none() && group.is_none() {
        return Ok(());
    }
    fchown(copy, user, group)
}

#[cfg(not(unix))]
fn own(_: &File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// How the files are called in which ledgers are begun.
const BESIDE: &str = ".dp-ledger-";

/// A new file of a name that nobody else uses, locked.
fn begin_beside(folder: &Path) -> io::Result<(File, PathBuf)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    remove_abandoned(folder);
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{BESIDE}{}-{number}", std::process::id()));
        let file = match begin(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            other => other?,
        };
        // Until it is locked, another process may take it for abandoned.
        if file.try_lock().is_ok() && check_same(&file, &path).is_ok() {
            return Ok((file, path));
        }
    }
}

/// Removes what processes left that were stopped while they began or replaced the ledger at `path` or one beside it.
pub(crate) fn remove_abandoned_beside(path: &Path) {
    if let Ok(target) = fs::canonicalize(path) {
        remove_abandoned(&folder_of(&target));
    }
}

/// Removes what processes left that were stopped while they began a ledger: files of such a name
/// that nobody has locked. What cannot be looked at or removed stays.
fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && is_beside(&entry.file_name()) {
            let path = entry.path();
            if let Ok(file) = File::open(&path)
                && file.try_lock().is_ok()
                && check_same(&file, &path).is_ok()
                && is_begun(&file)
            {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

/// Whether a file is called as [`begin_beside`] calls one.
fn is_beside(name: &OsStr) -> bool {
    let numbers = name.to_str().and_then(|name| name.strip_prefix(BESIDE));
    let numbers = numbers.and_then(|numbers| numbers.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// Whether there is nothing in a file but a ledger or its beginning.
fn is_begun(file: &File) -> bool {
    let mut bytes = Vec::new();
    let read = file.take(MAGIC.len() as u64).read_to_end(&mut bytes);
    read.is_ok() && MAGIC.starts_with(&bytes)
}

/// A new file that its owner alone may read: what was spent may tell what was measured.
fn begin(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.read(true).write(true).create_new(true).open(path)
}

/// Begins the file under its own path, where the system has no links.
fn begin_there(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let file = begin(path)?;
    file.try_lock().map_err(io::Error::from)?;
    fill(&file, bytes)?;
    Ok(file)
}

fn fill(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Waits until the entries of a directory are on the disk. Where a directory cannot be opened, as
/// on Windows, the system keeps them with the file.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};

    use super::*;

    /// A ledger that only its owner reads is not readable by others while it is replaced, and stays its owner's.
    #[test]
    fn a_file_that_is_replaced_keeps_its_owner_and_its_secrecy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("visits.ledger");
        let file = create(&path, b"old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        // Only root can give a file away.
        let _ = chown(&path, Some(1234), Some(1234));
        let old = file.metadata().unwrap();
        let copy = replace(&file, &path, |copy| {
            let new = copy.metadata().unwrap();
            assert_eq!(new.mode() & 0o777, 0o600);
            assert_eq!((new.uid(), new.gid()), (old.uid(), old.gid()));
            fill(copy, b"new").map_err(|error| LedgerError::file(&path, error))
        });
        let new = copy.unwrap().metadata().unwrap();
        assert_eq!(new.mode() & 0o777, 0o640);
        assert_eq!((new.uid(), new.gid()), (old.uid(), old.gid()));
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }
}
