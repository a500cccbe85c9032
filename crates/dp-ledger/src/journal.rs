//! A ledger in a file that loses nothing that it confirmed.

mod several;

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use dp_exact::Rational;

use crate::chain::Chain;
use crate::contents::{self, Contents};
use crate::format::{self, MAX_FILE};
use crate::ledger::{Choice, chosen};
use crate::slots::{SLOT, State};
use crate::{
    BigUint, Entry, Head, Ledger, LedgerError, OwnCosts, Paid, Release, SharesDigest, Spending,
    Terms, place,
};

/// A ledger in a file.
///
/// It is locked as long as it is open, so that two processes cannot spend the same budget. A fork copies the lock:
/// the forked process can read the ledger and spends nothing, and the file stays locked until both have closed it. An entry
/// is confirmed once its line has reached the disk, and after it the slot that counts it: whatever
/// stops the process or the machine then loses nothing. A caller that stopped before it learnt of the
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
/// let journal = Journal::open_with(&path, &Opening::new().at_least(head))?;
/// assert_eq!(journal.ledger().entries().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Journal {
    ledger: Ledger,
    file: File,
    path: PathBuf,
    /// The checksum of the first line, and its bytes.
    start: Chain,
    first_line: u64,
    /// What is confirmed.
    state: State,
    /// Whether a write failed: what is in the file then is not known.
    has_failed: bool,
}

/// How a journal is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Opening {
    patience: Duration,
    least: Option<Head>,
}

impl Opening {
    /// Without waiting for another process, at any state.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            patience: Duration::ZERO,
            least: None,
        }
    }

    /// The same, waiting so long for another process to close the journal.
    #[must_use]
    pub const fn waiting(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// The same, provided that the journal is at this state or continues it.
    #[must_use]
    pub const fn at_least(self, head: Head) -> Self {
        Self {
            least: Some(head),
            ..self
        }
    }
}

impl Journal {
    /// Begins a journal with nothing spent. It appears under its path whole and on the disk, or not
    /// at all, and its owner alone may read it (mode 0600). Later writes keep the mode that it has.
    ///
    /// # Errors
    /// [`LedgerError::Exists`] if there is anything under this path, be it empty; if the limit is out
    /// of range; if the file cannot be written.
    pub fn create(path: impl AsRef<Path>, terms: Terms) -> Result<Self, LedgerError> {
        Self::begin(path.as_ref(), Ledger::new(terms)?)
    }

    /// Opens the journal at `path`, which no other process has open.
    ///
    /// # Errors
    /// As [`Journal::open_with`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        Self::open_with(path, &Opening::new())
    }

    /// Opens the journal at `path`. A last line that was cut short is the trace of an entry that was
    /// never confirmed, and is removed; a slot that was torn is written again.
    ///
    /// # Errors
    /// If there is no such file, it is no regular file, larger than [`MAX_FILE`], no ledger, damaged,
    /// in use by another process, or older than the caller demands. It is not touched then.
    pub fn open_with(path: impl AsRef<Path>, opening: &Opening) -> Result<Self, LedgerError> {
        let path = path.as_ref();
        let file = place::open_locked(path, opening.patience)?;
        let reader = BufReader::with_capacity(1 << 16, &file);
        let contents = contents::read(path, reader, opening.least.as_ref())?;
        repair(&file, path, &contents)?;
        place::remove_abandoned_beside(path);
        Ok(Self {
            ledger: contents.ledger,
            file,
            path: path.to_owned(),
            start: contents.start,
            first_line: contents.first_line,
            state: contents.state,
            has_failed: false,
        })
    }

    fn begin(path: &Path, ledger: Ledger) -> Result<Self, LedgerError> {
        let (bytes, start, state) = contents::image(&ledger)?;
        let (line, _) = format::first_line(ledger.terms())?;
        Ok(Self {
            file: place::create(path, &bytes)?,
            path: path.to_owned(),
            start,
            first_line: line.len() as u64,
            state,
            has_failed: false,
            ledger,
        })
    }

    /// The ledger with every confirmed entry.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The state of the file, for [`Opening::at_least`].
    #[must_use]
    pub const fn head(&self) -> Head {
        Head {
            entries: self.state.entries,
            chain: self.state.chain,
        }
    }

    /// Pays for a release under a name, as [`Ledger::spend`] does. When this returns, the entry is on
    /// the disk.
    ///
    /// # Errors
    /// As [`Ledger::spend`]; if the file was deleted, replaced or written by others meanwhile; if it
    /// would outgrow [`MAX_FILE`] or cannot be written. The entry is not confirmed then. After a
    /// failed write the journal spends nothing more: whether the entry is found spent after opening
    /// it again is open, and the call can be repeated safely.
    pub fn spend(
        &mut self,
        name: &str,
        release: &Release,
        shares: Option<SharesDigest>,
    ) -> Result<Spending, LedgerError> {
        let prepared = self.ledger.prepared(name, release, shares)?;
        self.write_entry(prepared)
    }

    /// Pays a client's own cost of a release, as [`Ledger::spend_individually`] does. When this returns, the
    /// entry is on the disk.
    ///
    /// # Errors
    /// As [`Ledger::spend_individually`] and [`Journal::spend`].
    pub fn spend_individually(
        &mut self,
        name: &str,
        release: &Release,
        rho: &Rational,
    ) -> Result<Spending, LedgerError> {
        let prepared = self.ledger.prepared_individually(name, release, rho)?;
        self.write_entry(prepared)
    }

    /// Pays a client's own cost of a release where it fits, and nothing where it does not, as
    /// [`Ledger::spend_own`] does: in the same steps, and with as many bytes. When this returns, the entry is on the disk.
    ///
    /// # Errors
    /// As [`Ledger::spend_own`] and [`Journal::spend`].
    pub fn spend_own(
        &mut self,
        name: &str,
        costs: &OwnCosts,
        squared_norm: &BigUint,
    ) -> Result<Paid, LedgerError> {
        let prepared = self.ledger.prepared_own(name, costs, squared_norm)?;
        self.check_unchanged()?;
        let Some(prepared) = prepared else {
            return Ok(Paid::Repeated);
        };
        let line = |choice: &Choice| format::own_line(self.state.chain, &choice.entry, &choice.rho);
        let [nothing, own] = &prepared.choices;
        let lines = [line(nothing)?, line(own)?];
        let (line, chain) = chosen(lines, prepared.fits);
        let next = self.next(&line, chain)?;
        self.confirm(&line, next)?;
        let (choice, paid) = prepared.chosen();
        self.ledger.record(choice);
        Ok(paid)
    }

    /// The state after a line that is written next.
    fn next(&self, line: &[u8], chain: Chain) -> Result<State, LedgerError> {
        let next = State {
            entries: self.state.entries + 1,
            length: self.state.length + line.len() as u64,
            chain,
        };
        if next.length > MAX_FILE {
            return Err(contents::too_large(self.ledger.entries().len() + 1));
        }
        Ok(next)
    }

    /// Confirms an entry, if it is new.
    fn write_entry(&mut self, prepared: Option<Entry>) -> Result<Spending, LedgerError> {
        self.check_unchanged()?;
        let Some(entry) = prepared else {
            return Ok(Spending::Repeated);
        };
        let (line, chain) = format::entry_line(self.state.chain, &entry)?;
        let next = self.next(&line, chain)?;
        self.confirm(&line, next)?;
        self.record(entry);
        Ok(Spending::New)
    }

    /// Writes a line after what is confirmed and waits for the disk, then the slot, and waits again.
    fn confirm(&mut self, line: &[u8], next: State) -> Result<(), LedgerError> {
        self.has_failed = true;
        self.write(self.state.length, line)?;
        self.write(
            place_of_slot(self.first_line, next.index()),
            &next.written(self.start),
        )?;
        place::check_same(&self.file, &self.path)?;
        self.has_failed = false;
        self.state = next;
        Ok(())
    }

    fn record(&mut self, entry: Entry) {
        let is_new = self.ledger.push(entry);
        debug_assert!(is_new, "only new entries are prepared");
    }

    /// Whether the file is the one that was opened, as it was left.
    fn check_unchanged(&self) -> Result<(), LedgerError> {
        let path = &self.path;
        if self.has_failed {
            return Err(LedgerError::changed(path, "a write failed"));
        }
        place::check_same(&self.file, path)?;
        let failed = |error| LedgerError::file(path, error);
        let length = self.file.metadata().map_err(failed)?.len();
        let mut slot = [0; SLOT];
        let mut file = &self.file;
        let place = place_of_slot(self.first_line, self.state.index());
        file.seek(SeekFrom::Start(place)).map_err(failed)?;
        let read = file.read_exact(&mut slot);
        let is_same = read.is_ok() && slot[..] == self.state.written(self.start)[..];
        if length == self.state.length && is_same {
            return Ok(());
        }
        Err(LedgerError::changed(path, "the file was written by others"))
    }

    /// Writes, and waits for the disk.
    fn write(&self, place: u64, bytes: &[u8]) -> Result<(), LedgerError> {
        write(&self.file, &self.path, place, bytes)
    }
}

impl fmt::Debug for Journal {
    /// The path, and of the ledger what [`Ledger`] shows: lengths and checksums tell what was spent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal")
            .field("path", &self.path)
            .field("ledger", &self.ledger)
            .finish_non_exhaustive()
    }
}

/// Removes what was never confirmed, and makes both slots whole: that of the state before the last
/// first, since it is not the one that counts.
fn repair(file: &File, path: &Path, contents: &Contents) -> Result<(), LedgerError> {
    if contents.is_torn {
        let cut = file.set_len(contents.state.length);
        let cut = cut.and_then(|()| file.sync_all());
        cut.map_err(|error| LedgerError::file(path, error))?;
    }
    let last = contents.state.index();
    for (index, state) in [(1 - last, contents.before), (last, contents.state)] {
        if !contents.slots.hold(index, &state) {
            let place = place_of_slot(contents.first_line, index);
            write(file, path, place, &state.written(contents.start))?;
        }
    }
    Ok(())
}

const fn place_of_slot(first_line: u64, index: usize) -> u64 {
    first_line + if index == 0 { 0 } else { SLOT as u64 }
}

fn write(mut file: &File, path: &Path, place: u64, bytes: &[u8]) -> Result<(), LedgerError> {
    let written = file
        .seek(SeekFrom::Start(place))
        .and_then(|_| file.write_all(bytes))
        .and_then(|()| file.sync_all());
    written.map_err(|error| LedgerError::file(path, error))
}
