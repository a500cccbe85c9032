//! A ledger in a file that loses nothing that it confirmed.

// DIFFERENCE from draft-wang §B.4: a collector may enforce a budget as well as a client.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use dp_exact::{ParameterError, shown};

use crate::file_reader::{self, FileContents};
use crate::format::{self, MAX_FILE, SLOT, State};
use crate::{Head, Ledger, LedgerError, Release, SharesDigest, Spending, Terms};

/// A ledger in a file.
///
/// It is locked as long as it is open. A fork copies the lock: the forked process can read the
/// ledger and spends nothing, and the file stays locked until both have closed it. An entry is
/// confirmed once its line has reached the disk, and after it the slot that counts it: whatever
/// stops the process or the machine then loses nothing. A caller that did not learn of the
/// confirmation repeats the call, and nothing is spent twice.
///
/// ```
/// use dp_calibration::Budget;
/// use dp_ledger::{Journal, Opening, Release, Terms};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("visits.ledger");
/// let limit = Budget::Approximate { epsilon: "1".parse()?, delta: "1e-6".parse()? };
/// let mut journal = Journal::create(&path, Terms::new(limit))?;
/// let visits = Release::new(Budget::Pure { epsilon: "0.1".parse()? });
/// journal.spend("2026-07-01/visits", &visits, None)?;
/// let head = journal.head(); // to be kept in another place
/// drop(journal);
///
/// let opening = Opening { least: Some(head), ..Opening::default() };
/// let journal = Journal::open_with(&path, &opening)?;
/// assert_eq!(journal.ledger().entries().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Journal {
    /// The ledger, and the state of the file after the last confirmed entry.
    contents: FileContents,
    file: File,
    path: PathBuf,
    /// The index of the slot that holds this state, 0 or 1.
    slot: usize,
    /// Whether a write failed: the content of the file is unknown from then on.
    has_failed: bool,
}

/// The conditions under which a journal is opened; by default at any state and without waiting.
#[derive(Clone, Copy, Debug, Default)]
pub struct Opening {
    /// The longest wait for another process that has the file open.
    pub patience: Duration,
    /// A journal that is neither at this state nor continues it is refused.
    pub least: Option<Head>,
}

impl Journal {
    /// Begins a journal with nothing spent. It appears under its path whole and on the disk, or not
    /// at all, and its owner alone may read it (mode 0600). Later writes keep the mode that it has.
    ///
    /// # Errors
    /// [`LedgerError::Exists`] if there is anything under this path, be it empty; if the limit is
    /// out of range; if the file cannot be written.
    pub fn create(path: impl AsRef<Path>, terms: Terms) -> Result<Self, LedgerError> {
        let (path, ledger) = (path.as_ref(), Ledger::new(terms)?);
        let (line, start) = format::first_line(ledger.terms())?;
        let first_line = line.len() as u64;
        let state = State { entries: 0, length: first_line + 2 * SLOT as u64, chain: start };
        let slot = state.slot(start);
        let image = [&line[..], &slot, &slot].concat();
        let created = dp_files::create(path, |file| file.write_all(&image));
        let file = created.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => LedgerError::Exists { path: shown(path) },
            _ => LedgerError::file(path, error),
        })?;
        check_same(&file, path)?;
        let slots = [Some(state); 2];
        let contents = FileContents { ledger, start, first_line, state, slots, is_torn: false };
        Ok(Self { contents, file, path: path.to_owned(), slot: 0, has_failed: false })
    }

    /// Opens the journal at `path`, which no other process has open.
    ///
    /// # Errors
    /// Those of [`Journal::open_with`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        Self::open_with(path, &Opening::default())
    }

    /// Opens the journal at `path`. A part of a line after the entries is removed, and a slot that
    /// is torn or does not count all entries is written again.
    ///
    /// # Errors
    /// If there is no such file, it is no regular file, larger than [`MAX_FILE`], no ledger,
    /// damaged, in use by another process, or older than the caller demands. It is not touched
    /// then.
    pub fn open_with(path: impl AsRef<Path>, opening: &Opening) -> Result<Self, LedgerError> {
        let path = path.as_ref();
        let file = open_file(path, true)?;
        dp_files::lock(&file, opening.patience).map_err(|error| match error.kind() {
            ErrorKind::ResourceBusy => LedgerError::InUse { path: shown(path) },
            _ => LedgerError::file(path, error),
        })?;
        check_same(&file, path)?;
        let contents = file_reader::read(path, &content(&file, path)?, opening.least.as_ref())?;
        let state = contents.state;
        let counts = contents.slots.map(|slot| slot.map(|slot| slot.entries));
        // The slot to write next is the other one: a torn or the older slot.
        let slot = usize::from(counts[0] < counts[1]);
        let is_counted = contents.slots[slot] == Some(state) && !contents.slots.contains(&None);
        let is_torn = contents.is_torn;
        let path = path.to_owned();
        let mut journal = Self { contents, file, path, slot, has_failed: false };
        if is_torn {
            let cut = journal.file.set_len(state.length).and_then(|()| journal.file.sync_all());
            cut.map_err(|error| LedgerError::file(&journal.path, error))?;
        }
        if !is_counted {
            journal.slot = 1 - slot;
            journal.write_slot(journal.slot, &state)?;
        }
        Ok(journal)
    }

    /// The ledger with every confirmed entry.
    pub const fn ledger(&self) -> &Ledger {
        &self.contents.ledger
    }

    /// The state of the file, for [`Opening::least`].
    #[must_use]
    pub const fn head(&self) -> Head {
        self.contents.state.head()
    }

    /// Pays for a release under a name, as [`Ledger::spend`] does. When this returns, the entry is
    /// on the disk.
    ///
    /// # Errors
    /// Those of [`Ledger::spend`]; if the file was deleted, replaced or written by others
    /// meanwhile; if it would outgrow [`MAX_FILE`] or cannot be written. The entry is not confirmed
    /// then. After a failed write the journal spends nothing more: whether the entry is found spent
    /// after opening it again is open, and the call can be repeated safely.
    pub fn spend(
        &mut self,
        name: &str,
        release: &Release,
        shares: Option<SharesDigest>,
    ) -> Result<Spending, LedgerError> {
        let prepared = self.contents.ledger.prepared(name, release, shares)?;
        self.check_unchanged()?;
        let Some(entry) = prepared else {
            return Ok(Spending::Repeated);
        };
        // The line first and, once that is on the disk, its count in the older slot.
        let state = self.contents.state;
        let (line, chain) = format::entry_line(state.chain, &entry, self.contents.ledger.terms())?;
        let next = state.after(&line, chain);
        if next.length > MAX_FILE {
            let accepted = "entries of together at most 1 GiB";
            return Err(ParameterError::new("entries", next.entries, accepted).into());
        }
        self.has_failed = true;
        self.write(state.length, &line)?;
        let slot = 1 - self.slot;
        self.write_slot(slot, &next)?;
        check_same(&self.file, &self.path)?;
        self.has_failed = false;
        (self.contents.state, self.slot) = (next, slot);
        self.contents.ledger.push(entry);
        Ok(Spending::New)
    }

    /// Refuses to go on if the file is not the one that was opened, as it was left.
    fn check_unchanged(&self) -> Result<(), LedgerError> {
        let path = &self.path;
        if self.has_failed {
            return Err(LedgerError::changed(path, "a write failed"));
        }
        check_same(&self.file, path)?;
        let failed = |error| LedgerError::file(path, error);
        let length = self.file.metadata().map_err(failed)?.len();
        let (mut slot, state) = ([0; SLOT], &self.contents.state);
        let mut file = &self.file;
        let place = self.place_of_slot(self.slot);
        file.seek(SeekFrom::Start(place)).map_err(failed)?;
        let is_same = match file.read_exact(&mut slot) {
            Err(error) if error.kind() != ErrorKind::UnexpectedEof => return Err(failed(error)),
            read => read.is_ok() && slot[..] == state.slot(self.contents.start)[..],
        };
        if length == state.length && is_same {
            return Ok(());
        }
        Err(LedgerError::changed(path, "the file was written by others"))
    }

    /// The offset in the file, in bytes, of the slot with this index, 0 or 1.
    const fn place_of_slot(&self, index: usize) -> u64 {
        self.contents.first_line + (index * SLOT) as u64
    }

    /// Writes a state into the slot with this index.
    fn write_slot(&self, index: usize, state: &State) -> Result<(), LedgerError> {
        self.write(self.place_of_slot(index), &state.slot(self.contents.start))
    }

    /// Writes `bytes` at the offset `place` of the file, and waits until they are on the disk.
    fn write(&self, place: u64, bytes: &[u8]) -> Result<(), LedgerError> {
        let mut file = &self.file;
        let written = file
            .seek(SeekFrom::Start(place))
            .and_then(|_| file.write_all(bytes))
            .and_then(|()| file.sync_all());
        written.map_err(|error| LedgerError::file(&self.path, error))
    }
}

/// Opens a file to read and, if `for_writing`, to write. `Err` if it is no regular file, is larger
/// than [`MAX_FILE`] or cannot be opened.
fn open_file(path: &Path, for_writing: bool) -> Result<File, LedgerError> {
    let options = fs::OpenOptions::new().read(true).write(for_writing).clone();
    let file = dp_files::open_regular(path, &options).map_err(|error| match error.kind() {
        ErrorKind::InvalidInput => LedgerError::not_a_ledger(path, "it is no regular file"),
        ErrorKind::NotFound => LedgerError::not_a_ledger(path, "no file: see `ledger create`"),
        _ => LedgerError::file(path, error),
    })?;
    let metadata = file.metadata();
    let metadata = metadata.map_err(|error| LedgerError::file(path, error))?;
    if metadata.len() > MAX_FILE {
        return Err(LedgerError::not_a_ledger(path, "it is larger than 1 GiB"));
    }
    Ok(file)
}

/// The bytes of an open file, at most one more than [`MAX_FILE`].
fn content(file: &File, path: &Path) -> Result<Vec<u8>, LedgerError> {
    let mut bytes = Vec::new();
    let read = file.take(MAX_FILE + 1).read_to_end(&mut bytes);
    read.map_err(|error| LedgerError::file(path, error))?;
    Ok(bytes)
}

/// Refuses a path that does not lead to the open file. A lock belongs to a file, not to its path:
/// if the file is deleted or replaced while it is open, a second process can lock another one under
/// the same path, and both would spend the whole limit.
fn check_same(file: &File, path: &Path) -> Result<(), LedgerError> {
    match dp_files::is_at(file, path) {
        Ok(true) => Ok(()),
        Ok(false) => Err(LedgerError::changed(path, "the file was deleted or replaced")),
        Err(error) => Err(LedgerError::file(path, error)),
    }
}

/// The most readings of a file that another process is writing.
const ATTEMPTS: u32 = 20;

/// The time between two readings.
const PAUSE: Duration = Duration::from_millis(5);

/// The content of a ledger's file at some moment, without the right to spend from it.
///
/// It is read without a lock, also while a [`Journal`] is open on it. It holds every entry that was
/// confirmed before, and may hold the one that is being confirmed.
#[derive(Debug)]
pub struct Snapshot(FileContents);

impl Snapshot {
    /// Reads the ledger at `path`, which must be at the state `least` or continue it, if that is
    /// given. A reading that meets a half-written slot or line is repeated while the file
    /// changes, up to 20 readings.
    ///
    /// # Errors
    /// If there is no such file, it is no regular file, larger than [`MAX_FILE`], no ledger or
    /// damaged; [`LedgerError::RolledBack`] if it does not continue `least`.
    pub fn read(path: impl AsRef<Path>, least: Option<&Head>) -> Result<Self, LedgerError> {
        let path = path.as_ref();
        let mut before = Vec::new();
        for _ in 1..ATTEMPTS {
            let bytes = content(&open_file(path, false)?, path)?;
            match file_reader::read(path, &bytes, least) {
                Err(LedgerError::Damaged { .. }) if bytes != before => before = bytes,
                other => return other.map(Self),
            }
            std::thread::sleep(PAUSE);
        }
        file_reader::read(path, &content(&open_file(path, false)?, path)?, least).map(Self)
    }

    /// The ledger in the bytes of a file, such as a copy that is kept in another place. Errors call
    /// them `name`.
    ///
    /// # Errors
    /// If they are more than [`MAX_FILE`], no ledger or damaged.
    pub fn parse(name: impl AsRef<Path>, bytes: &[u8]) -> Result<Self, LedgerError> {
        let name = name.as_ref();
        if bytes.len() as u64 > MAX_FILE {
            return Err(LedgerError::not_a_ledger(name, "it is larger than 1 GiB"));
        }
        file_reader::read(name, bytes, None).map(Self)
    }

    /// The ledger; it can be looked at and not spent from.
    pub const fn ledger(&self) -> &Ledger {
        &self.0.ledger
    }

    /// The state of the file.
    #[must_use]
    pub const fn head(&self) -> Head {
        self.0.state.head()
    }
}
