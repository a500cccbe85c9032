//! Files that outlive a crash: written whole, on the disk with their folder, locked, private.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::{Builder, NamedTempFile};

/// The beginning of the name of a file that is not completely written yet.
pub(crate) const PREFIX: &str = ".dp-files-";

/// The time between two attempts to take a lock.
const PAUSE: Duration = Duration::from_millis(10);

/// The age at which a folder was left by a killed writer: none takes so long.
const DAY: Duration = Duration::from_secs(86_400);

/// The longest wait for a process that looks whether a file that is being begun was left.
const PATIENCE: Duration = Duration::from_secs(5);

/// The folders from which this process has removed what killed writers left.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Begins a file in the folder of `path`, locked until the file is dropped or, after its move,
/// closed. If `private`, its owner alone may read it; else its mode is the process's default. `Err`
/// if the file cannot be locked, or others lock each new file for 5 seconds.
pub(crate) fn begin_beside(path: &Path, private: bool) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    if !private {
        // Less what the process takes away from its new files.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let begun = Instant::now();
    loop {
        let file = builder.tempfile_in(folder_of(path))?;
        // Until it is locked, another process may take it for one that was left.
        if try_lock(file.as_file())? && is_at(file.as_file(), file.path())? {
            return Ok(file);
        }
        if begun.elapsed() >= PATIENCE {
            return Err(in_use());
        }
        thread::sleep(PAUSE);
    }
}

/// Whether `file` is locked for this process now; `false` if another process holds the lock. `Err`
/// if its file system does not lock files, or the lock fails; a signal is no failure.
fn try_lock(file: &File) -> io::Result<bool> {
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
            Err(TryLockError::Error(error)) => {
                let what = what_failed(&error);
                return Err(io::Error::new(error.kind(), format!("{what}: {error}")));
            }
        }
    }
}

/// What the `error` of a lock says, in words: some networks have no locks, and a disk may fail.
fn what_failed(error: &io::Error) -> &'static str {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let none = [Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOLCK];
        if Errno::from_io_error(error).is_some_and(|error| none.contains(&error)) {
            return "its file system does not lock files";
        }
    }
    match error.kind() {
        ErrorKind::Unsupported => "its file system does not lock files",
        _ => "its lock fails",
    }
}

/// The error for a file that another process keeps locked.
fn in_use() -> io::Error {
    let reason = "in use by another process, which `fuser` or `lsof` names";
    io::Error::new(ErrorKind::ResourceBusy, reason)
}

/// Creates a file that its owner alone may read (mode 0600), where nothing is yet. It appears at
/// `path` whole and on the disk, or not at all, and is returned open and locked. A killed process
/// may leave a file `.dp-files-…` beside it, until [`remove_leftovers`] of that folder.
///
/// # Errors
/// [`ErrorKind::AlreadyExists`] if there is anything at `path`; if the file cannot be written or
/// locked. If only its folder cannot be synced, the file is there, and a crash may take it away.
pub fn create(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<File> {
    let file = filled_beside(path, fill)?.persist_noclobber(path).map_err(|error| error.error)?;
    sync_folder(folder_of(path))?;
    Ok(file)
}

/// Puts a file that its owner alone may read in the place of another one, if there is one. A reader
/// finds the old content or the new, whole; the new is on the disk when this succeeds.
///
/// # Errors
/// If the file cannot be written or locked. If only its folder cannot be synced, readers find the
/// new content, and a crash may bring the old one back.
pub fn replace(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    filled_beside(path, fill)?.persist(path).map_err(|error| error.error)?;
    sync_folder(folder_of(path))
}

/// A new file beside `path`, to be moved there, with its content on the disk. Its owner alone may
/// read it.
fn filled_beside(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<NamedTempFile> {
    let mut file = begin_beside(path, true)?;
    fill(&mut file)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Creates a folder that its owner alone may enter (mode 0700), where nothing or an empty folder
/// is: with all that `fill` writes there and syncs, or not at all.
///
/// A killed process may leave a folder `.dp-files-…` beside it, which a call a day later removes.
///
/// # Errors
/// If there is something at `path`, or the folder cannot be made.
pub fn create_folder(path: &Path, fill: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let mut builder = Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    // What cannot be looked at stays.
    let _ = remove_leftovers(folder_of(path));
    let fresh = builder.prefix(PREFIX).tempdir_in(folder_of(path))?;
    fill(fresh.path())?;
    sync_folder(fresh.path())?;
    // A folder is not put into the place of one that has files.
    fs::rename(fresh.path(), path)?;
    // It is at its place now.
    let _ = fresh.keep();
    sync_folder(folder_of(path))
}

/// Waits until the names in a folder are on the disk. Systems other than Unix keep them with the
/// file.
///
/// # Errors
/// If the system does not say that they are.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder)?.sync_all() {
        // Some file systems have no such call.
        Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(()),
        other => other,
    }
}

/// The folder that holds `path`; the current one for a bare name.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Locks a file against other processes, waiting up to `patience`. The lock ends when the file is
/// closed or the process ends.
///
/// # Errors
/// [`ErrorKind::ResourceBusy`] if another process keeps the lock; another kind if the file system
/// does not lock files, or the lock fails.
pub fn lock(file: &File, patience: Duration) -> io::Result<()> {
    let begun = Instant::now();
    while !try_lock(file)? {
        if begun.elapsed() >= patience {
            return Err(in_use());
        }
        thread::sleep(PAUSE);
    }
    Ok(())
}

/// Whether `path` still leads to an open file; `false` if it leads nowhere. Another file in its
/// place could be locked by a second process.
///
/// # Errors
/// If the system does not say.
pub fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        there => Ok(is_same(&there?, &file.metadata()?)),
    }
}

/// Whether two files are one: on Unix by device and inode, elsewhere by the time of creation.
pub(crate) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    }
    #[cfg(not(unix))]
    matches!((one.created(), other.created()), (Ok(one), Ok(other)) if one == other)
}

/// Opens a regular file, or what a link leads to; not a pipe, which could block, nor a device,
/// which might never end.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] if it is no regular file; if it cannot be opened.
pub fn open_regular(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let check = |metadata: Metadata| match metadata.is_file() {
        true => Ok(()),
        false => Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file")),
    };
    // Opening a pipe would wait for its other end.
    check(fs::metadata(path)?)?;
    let file = options.open(path)?;
    check(file.metadata()?)?;
    Ok(file)
}

/// Options to write a file that, where it is new, its owner alone may read.
#[must_use]
pub fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Removes what killed writers have left in a folder ([`remove_leftovers`]), once in each process:
/// a folder of many files is not read for every output. What cannot be looked at stays.
pub(crate) fn sweep_once(folder: &Path) {
    // A panic of another holder leaves a set of folders.
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.insert(folder.to_owned()) {
        let _ = remove_leftovers(folder);
    }
}

/// Removes what killed writers have left in a folder: files that are not locked, as a file that is
/// being written is, and folders that are a day old.
///
/// # Errors
/// If the folder cannot be read.
pub fn remove_leftovers(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if !name.is_some_and(|name| name.starts_with(PREFIX)) {
            continue;
        }
        let Ok(there) = fs::symlink_metadata(&path) else { continue };
        // What another user has left stays, and what has no age.
        let age = there.modified().ok().and_then(|begun| begun.elapsed().ok());
        if there.is_dir() && age.is_some_and(|age| age > DAY) {
            let _ = fs::remove_dir_all(&path);
        } else if there.is_file()
            && let Ok(file) = open_regular(&path, OpenOptions::new().read(true))
            && file.try_lock().is_ok()
            && is_at(&file, &path)?
        {
            let _ = fs::remove_file(&path);
        }
    }
    Ok(())
}
