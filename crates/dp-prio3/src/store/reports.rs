//! The reports that an aggregator has seen: a log for each time window.
//!
//! A directory holds
//!
//! ```text
//! seen-reports   its first line, a random id, and the lock
//! confirmed      the first open window, and the confirmed length of each log
//! window.N       the reports that were spent in window N
//! ```

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use dp_exact::{hexadecimal, parse_hexadecimal};
use rand_core::Rng as _;

use super::log::{Confirmed, Log, StoreId};
use super::{altered, at, named};
use crate::error::within;
use crate::replay::{OfOneProcess, ReplayCheck, ReportKey, SeenReports, StoreError, TimeWindow};

/// The largest number of windows that may be open: each window with reports holds a file open.
const MAX_WINDOWS: u64 = 512;

/// The name of the file that marks a directory as a store, and that one process at a time locks.
const MARKER: &str = "seen-reports";

/// The first line of the marker file; the store's id follows.
const FIRST_LINE: &str = "dp-prio3 seen reports 3\n";

/// The longest wait for the lock of a store, which a fork holds until its program starts.
const PATIENCE: Duration = Duration::from_millis(500);

/// The seen reports of an aggregator, in a directory that its owner alone may read.
///
/// One process at a time has it open, with a file descriptor for the store and one for each window
/// with reports. In a forked process every call fails with [`Forked`](dp_files::Forked), and the
/// store stays locked until both have closed it. A report takes 16 bytes on the disk, 19 to 39 in
/// memory; a window takes 48 bytes for each `sync`.
///
/// # Guarantees
///
/// - Reports spent before a `sync` that returned are found again after a crash at any moment.
/// - Every flipped bit and every truncation of any of its files is an error, or loses nothing, and
///   so is an older copy of one of them beside newer ones. A store that failed to write refuses
///   until it is opened again.
///
/// Deleting the directory, or restoring an old copy, lets reports be spent again: nothing on the
/// same disk can detect that.
pub struct DirectoryReports {
    store: OfOneProcess<Store>,
}

/// The content of a store in memory, and its open files.
struct Store {
    path: PathBuf,
    id: StoreId,
    /// The marker file, locked as long as the store is open.
    marker: File,
    /// The first open window.
    first: TimeWindow,
    /// The number of open windows.
    count: u64,
    /// The logs of the open windows that have reports.
    logs: BTreeMap<TimeWindow, Log>,
    /// Whether a write failed, so that the content of the disk is unknown.
    failed: bool,
}

impl DirectoryReports {
    /// A new store in a directory that does not exist yet, or is empty, for its owner alone. It
    /// takes reports of `windows` time windows from the first one that has not expired, at first
    /// from 0.
    ///
    /// # Errors
    /// If there is a file or folder with content at `path`, which stays unchanged, if nothing can
    /// be written there, or if `windows` is not in 1..=512.
    pub fn create(path: impl AsRef<Path>, windows: u64) -> io::Result<Self> {
        let path = path.as_ref();
        check_windows(windows)?;
        let created = dp_files::create_folder(path, |fresh| {
            let mut id = StoreId::default();
            let mut rng = dp_samplers::os_rng().map_err(io::Error::other)?;
            rng.fill_bytes(&mut id);
            let mut marker = dp_files::private().create_new(true).open(fresh.join(MARKER))?;
            writeln!(marker, "{FIRST_LINE}{}", hexadecimal(&id))?;
            marker.sync_all()?;
            let nothing = Confirmed { first: TimeWindow(0), ends: BTreeMap::new() };
            nothing.write(fresh, &id)
        });
        created.map_err(|error| named(path, error.kind(), &error.to_string()))?;
        Self::open(path, windows)
    }

    /// The store that was created at `path`.
    ///
    /// # Errors
    /// If there is none, if another process has it open, if confirmed reports are missing or
    /// altered, or if `windows` is not in 1..=512. No file is changed then.
    pub fn open(path: impl AsRef<Path>, windows: u64) -> io::Result<Self> {
        let path = path.as_ref().to_owned();
        check_windows(windows)?;
        let (marker, id) = lock(&path)?;
        let confirmed = Confirmed::read(&path, &id)?;
        let mut logs = confirmed.read_logs(&path, &id)?;
        // By the marks of the logs, where they are newer.
        let first = logs.values().map(|log| log.first).fold(confirmed.first, TimeWindow::max);
        logs = logs.split_off(&first);
        // All confirmed reports are there. Only now files may be changed.
        for log in logs.values_mut() {
            log.cut()?;
        }
        let store = Store { path, id, marker, first, count: windows, logs, failed: false };
        store.confirmed().remove_other_logs(&store.path)?;
        dp_files::remove_leftovers(&store.path)?;
        Ok(Self { store: OfOneProcess::new(store) })
    }

    /// Returns the result of `act` on the store. After an error or a panic every later call fails.
    fn attempt<T>(&self, act: impl FnOnce(&mut Store) -> io::Result<T>) -> Result<T, StoreError> {
        // A thread that panicked while it wrote has set `failed`.
        let mut store = self.store.lock()?;
        if std::mem::replace(&mut store.failed, true) {
            let line = format!("{} failed before: open it again", store.path.display());
            return Err(StoreError::new(line));
        }
        let result = act(&mut store).map_err(|error| StoreError::new(at(&store.path, error)))?;
        store.failed = false;
        Ok(result)
    }
}

impl Store {
    /// Spends a report in the log of its window, which is created if there is none; durable after
    /// [`Self::sync`]. If the window is not open, the answer says so, and nothing changes; nor does
    /// anything at the inner `Err`, if the log cannot be created, such as with too many open files.
    fn spend(
        &mut self,
        window: TimeWindow,
        report: &ReportKey,
    ) -> io::Result<Result<ReplayCheck, io::Error>> {
        if let Some(refusal) = window.refused(self.first, self.count) {
            return Ok(Ok(refusal));
        }
        let log = match self.logs.entry(window) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => match Log::create(&self.path, &self.id, window) {
                Ok(log) => entry.insert(log),
                Err(error) => return Ok(Err(at(&self.path, error))),
            },
        };
        Ok(Ok(match log.insert(report.shortened())? {
            true => ReplayCheck::New,
            false => ReplayCheck::Repeated,
        }))
    }

    /// Makes all spent reports durable and records the confirmed ends; writes nothing if no report
    /// was spent since. `Err` also if the marker file was replaced.
    fn sync(&mut self) -> io::Result<()> {
        let marker = self.path.join(MARKER);
        if !dp_files::is_at(&self.marker, &marker)? {
            return Err(altered(&marker, "replaced since the store was opened"));
        }
        let mut changed = false;
        for log in self.logs.values_mut() {
            changed |= log.sync(self.first)?;
        }
        if changed {
            // Makes the names of new logs durable.
            dp_files::sync_folder(&self.path)?;
            self.confirmed().write(&self.path, &self.id)?;
        }
        Ok(())
    }

    /// Closes all windows before `first` for good, and removes their logs, once all spent reports
    /// are durable. Does nothing if they are closed already.
    fn expire_before(&mut self, first: TimeWindow) -> io::Result<()> {
        if first <= self.first {
            return Ok(());
        }
        self.sync()?;
        self.first = first;
        self.logs = self.logs.split_off(&first);
        for log in self.logs.values_mut() {
            log.mark(first)?;
        }
        let confirmed = self.confirmed();
        // Before any log is removed.
        confirmed.write(&self.path, &self.id)?;
        confirmed.remove_other_logs(&self.path)
    }

    /// The confirmed ends to record once everything that was written is on the disk.
    fn confirmed(&self) -> Confirmed {
        let ends = self.logs.iter().map(|(window, log)| (*window, log.length));
        Confirmed { first: self.first, ends: ends.collect() }
    }
}

impl SeenReports for DirectoryReports {
    fn spend(&self, window: TimeWindow, report: &ReportKey) -> Result<ReplayCheck, StoreError> {
        self.attempt(|store| store.spend(window, report))?.map_err(StoreError::new)
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.attempt(Store::sync)
    }

    fn expire_before(&self, first: TimeWindow) -> Result<(), StoreError> {
        self.attempt(|store| store.expire_before(first))
    }
}

opaque_debug!(DirectoryReports);

/// `Err` unless `windows`, the number of open windows, is from 1 to `MAX_WINDOWS`: senders of
/// reports can make the store open a file for each window.
fn check_windows(windows: u64) -> io::Result<()> {
    within("windows", windows, 1..=MAX_WINDOWS)
        .map(drop)
        .map_err(|error| io::Error::new(ErrorKind::InvalidInput, error))
}

/// Opens and locks the marker file of a store, and reads the store's id. `Err` if the store stays
/// open, here or in another process, for half a second, or `directory` is no store.
fn lock(directory: &Path) -> io::Result<(File, StoreId)> {
    let path = directory.join(MARKER);
    let options = OpenOptions::new().read(true).write(true).clone();
    let opened = dp_files::open_regular(&path, &options);
    let mut file = opened.map_err(|error| {
        let what = format!("not a store of seen reports: {MARKER}: {error}");
        named(directory, error.kind(), &what)
    })?;
    dp_files::lock(&file, PATIENCE).map_err(|error| match error.kind() {
        ErrorKind::ResourceBusy => {
            let what = "open already, here or in another process";
            named(directory, error.kind(), what)
        }
        kind => named(&path, kind, &error.to_string()),
    })?;
    let mut content = Vec::new();
    (&mut file).take(100).read_to_end(&mut content)?;
    let id = content.strip_prefix(FIRST_LINE.as_bytes()).and_then(|id| id.strip_suffix(b"\n"));
    let id = id.and_then(parse_hexadecimal);
    Ok((file, id.ok_or_else(|| altered(&path, "not a store of seen reports"))?))
}
