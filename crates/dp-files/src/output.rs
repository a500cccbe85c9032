//! A file to be written, checked before the work whose result it takes.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::{self, Debug, Formatter};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read as _, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::durable::{begin_beside, folder_of, is_same, sync_folder};
use crate::error::{FileError, Reason};

/// The number of bytes at the beginning of a file that are read to recognize its kind.
const LOOK: u64 = 1024;

/// A file to be written.
///
/// A **regular file** is written beside its place and moved there, so that a reader finds the old
/// content or the new, whole, also after a crash. Links are followed; the mode is kept, and the owner where this
/// process may give files away. (Access lists, extended attributes and further hard links are not: they stay with the
/// old content.) A process that is killed while it writes may leave a file `.dp-files-…` beside it.
///
/// **Anything else** that takes text, a pipe, a terminal, `/dev/null`, is opened and written to, and never replaced; so
/// is the file that is standard output or standard error.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    overwrite: Overwrite,
    is_private: bool,
    way: Way,
}

/// Where an output is written.
#[derive(Debug)]
enum Way {
    /// To a new file beside the file of this name, and then moved to that name.
    Replace(Prepared),
    /// To an open pipe, terminal or standard stream.
    Direct(File),
}

impl OutputFile {
    /// Makes sure that the file can be written, which [`write`](Self::write) does later.
    ///
    /// # Errors
    /// If it cannot: the system refuses the name, the folder is not there, or something is there that
    /// may not be replaced.
    pub fn prepare(path: &Path, overwrite: Overwrite) -> Result<Self, FileError> {
        Self::prepare_as(path, overwrite, false)
    }

    /// Makes sure that a file can be written which its owner alone may read (mode 0600), where it is new. Nothing stands
    /// in its place before all of it does, not even to try whether the system takes its name.
    ///
    /// # Errors
    /// Those of [`prepare`](Self::prepare).
    pub fn private(path: &Path, overwrite: Overwrite) -> Result<Self, FileError> {
        Self::prepare_as(path, overwrite, true)
    }

    /// As [`Self::prepare`], or as [`Self::private`] if `is_private`.
    fn prepare_as(path: &Path, overwrite: Overwrite, is_private: bool) -> Result<Self, FileError> {
        let way = Way::to(path, &overwrite, is_private);
        Ok(Self {
            path: path.to_owned(),
            overwrite,
            is_private,
            way: way.map_err(|reason| FileError::new(path, reason))?,
        })
    }

    /// The path, as it was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes what `fill` writes, all of it or, to a regular file, nothing.
    ///
    /// # Errors
    /// If `fill` fails, the system does, or something was put at the place meanwhile that may not be
    /// replaced.
    pub fn write<F>(self, fill: F) -> Result<(), FileError>
    where
        F: FnOnce(&mut dyn Write) -> io::Result<()>,
    {
        let written = match &self.way {
            Way::Direct(file) => fill_through(file, fill).map_err(Reason::from),
            Way::Replace(Prepared(place)) => self.replace(place, fill),
        };
        written.map_err(|reason| FileError::new(&self.path, reason))
    }

    /// Writes a file beside `place` and moves it there. After an error `place` is unchanged.
    fn replace<F>(&self, place: &Path, fill: F) -> Result<(), Reason>
    where
        F: FnOnce(&mut dyn Write) -> io::Result<()>,
    {
        let is_new = fs::symlink_metadata(place).is_err();
        let file = begin_beside(place, self.is_private || !is_new)?;
        fill_through(file.as_file(), fill)?;
        if let Some(old) = replaceable(place, &self.overwrite)? {
            take_rights(file.as_file(), &old)?;
        }
        file.as_file().sync_all()?;
        file.persist(place).map_err(|error| error.error)?;
        Ok(sync_folder(folder_of(place))?)
    }
}

impl Way {
    /// The way to write to `path`: direct for a stream, pipe or terminal, else by replacement.
    /// `Err` if the path cannot be written or may not be replaced.
    fn to(path: &Path, overwrite: &Overwrite, is_private: bool) -> Result<Self, Reason> {
        let there = match fs::metadata(path) {
            Ok(there) => there,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let place = Prepared::new(place_of(path)?)?;
                overwrite.check_name(&place.0)?;
                drop(begin_beside(&place.0, true)?);
                if !is_private {
                    // Whether the system takes the name, which only a file of that name shows.
                    drop(File::create_new(&place.0)?);
                    fs::remove_file(&place.0)?;
                }
                return Ok(Self::Replace(place));
            }
            Err(error) => return Err(error.into()),
        };
        if there.is_dir() {
            return Err(io::Error::from(ErrorKind::IsADirectory).into());
        }
        if there.is_file() {
            overwrite.check_kept(path, &there)?;
        }
        // Replacing the file would lose what is printed to it.
        for stream in standard_streams() {
            if is_same(&stream.metadata()?, &there) {
                return Ok(Self::Direct(stream));
            }
        }
        if takes_text(&there) {
            let file = OpenOptions::new().append(true).open(path)?;
            return Ok(Self::Direct(file));
        }
        let place = Prepared::new(fs::canonicalize(path)?)?;
        replaceable(&place.0, overwrite)?;
        drop(begin_beside(&place.0, true)?);
        Ok(Self::Replace(place))
    }
}

/// The names of the files that this process has prepared and not written yet.
static PREPARED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The name of a file that this process has prepared. Dropping the value frees the name.
#[derive(Debug)]
struct Prepared(PathBuf);

impl Prepared {
    /// Claims the name; `Err` if this process has prepared the file and not written it yet.
    fn new(place: PathBuf) -> Result<Self, Reason> {
        let mut all = PREPARED.lock().unwrap_or_else(PoisonError::into_inner);
        match all.insert(place.clone()) {
            true => Ok(Self(place)),
            false => Err(Reason::InUse),
        }
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        let mut all = PREPARED.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(&self.0);
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

/// The metadata of the file at `place`, which is to be replaced; `None` if there is no file. `Err`
/// if the file may not be replaced.
fn replaceable(place: &Path, overwrite: &Overwrite) -> Result<Option<Metadata>, Reason> {
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
    OpenOptions::new().write(true).open(place)?;
    overwrite.check(place, &there)?;
    Ok(Some(there))
}

/// Passes to `file`, through a buffer, the bytes that `fill` writes. The first error ends the
/// writing.
fn fill_through<F>(file: &File, fill: F) -> io::Result<()>
where
    F: FnOnce(&mut dyn Write) -> io::Result<()>,
{
    let mut writer = BufWriter::new(file);
    // What is written after an error would be written again when the buffer is dropped.
    match fill(&mut writer).and_then(|()| writer.flush()) {
        Ok(()) => Ok(()),
        Err(error) => {
            let _ = writer.into_parts();
            Err(error)
        }
    }
}

/// Standard output and standard error as files, where they are open. Empty except on Unix.
#[cfg(unix)]
fn standard_streams() -> Vec<File> {
    use std::os::fd::AsFd as _;
    let (stdout, stderr) = (io::stdout(), io::stderr());
    let streams = [stdout.as_fd(), stderr.as_fd()];
    let own = streams.map(|stream| stream.try_clone_to_owned().ok());
    own.into_iter().flatten().map(File::from).collect()
}

#[cfg(not(unix))]
fn standard_streams() -> Vec<File> {
    Vec::new()
}

/// Whether text can be written to the thing with this metadata: a pipe, or a device such as a
/// terminal.
#[cfg(unix)]
fn takes_text(there: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = there.file_type();
    kind.is_fifo() || kind.is_char_device()
}

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

#[cfg(not(unix))]
fn take_rights(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

/// What stands where an output is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A file of the kind that is written: it may be replaced.
    Own,
    /// What no program can compute again, in words: "a budget ledger". It is never replaced.
    Kept(Cow<'static, str>),
    /// Any other file, in words: "not of this program". It is replaced by force alone.
    Foreign(Cow<'static, str>),
}

/// Tells the kind of the file at a path, from the path and the first bytes of the file.
type Look = dyn Fn(&Path, &[u8]) -> Found + Send + Sync;

/// Which files an output may replace. An empty file may be replaced unless it is kept or an input; a
/// read-only one never.
#[derive(Clone)]
pub struct Overwrite {
    found: Arc<Look>,
    is_forced: bool,
    inputs: Vec<PathBuf>,
}

impl Overwrite {
    /// Replaces what `found` calls [`Found::Own`]. It is given the path, and up to 1024 bytes from the beginning of the
    /// file.
    pub fn new(found: impl Fn(&Path, &[u8]) -> Found + Send + Sync + 'static) -> Self {
        Self { found: Arc::new(found), is_forced: false, inputs: Vec::new() }
    }

    /// Replaces files for whose beginning `is_own` is true.
    #[must_use]
    pub fn own(is_own: fn(&[u8]) -> bool) -> Self {
        Self::new(move |_, beginning| match is_own(beginning) {
            true => Found::Own,
            false => Found::Foreign(Cow::Borrowed("not of this program")),
        })
    }

    /// Replaces foreign files as well if `is_forced`.
    #[must_use]
    pub fn by_force(self, is_forced: bool) -> Self {
        Self { is_forced, ..self }
    }

    /// Never replaces these files, under whatever name: they are read for what is written.
    #[must_use]
    pub fn sparing(mut self, inputs: impl IntoIterator<Item = PathBuf>) -> Self {
        self.inputs.extend(inputs);
        self
    }

    /// `Err` if `place` is the name of an input, even of an input that does not exist yet.
    fn check_name(&self, place: &Path) -> Result<(), Reason> {
        let is_place = |input: &PathBuf| place_of(input).is_ok_and(|name| name == place);
        match self.inputs.iter().any(is_place) {
            true => Err(Reason::Input),
            false => Ok(()),
        }
    }

    /// Tells the kind of a regular file. `Err` if the file is an input, by whatever name, or of a
    /// kind that is never replaced.
    fn check_kept(&self, path: &Path, there: &Metadata) -> Result<Found, Reason> {
        let is_there =
            |input: &PathBuf| fs::metadata(input).is_ok_and(|input| is_same(&input, there));
        if self.inputs.iter().any(is_there) {
            return Err(Reason::Input);
        }
        let mut beginning = Vec::new();
        File::open(path)?.take(LOOK).read_to_end(&mut beginning)?;
        match (self.found)(path, &beginning) {
            Found::Kept(is) => Err(Reason::Kept { is }),
            found => Ok(found),
        }
    }

    /// `Err` if a regular file may not be replaced: an input, a kept file, or without force a
    /// foreign file with content.
    fn check(&self, place: &Path, there: &Metadata) -> Result<(), Reason> {
        match self.check_kept(place, there)? {
            Found::Foreign(is) if !self.is_forced && there.len() > 0 => Err(Reason::Foreign { is }),
            _ => Ok(()),
        }
    }
}

impl Debug for Overwrite {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut fields = formatter.debug_struct("Overwrite");
        fields.field("is_forced", &self.is_forced);
        fields.field("inputs", &self.inputs).finish_non_exhaustive()
    }
}
