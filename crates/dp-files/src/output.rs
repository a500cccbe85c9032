//! A file to be written, checked before the work whose result it takes.

use std::fmt::{self, Debug, Formatter};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read as _, Write};
use std::path::{Path, PathBuf};

use crate::durable::{begin_beside, folder_of, is_same, sweep_once, sync_folder};
use crate::error::{FileError, Reason};
use crate::input::{begins_in_system, is_passed};

/// The number of bytes at the beginning of a file that are read to recognize its kind.
const LOOK: u64 = 1024;

/// A file to be written.
///
/// A **regular file** is written beside its place and moved there: a reader finds the old content
/// or the new, whole, also after a crash. Links are followed; the mode is kept, and the owner where
/// possible. Access lists, extended attributes and hard links stay with the old content.
///
/// **A pipe, a device or a terminal** by a name in `/dev` or `/proc`, such as `/dev/stdout` or
/// `>(…)` of a shell, is written to, never replaced; so is a regular file that is open as standard
/// output or error. Anything else is refused: a regular file by such a name may be anything, and a
/// named pipe would wait for its reader for ever.
///
/// A process that is killed while it writes may leave a file `.dp-files-…` beside the place. The
/// next process that prepares an output in that folder removes it.
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
    /// To an open pipe, terminal or device, or to the regular file of standard output or error.
    Direct(File),
}

impl OutputFile {
    /// Makes sure that the file can be written, which [`write`](Self::write) does later. An
    /// existing file with content is replaced if `may_replace` accepts its first 1024 bytes.
    ///
    /// # Errors
    /// If the system refuses the name, the folder is not there or takes no new file, or at `path`
    /// is a folder, a read-only file or content that `may_replace` refuses.
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
    /// If `fill` or the system fails, or something is there by now that may not be replaced. If
    /// only the folder of a regular file cannot be synced, readers find the new content, and a
    /// crash may bring the old one back.
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

    /// Writes a file beside `place` and moves it there, with the rights of the file that it
    /// replaces. `Err` also if what stands there by then may not be replaced. After an error before
    /// the move `place` is unchanged.
    fn replace(
        &self,
        place: &Path,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Reason> {
        let is_new = fs::symlink_metadata(place).is_err();
        let mut file = begin_beside(place, !is_new)?;
        fill_through(file.as_file(), fill)?;
        loop {
            let old = replaceable(place, &self.may_replace)?;
            if let Some(old) = &old {
                take_rights(file.as_file(), old)?;
            }
            file.as_file().sync_all()?;
            let moved = match old {
                Some(_) => file.persist(place),
                None => file.persist_noclobber(place),
            };
            match moved {
                Ok(_) => return Ok(sync_folder(folder_of(place))?),
                // Another process has put something there meanwhile: it is looked at first.
                Err(lost) if lost.error.kind() == ErrorKind::AlreadyExists => file = lost.file,
                Err(lost) => return Err(lost.error.into()),
            }
        }
    }
}

impl Debug for OutputFile {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("OutputFile").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Way {
    /// The way to write to `path`. In the folder of a regular file, leftovers of killed writers are
    /// removed, and a file is made and removed, as the folder may refuse that. `Err` if `path`
    /// cannot be written or may not be replaced.
    fn to(path: &Path, may_replace: &MayReplace) -> Result<Self, Reason> {
        let is_passed = is_passed(path);
        let is_special = is_passed || begins_in_system(path);
        let place = match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound && is_special => {
                return Err(Reason::Detour);
            }
            Err(error) if error.kind() == ErrorKind::NotFound => place_of(path)?,
            Err(error) => return Err(error.into()),
            Ok(there) if there.is_dir() => {
                return Err(io::Error::from(ErrorKind::IsADirectory).into());
            }
            // To replace what is open as standard output would lose what is printed to it.
            Ok(there) if there.is_file() && is_special => {
                let is_it = |file: &File| file.metadata().is_ok_and(|own| is_same(&own, &there));
                let open = [duplicate(io::stdout()), duplicate(io::stderr())];
                let found = open.into_iter().flatten().find(|file| is_passed && is_it(file));
                return found.map(Self::Direct).ok_or(Reason::Detour);
            }
            Ok(_) if is_passed => {
                return Ok(Self::Direct(OpenOptions::new().append(true).open(path)?));
            }
            Ok(_) => fs::canonicalize(path)?,
        };
        // The place of a new file may have a name that the system refuses.
        replaceable(&place, may_replace)?;
        sweep_once(folder_of(&place));
        drop(begin_beside(&place, true)?);
        Ok(Self::Replace(place))
    }
}

/// Whether two paths lead to one regular file, also to one that is not there yet: by other words,
/// through links and, on Unix, as hard links.
pub fn lead_to_one_file(one: &Path, other: &Path) -> bool {
    if cfg!(unix)
        && let (Ok(one), Ok(other)) = (fs::metadata(one), fs::metadata(other))
    {
        return one.is_file() && is_same(&one, &other);
    }
    let place = |path| match fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => place_of(path),
        found => found,
    };
    matches!((place(one), place(other)), (Ok(one), Ok(other)) if one == other)
}

/// The places in `outputs` of the first two that would come to one place: to one regular file, or
/// on Unix to one pipe, terminal or device. `None` among them is standard output. `/dev/null` takes
/// several outputs.
pub fn first_mixed(outputs: &[Option<&Path>]) -> Option<[usize; 2]> {
    let look = |output: &Option<&Path>| match output {
        Some(path) => fs::metadata(path),
        None => duplicate(io::stdout())?.metadata(),
    };
    // Once for each output, and not for each pair.
    let found: Vec<_> = outputs.iter().map(look).collect();
    let null = fs::metadata("/dev/null");
    let is_mixed = |one: usize, other: usize| match (outputs[one], outputs[other]) {
        (None, None) => true,
        (Some(one), Some(other)) if lead_to_one_file(one, other) => true,
        _ => matches!(
            (&found[one], &found[other], &null),
            (Ok(one), Ok(other), Ok(null))
                if cfg!(unix) && is_same(one, other) && !is_same(one, null)
        ),
    };
    let mut pairs = (0..outputs.len()).flat_map(|other| (0..other).map(move |one| [one, other]));
    pairs.find(|&[one, other]| is_mixed(one, other))
}

/// A duplicate of standard output or standard error. `Err` if the system does not give one.
#[cfg(unix)]
fn duplicate(stream: impl std::os::fd::AsFd) -> io::Result<File> {
    Ok(stream.as_fd().try_clone_to_owned()?.into())
}

/// A duplicate of standard output or standard error, which other systems do not give.
#[cfg(not(unix))]
fn duplicate(_stream: impl Write) -> io::Result<File> {
    Err(ErrorKind::Unsupported.into())
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
