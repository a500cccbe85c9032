//! A file to be written, checked before the work whose result it takes.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::direct::Direct;
use crate::error::{FileError, Reason, is_a_directory};
use crate::overwrite::Overwrite;
use crate::place::Place;
use crate::temporary::Temporary;
use crate::{signals, system};

/// A file to be written.
///
/// A **regular file** is written beside its place and moved there, so that whoever looks finds the
/// old content or the new, whole, also after a crash. Links are followed, to a target that does not
/// exist yet as well; the mode is kept, and the owner where this process may give files away.
/// (Access lists, extended attributes and further hard links are not: they stay with the old
/// content.) Until it is written, the file beside it is there, empty, and keeps other processes from
/// preparing the same file. It is removed with this value, when a signal ends the process, and by
/// the next process that prepares the file after one that was killed.
///
/// **Anything else** that takes text, a pipe, a terminal, `/dev/null`, `/dev/stdout` wherever that
/// leads, is opened and written to, and never replaced; so is the file that is standard output.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    overwrite: Overwrite,
    way: Way,
}

#[derive(Debug)]
enum Way {
    Beside {
        temporary: Temporary,
        place: PathBuf,
    },
    Direct(Direct),
}

impl OutputFile {
    /// Makes sure that the file can be written, which [`write`](Self::write) does later.
    ///
    /// # Errors
    /// If it cannot: the system refuses the name, the folder is not there, something is there that
    /// may not be replaced, nobody opens the FIFO to read, or another process prepared the file.
    pub fn prepare(path: &Path, overwrite: Overwrite) -> Result<Self, FileError> {
        Self::prepare_as(path, overwrite, false)
    }

    /// The same for a file that, where it is new, its user alone can read (mode 0600), and that other processes look
    /// for: nothing stands in its place before all of it does, not even to try whether the system takes its name.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare).
    pub fn private(path: &Path, overwrite: Overwrite) -> Result<Self, FileError> {
        Self::prepare_as(path, overwrite, true)
    }

    fn prepare_as(path: &Path, overwrite: Overwrite, private: bool) -> Result<Self, FileError> {
        let way = Way::to(path, &overwrite, private);
        let way = way.map_err(|reason| FileError::new(path, reason))?;
        Ok(Self {
            path: path.to_owned(),
            overwrite,
            way,
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
        let written = match self.way {
            Way::Direct(direct) => fill_through(direct, fill).map_err(Reason::from),
            Way::Beside { temporary, place } => replace(temporary, &place, &self.overwrite, fill),
        };
        written.map_err(|reason| FileError::new(&self.path, reason))
    }
}

impl Way {
    fn to(path: &Path, overwrite: &Overwrite, private: bool) -> Result<Self, Reason> {
        let place = match Place::of(path)? {
            Place::Stdout => return Ok(Self::Direct(Direct::standard(false)?)),
            Place::Stderr => return Ok(Self::Direct(Direct::standard(true)?)),
            Place::Descriptor(path) if system::is_only_read(&path) => return Err(Reason::ReadOnly),
            Place::Descriptor(path) => {
                // What is appended to a file changes it as well.
                if let Ok(there) = fs::metadata(&path)
                    && there.is_file()
                {
                    overwrite.check_kept(&path, &there)?;
                }
                return Direct::open(&path).map(Self::Direct);
            }
            Place::Name(place) => place,
        };
        overwrite.check_name(&place)?;
        match fs::symlink_metadata(&place) {
            Ok(there) if there.is_dir() => return Err(is_a_directory().into()),
            Ok(there) if system::takes_text(there.file_type()) => {
                return Direct::open(&place).map(Self::Direct);
            }
            Ok(there) => {
                if there.is_file() {
                    overwrite.check_kept(&place, &there)?;
                }
                // Replacing the file would lose what is printed to it.
                let stdout = Direct::standard(false);
                if stdout.as_ref().is_ok_and(|stdout| stdout.is(&there)) {
                    return Ok(Self::Direct(stdout?));
                }
            }
            Err(_) => {}
        }
        let old = old(&place, overwrite)?;
        let temporary = Temporary::beside(&place, private || old.is_some())?;
        if old.is_none() && !private {
            try_name(&place)?;
        }
        Ok(Self::Beside { temporary, place })
    }
}

/// What is to be replaced, if there is something and it may be.
fn old(place: &Path, overwrite: &Overwrite) -> Result<Option<Metadata>, Reason> {
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
    system::open(OpenOptions::new().write(true), place)?;
    overwrite.check(place, &there)?;
    Ok(Some(there))
}

/// Whether the system takes the name, which only a file of that name shows.
fn try_name(place: &Path) -> io::Result<()> {
    // No signal ends the process in between.
    let _files = signals::files();
    match File::create_new(place) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
        Ok(_) => fs::remove_file(place),
    }
}

fn replace<F>(
    temporary: Temporary,
    place: &Path,
    overwrite: &Overwrite,
    fill: F,
) -> Result<(), Reason>
where
    F: FnOnce(&mut dyn Write) -> io::Result<()>,
{
    fill_through(temporary.file(), fill)?;
    if let Some(old) = old(place, overwrite)? {
        system::take_rights(temporary.file(), &old)?;
    }
    Ok(temporary.move_to(place)?)
}

fn fill_through<W, F>(file: W, fill: F) -> io::Result<()>
where
    W: Write,
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
