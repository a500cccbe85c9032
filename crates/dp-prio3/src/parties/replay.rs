//! The reports whose verification an aggregator has begun: none is verified twice.
//!
//! Prio remembers nothing (draft-irtf-cfrg-vdaf-18, "Requirements for the Nonce"). The [`ReportId`]
//! is spent after the report's binding is checked, and before its proof is. A forged report under
//! the nonce of an honest one has another id. The remaining attacks are in `docs/binding.md`.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dp_files::OwnerProcess;
use sha2::{Digest as _, Sha256};

use super::report_id::ReportId;

/// The reason why a store of reports or of releases failed.
#[derive(Debug, thiserror::Error)]
#[error("the store cannot be used: {0}")]
pub struct StoreError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl StoreError {
    /// An error from its cause.
    pub fn new(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(source.into())
    }
}

/// The time window of a report, by number, such as the days since 1970; DAP's time rounded to the
/// time precision. The client claims it.
///
/// A report is bound to it, and an aggregator takes no report of an expired window, so that it can
/// forget the reports of that window ([`SeenReports::expire_before`]). All aggregators read it. A
/// task without time windows uses 0, the only window of the default [`MemoryReports`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimeWindow(pub u64);

impl TimeWindow {
    /// The answer to a report of this window if `count` windows are open from `first` on; `None` if
    /// this is one of them.
    pub(crate) fn refused(self, first: Self, count: u64) -> Option<ReplayCheck> {
        match self.0.checked_sub(first.0) {
            None => Some(ReplayCheck::Expired),
            Some(after) if after >= count => Some(ReplayCheck::Early),
            Some(_) => None,
        }
    }
}

/// The key of a report in a store: SHA-256 over the aggregator's number and the
/// report's id, which covers the task.
///
/// It does not cover the verification key: a report must not be verified under a second key either,
/// as two verifications with different query randomness reveal more of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReportKey(pub [u8; 32]);

impl ReportKey {
    /// The key under which an aggregator's store of spent reports holds `report`.
    pub(crate) fn new(aggregator: u8, report: &ReportId) -> Self {
        let hash = Sha256::new_with_prefix(b"dp-prio3 spent 1").chain_update([aggregator]);
        Self(hash.chain_update(report.0).finalize().into())
    }

    /// The first 16 bytes, which suffice to distinguish reports.
    ///
    /// Two reports of honest clients among 10^8 agree in them with probability 2^−75; to shut out a
    /// known report takes 2^128 hashes.
    #[must_use]
    pub fn shortened(&self) -> [u8; 16] {
        let mut short = [0; 16];
        short.copy_from_slice(&self.0[..16]);
        short
    }
}

/// The answer of a store to a report that an aggregator wants to spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayCheck {
    /// The report is new, and is now spent.
    New,
    /// The report was spent before.
    Repeated,
    /// The time window has expired, so the report may have been spent before.
    Expired,
    /// The time window is not open yet. Nothing was spent.
    Early,
}

/// A store of the reports whose verification has begun, one of an aggregator's
/// [`Stores`](crate::Stores).
///
/// Several aggregators and tasks with equal time windows may share one store: their keys differ.
pub trait SeenReports: fmt::Debug + Send + Sync {
    /// Spends a report. Of simultaneous callers, one gets [`ReplayCheck::New`] for each key.
    /// Durable after [`SeenReports::sync`].
    ///
    /// # Errors
    /// If the store cannot tell. The report is rejected then.
    fn spend(&self, window: TimeWindow, report: &ReportKey) -> Result<ReplayCheck, StoreError>;

    /// Makes durable everything that was spent before the call, also if the machine stops. A batch
    /// calls it before its share leaves, so that no report of a released share is forgotten.
    ///
    /// # Errors
    /// If this cannot be guaranteed. The share is not released then.
    fn sync(&self) -> Result<(), StoreError>;

    /// Closes all time windows before `first`, for good, and forgets their reports. Later calls
    /// with an earlier window change nothing.
    ///
    /// # Errors
    /// If the closing may not be durable. No report is taken twice then: perhaps none is at all.
    fn expire_before(&self, first: TimeWindow) -> Result<(), StoreError>;
}

/// A value that only the process which made it uses, one thread at a time. A fork may copy the lock
/// while another thread holds it.
pub(crate) struct OfOneProcess<T> {
    process: OwnerProcess,
    value: Mutex<T>,
}

impl<T> OfOneProcess<T> {
    /// The value, for this process.
    pub(crate) fn new(value: T) -> Self {
        Self { process: OwnerProcess::this(), value: Mutex::new(value) }
    }

    /// The value, locked. `Err` in a forked process; the panic of another holder is no error.
    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, T>, StoreError> {
        self.process.check().map_err(StoreError::new)?;
        Ok(self.value.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Keeps reports in memory, 19 to 39 bytes for each, up to 58 while a set grows, and **forgets them
/// when the process ends**. In a forked process every call fails with [`Forked`](dp_files::Forked).
pub struct MemoryReports(OfOneProcess<Spent>);

/// The spent reports.
#[derive(Default)]
struct Spent {
    /// The first open window.
    first: TimeWindow,
    /// The number of open windows.
    count: u64,
    /// For each window the first 16 bytes of the keys of its spent reports.
    windows: BTreeMap<TimeWindow, HashSet<[u8; 16]>>,
}

impl MemoryReports {
    /// Takes reports of `windows` time windows from the first one that has not expired, at first
    /// from 0. Choose a few: malicious clients can fill the memory with reports of later windows.
    #[must_use]
    pub fn new(windows: u64) -> Self {
        Self(OfOneProcess::new(Spent { count: windows, ..Spent::default() }))
    }
}

impl Default for MemoryReports {
    /// A store for tasks without time windows: only window 0 is open.
    fn default() -> Self {
        Self::new(1)
    }
}

impl SeenReports for MemoryReports {
    fn spend(&self, window: TimeWindow, report: &ReportKey) -> Result<ReplayCheck, StoreError> {
        let mut spent = self.0.lock()?;
        if let Some(refusal) = window.refused(spent.first, spent.count) {
            return Ok(refusal);
        }
        Ok(match spent.windows.entry(window).or_default().insert(report.shortened()) {
            true => ReplayCheck::New,
            false => ReplayCheck::Repeated,
        })
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.0.lock().map(drop)
    }

    fn expire_before(&self, first: TimeWindow) -> Result<(), StoreError> {
        let mut spent = self.0.lock()?;
        let first = spent.first.max(first);
        spent.first = first;
        spent.windows = spent.windows.split_off(&first);
        Ok(())
    }
}

opaque_debug!(MemoryReports);
