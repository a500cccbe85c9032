//! The reports that an aggregator has seen: a log for each window.
//!
//! A directory holds
//!
//! ```text
//! seen-reports   its first line, a random id, and the lock
//! state.0        ┐ from which window on is open, and how far each log is confirmed:
//! state.1        ┘ written alternately
//! window.N       blocks of reports that were spent in window N, each chained to the one before
//! ```

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dp_exact::Process;
use dp_prio3::replay::{OpenWindows, ReportKey, Seen, SeenReports, StoreError, Window};

mod fingerprints;
mod log;
mod marker;
mod state;

use fingerprints::Fingerprints;
use log::Log;
use marker::Marker;
use state::{Confirmed, State};

use crate::regular;

/// Reports that wait in memory before they are written, for each window.
const BLOCK: usize = 1 << 16;

/// The most windows that may be open: each that has reports holds a file open.
const MAX_WINDOWS: u64 = 512;

/// Whether the file at this path, which begins like this, belongs to a store.
pub(crate) fn is_own(path: &Path, beginning: &[u8]) -> bool {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return marker::is_beginning(beginning);
    };
    let is_named =
        |name: &str| name == marker::NAME || state::is_name(name) || log::window_of(name).is_some();
    marker::is_beginning(beginning)
        || name.to_str().is_some_and(is_named) && directory.join(marker::NAME).exists()
}

/// What an aggregator has seen, in a directory.
///
/// One process at a time has it open, and holds a file descriptor for it and one for each window that has
/// reports. In a process that is forked from it everything that spends or writes is [`Forked`](dp_exact::Forked), and the
/// store stays locked until both have closed it. On the disk a report takes 16 bytes, and 36 more for each call of
/// [`SeenReports::sync`]; in memory 10 to 21 bytes, and half as much again while a table grows. Opening
/// reads everything.
///
/// # What it promises
///
/// - What was spent before a `sync` that returned is found again after a crash at any moment.
/// - Every flipped bit and every truncation of any of its files is an error, or loses nothing. A store
///   that failed once refuses until it is opened again.
/// - An honest report is taken for a repeated one with probability n/2^64, where n reports of its window
///   are known: they are told apart by 64 bits, of a hash whose key is new in each process.
///
/// Deleting the directory, or putting back an old copy, lets reports be spent again: nothing on the
/// same disk can tell.
pub struct DirectoryReports {
    /// The one that opened it. Beside the lock, which a fork may have copied while another thread held it.
    process: Process,
    store: Mutex<Store>,
}

struct Store {
    path: PathBuf,
    marker: Marker,
    open: OpenWindows,
    state: State,
    windows: BTreeMap<Window, Spent>,
    /// Something could not be written: what is on the disk is not known any more.
    failed: bool,
}

/// What was spent in one window.
struct Spent {
    log: Log,
    known: Fingerprints,
    /// Spent and not written.
    waiting: Vec<[u8; 16]>,
}

impl DirectoryReports {
    /// A new store in a directory that is not there yet, or is empty. Its owner alone may enter it and read its files. It
    /// takes reports of `windows`
    /// windows from the first one that has not expired, at first from 0.
    ///
    /// # Errors
    /// If there is something at `path`, which stays as it is, if nothing can be written there, or if
    /// `windows` is not in 1..=512.
    pub fn create(path: impl AsRef<Path>, windows: u64) -> io::Result<Self> {
        let path = path.as_ref();
        check_windows(windows)?;
        let parent = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        // Whole, or not at all. A directory is not put into the place of one that has files.
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let fresh = builder.prefix(".seen-reports-").tempdir_in(parent)?;
        let marker = Marker::create(fresh.path())?;
        State::create(fresh.path(), &marker.id)?;
        File::open(fresh.path())?.sync_all()?;
        fs::rename(fresh.path(), path)
            .map_err(|error| named(path, error.kind(), &error.to_string()))?;
        // It is at its place now.
        let _ = fresh.keep();
        File::open(parent)?.sync_all()?;
        drop(marker);
        Self::open(path, windows)
    }

    /// The store that was created at `path`.
    ///
    /// # Errors
    /// If there is none, if another process has it open, if anything that was confirmed cannot be read
    /// as it was written, or if `windows` is not in 1..=512. No file is changed then.
    pub fn open(path: impl AsRef<Path>, windows: u64) -> io::Result<Self> {
        let path = path.as_ref().to_owned();
        check_windows(windows)?;
        let marker = Marker::open(&path)?;
        let (state, confirmed) = State::open(&path, &marker.id)?;
        let open = OpenWindows::new(confirmed.first, windows);
        let mut logs = Vec::new();
        for window in log::windows(&path)?.union(&confirmed.windows()) {
            if *window >= confirmed.first {
                let mut known = Fingerprints::default();
                let ends = confirmed.ends.get(window);
                let log = Log::read(&path, &marker.id, *window, ends, |key| known.insert(key))?;
                logs.push((*window, log, known));
            }
        }
        // Everything that was confirmed is there. Only now something may be changed: what a crash left
        // half written, and the logs of windows that have expired.
        let mut spent = BTreeMap::new();
        for (window, mut log, known) in logs {
            log.cut()?;
            let waiting = Vec::new();
            spent.insert(
                window,
                Spent {
                    log,
                    known,
                    waiting,
                },
            );
        }
        log::remove_before(&path, confirmed.first)?;
        Ok(Self {
            process: Process::this(),
            store: Mutex::new(Store {
                path,
                marker,
                open,
                state,
                windows: spent,
                failed: false,
            }),
        })
    }

    /// How many reports are known.
    #[must_use]
    pub fn reports(&self) -> u64 {
        let store = self.lock();
        store.windows.values().map(|spent| spent.known.len()).sum()
    }

    /// From which window on reports are taken.
    #[must_use]
    pub fn first_window(&self) -> Window {
        self.lock().open.first()
    }

    fn lock(&self) -> MutexGuard<'_, Store> {
        // A thread that panicked while it wrote has set `failed`.
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Acts on the store. If that fails, or panics, all that comes later is refused.
    fn attempt<T>(&self, act: impl FnOnce(&mut Store) -> io::Result<T>) -> Result<T, StoreError> {
        self.process.check().map_err(StoreError::new)?;
        let mut store = self.lock();
        if std::mem::replace(&mut store.failed, true) {
            let line = format!("{} failed before: open it again", store.path.display());
            return Err(StoreError::new(line));
        }
        let result =
            act(&mut store).map_err(|error| StoreError::new(regular::at(&store.path, error)))?;
        store.failed = false;
        Ok(result)
    }
}

impl Store {
    /// The inner error is of a log that could not be created: nothing was written then, and the store
    /// goes on. File descriptors may be scarce for a moment.
    fn spend(&mut self, window: Window, report: &ReportKey) -> io::Result<io::Result<Seen>> {
        if let Some(refusal) = self.open.refuses(window) {
            return Ok(Ok(refusal));
        }
        let spent = match self.windows.entry(window) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => match Log::create(&self.path, &self.marker.id, window) {
                Ok(log) => entry.insert(Spent {
                    log,
                    known: Fingerprints::default(),
                    waiting: Vec::new(),
                }),
                Err(error) => return Ok(Err(error)),
            },
        };
        let key = report.shortened();
        if !spent.known.insert(&key) {
            return Ok(Ok(Seen::Repeated));
        }
        spent.waiting.push(key);
        if spent.waiting.len() >= BLOCK {
            spent.write()?;
        }
        Ok(Ok(Seen::New))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.marker.check(&self.path)?;
        let mut created = false;
        let mut changed = false;
        for spent in self.windows.values_mut() {
            spent.write()?;
            created |= spent.log.is_new();
            changed |= spent.log.sync()?;
        }
        if created {
            // The names of the logs.
            File::open(&self.path)?.sync_all()?;
        }
        if changed {
            let confirmed = self.confirmed();
            self.state.write(&self.path, &self.marker.id, &confirmed)?;
        }
        Ok(())
    }

    fn expire_before(&mut self, first: Window) -> io::Result<()> {
        if first <= self.open.first() {
            return Ok(());
        }
        self.sync()?;
        let open = self.open.advanced(first);
        let mut confirmed = self.confirmed();
        confirmed.first = first;
        confirmed.ends = confirmed.ends.split_off(&first);
        // In both places, before anything goes: neither may ask for what is not there.
        for _ in 0..2 {
            self.state.write(&self.path, &self.marker.id, &confirmed)?;
        }
        self.windows = self.windows.split_off(&first);
        self.open = open;
        log::remove_before(&self.path, first)
    }

    fn confirmed(&self) -> Confirmed {
        let ends = self.windows.iter();
        Confirmed {
            first: self.open.first(),
            ends: ends
                .map(|(window, spent)| (*window, spent.log.end()))
                .collect(),
        }
    }
}

impl Spent {
    fn write(&mut self) -> io::Result<()> {
        if !self.waiting.is_empty() {
            self.log.append(&self.waiting)?;
            self.waiting.clear();
        }
        Ok(())
    }
}

impl SeenReports for DirectoryReports {
    fn spend(&self, window: Window, report: &ReportKey) -> Result<Seen, StoreError> {
        self.attempt(|store| {
            let spent = store.spend(window, report)?;
            Ok(spent.map_err(|error| regular::at(&store.path, error)))
        })?
        .map_err(StoreError::new)
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.attempt(Store::sync)
    }

    fn expire_before(&self, first: Window) -> Result<(), StoreError> {
        self.attempt(|store| store.expire_before(first))
    }
}

impl fmt::Debug for DirectoryReports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DirectoryReports(..)")
    }
}

/// Whoever may send reports may have a file opened for each open window: there are not too many.
fn check_windows(windows: u64) -> io::Result<()> {
    if (1..=MAX_WINDOWS).contains(&windows) {
        return Ok(());
    }
    let line = format!("windows is {windows}: expected 1..={MAX_WINDOWS}");
    Err(io::Error::new(io::ErrorKind::InvalidInput, line))
}

/// An error that names the file.
fn named(path: &Path, kind: io::ErrorKind, what: &str) -> io::Error {
    io::Error::new(kind, format!("{}: {what}", path.display()))
}

/// An error about a file that is not as it was written.
fn altered(path: &Path, what: &str) -> io::Error {
    named(path, io::ErrorKind::InvalidData, what)
}
