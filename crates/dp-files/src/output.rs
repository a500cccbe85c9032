//! A file to be written, checked before the work whose result it takes.

use std::fmt::{self, Debug, Formatter};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read as _, Write};
use std::path::{Path, PathBuf};

use crate::durable::{begin_beside, folder_of, sync_folder};
use crate::error::{FileError, Reason};

/// The number of bytes at the beginning of a file that are read to recognize its kind.
const LOOK: u64 = 1024;

/// A file to be written.
///
/// A **regular file** is written beside its place and moved there: a reader finds the old content
/// or the new, whole, also after a crash. Links are followed; the mode is kept, and the owner where
/// possible. Access lists, extended attributes and hard links stay with the old content.
///
/// **Anything else** that takes text, a pipe, a terminal, all of `/dev`, is written to, never
/// replaced.
pub struct OutputFile {
    path: PathBuf,
    may_replace: Box<MayReplace>,
    way: Way,
}

/// Whether a file with these first bytes may be replaced.
type MayReplace = dyn Fn(&[u8]) -> bool + Send + Sync;

/// Where an output is written.
enum Way {
    /// To a new file beside the file of this name, and then moved to that name.
    Replace(PathBuf),
    /// To an open pipe, terminal or device.
    Direct(File),
}

impl OutputFile {
    /// Makes sure that the file can be written, which [`write`](Self::write) does later. An
    /// existing file with content is replaced if `may_replace` accepts its first 1024 bytes.
    ///
    /// # Errors
    /// If the system refuses the name, the folder is not there, or something is there that may not
    /// be replaced.
    pub fn prepare(
        path: &Path,
        may_replace: impl Fn(&[u8]) -> bool + Send + Sync + 'static,
    ) -> Result<Self, FileError> {
        let way = Way::to(path, &may_replace).map_err(|reason| FileError::new(path, reason))?;
        Ok(Self { path: path.to_owned(), may_replace: Box::new(may_replace), way })
    }

    /// Writes what `fill` writes, all of it or, to a regular file, nothing.
    ///
    /// # Errors
    /// If `fill` or the system fails, or something is there by now that may not be replaced.
    pub fn write(
        self,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), FileError> {
        let written = match &self.way {
            Way::Direct(file) => fill_through(file, fill).map_err(Reason::from),
            Way::Replace(place) => self.replace(place, fill),
        };
        written.map_err(|reason| FileError::new(&self.path, reason))
    }

    /// Writes a file beside `place` and moves it there. After an error before the move `place` is
    /// unchanged.
    fn replace(
        &self,
        place: &Path,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Reason> {
        let is_new = fs::symlink_metadata(place).is_err();
        let file = begin_beside(place, !is_new)?;
        fill_through(file.as_file(), fill)?;
        if let Some(old) = replaceable(place, &self.may_replace)? {
            take_rights(file.as_file(), &old)?;
        }
        file.as_file().sync_all()?;
        file.persist(place).map_err(|error| error.error)?;
        Ok(sync_folder(folder_of(place))?)
    }
}

impl Debug for OutputFile {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("OutputFile").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Way {
    /// The way to write to `path`, which is tried out: a new file is made and removed. `Err` if
    /// `path` cannot be written or may not be replaced.
    fn to(path: &Path, may_replace: &MayReplace) -> Result<Self, Reason> {
        let there = match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let place = place_of(path)?;
                // Whether the system takes the name, which only a file of that name shows.
                drop(File::create_new(&place)?);
                fs::remove_file(&place)?;
                return Ok(Self::Replace(place));
            }
            other => other?,
        };
        if there.is_dir() {
            return Err(io::Error::from(ErrorKind::IsADirectory).into());
        }
        // Standard output can be a regular file: to replace it would lose what is printed to it.
        if path.starts_with("/dev") || takes_text(&there) {
            return Ok(Self::Direct(OpenOptions::new().append(true).open(path)?));
        }
        let place = fs::canonicalize(path)?;
        replaceable(&place, may_replace)?;
        drop(begin_beside(&place, true)?);
        Ok(Self::Replace(place))
    }
}

/// The absolute path, without symbolic links, of the file that writing to `path` would create.
/// `Err` if its folder is not there.
fn place_of(path: &Path) -> io::Result<PathBuf> {
    // A link that leads nowhere leads there.
    if let Ok(target) = fs::read_link(path) {
        return place_of(&folder_of(path).join(target));
    }
    let ends_in_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    match path.file_name() {
        Some(name) if !ends_in_folder => Ok(fs::canonicalize(folder_of(path))?.join(name)),
        _ => Err(ErrorKind::NotFound.into()),
    }
}

/// The metadata of the file at `place`, which is to be replaced; `None` if nothing is there. `Err`
/// if that is no regular file, is read-only, or has content whose beginning `may_replace` refuses.
fn replaceable(place: &Path, may_replace: &MayReplace) -> Result<Option<Metadata>, Reason> {
    let there = match fs::symlink_metadata(place) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    if !there.is_file() {
        return Err(Reason::Kind);
    }
    // The superuser may write what nobody may.
    if there.permissions().readonly() {
        return Err(Reason::ReadOnly);
    }
    let mut beginning = Vec::new();
    let file = OpenOptions::new().read(true).write(true).open(place)?;
    file.take(LOOK).read_to_end(&mut beginning)?;
    if beginning.is_empty() || may_replace(&beginning) {
        return Ok(Some(there));
    }
    Err(Reason::Foreign)
}

/// Passes to `file`, through a buffer, the bytes that `fill` writes.
fn fill_through(
    file: &File,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = BufWriter::new(file);
    let filled = fill(&mut writer).and_then(|()| writer.flush());
    // Dropped, the buffer would write again what was written when an error occurred.
    let _ = writer.into_parts();
    filled
}

/// Whether text can be written to the thing with this metadata: a pipe, or a device such as a
/// terminal.
#[cfg(unix)]
fn takes_text(there: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = there.file_type();
    kind.is_fifo() || kind.is_char_device()
}

/// Whether the thing with this metadata is no regular file, and taken to be a pipe or a device.
#[cfg(not(unix))]
fn takes_text(there: &Metadata) -> bool {
    !there.is_file()
}

/// Gives the new `file` the owner, if this process may, and the mode of the file that it replaces.
/// Where the group cannot be kept, another group gets no more than everybody has.
#[cfg(unix)]
fn take_rights(file: &File, old: &Metadata) -> io::Result<()> {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
    let group = Some(old.gid());
    let kept = fchown(file, Some(old.uid()), group).or_else(|_| fchown(file, None, group));
    let mode = match kept {
        Ok(()) => old.mode() & 0o7777,
        Err(_) => old.mode() & 0o707 | (old.mode() & 0o007) << 3,
    };
    file.set_permissions(Permissions::from_mode(mode))
}

/// Gives the new `file` the permissions of the file that it replaces.
#[cfg(not(unix))]
fn take_rights(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
