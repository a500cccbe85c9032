//! Which reports an aggregator has verified: each counts once.
//!
//! Prio remembers nothing, so the same report verifies as often as it is sent. The VDAF
//! specification leaves it to the protocol around it to refuse that (draft-irtf-cfrg-vdaf-18,
//! "Requirements for the Nonce").
//!
//! What is spent is the [`ReportId`], once the report's binding is checked, before its proof is. A
//! report that another made, under the nonce of an honest one, has another id: it spends nothing of the
//! honest client's. What this choice and the others leave to an attacker stands in
#![cfg_attr(doc, doc = "[`proofs::binding`](crate::proofs::binding).")]
#![cfg_attr(not(doc), doc = "`docs/binding.md`.")]

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::{Mutex, PoisonError};

use dp_exact::Process;
use sha2::{Digest as _, Sha256};

use super::report_id::ReportId;

/// Why a store of reports or of releases could not keep or look up something.
#[derive(Debug, thiserror::Error)]
#[error("the store cannot be used: {0}")]
pub struct StoreError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl StoreError {
    /// What went wrong underneath.
    pub fn new(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(source.into())
    }
}

/// The period of time that a client says its report is of, by number: the days since 1970, say.
///
/// A report is bound to it, and an aggregator takes no report of a window that has expired: so what
/// was spent in it can be forgotten ([`SeenReports::expire_before`](crate::replay::SeenReports::expire_before)).
/// All aggregators read it, so it should be no finer than they may know. Where it is not used it
/// is 0, and aggregators take no other, unless they are given a store that does
/// ([`MemoryReports::new`](crate::replay::MemoryReports::new)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimeWindow(pub u64);

impl fmt::Display for TimeWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Names a report at one aggregator of its task: SHA-256 over the aggregator's number and the
/// report's id, which covers the task.
///
/// It does not cover the verification key: with another key the same report must not be verified
/// again either. It would count twice, and two verifications of one share with different query
/// randomness tell the other aggregators more of the measurement than one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReportKey(pub [u8; 32]);

impl ReportKey {
    pub(crate) fn new(aggregator: u8, report: &ReportId) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"dp-prio3 spent 1");
        hash.update([aggregator]);
        hash.update(report.0);
        Self(hash.finalize().into())
    }

    /// The first 16 bytes, which suffice to tell reports apart.
    ///
    /// Two reports of honest clients among 10^8 agree in them with probability 2^−75. Whoever wants to shut out a
    /// report that he has seen has to find another one that agrees with it, which takes 2^128 hashes.
    #[must_use]
    pub fn shortened(&self) -> [u8; 16] {
        let mut short = [0; 16];
        short.copy_from_slice(&self.0[..16]);
        short
    }
}

/// What a store says of a report that is to be spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayCheck {
    /// It was not there before, and is now.
    New,
    /// It was there before.
    Repeated,
    /// Its window has expired: it may have been there.
    Expired,
    /// Its window is not open yet. Nothing was kept.
    Early,
}

/// Keeps which reports were verified.
///
/// An aggregator is given one by
/// [`Aggregator::with_seen_reports`](crate::Aggregator::with_seen_reports). Without, it has a
/// [`MemoryReports`], which forgets when the process ends.
///
/// Several aggregators and tasks may share one if they use the same windows: keys of different ones
/// differ.
pub trait SeenReports: fmt::Debug + Send + Sync {
    /// Spends a report. Of callers at the same time, one gets [`ReplayCheck::New`] for each key.
    ///
    /// It need not be durable when this returns: [`SeenReports::sync`] makes it so.
    ///
    /// # Errors
    ///
    /// If the store cannot tell. The report is rejected then.
    fn spend(&self, window: TimeWindow, report: &ReportKey) -> Result<ReplayCheck, StoreError>;

    /// When this returns, everything that was spent before it was called is kept for good, also if
    /// the machine stops.
    ///
    /// A batch calls it before its share leaves. So whatever a crash makes a store forget was in no
    /// share that was released.
    ///
    /// # Errors
    ///
    /// If this cannot be guaranteed. The share is not released then.
    fn sync(&self) -> Result<(), StoreError>;

    /// Closes all windows before `first`, for good, and forgets their reports. Later calls with an
    /// earlier window change nothing.
    ///
    /// # Errors
    ///
    /// If the closing cannot be kept. Nothing is forgotten then.
    fn expire_before(&self, first: TimeWindow) -> Result<(), StoreError>;
}

/// Which windows are open: so many from the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenTimeWindows {
    first: TimeWindow,
    count: u64,
}

impl OpenTimeWindows {
    /// `count` windows from `first` on.
    #[must_use]
    pub const fn new(first: TimeWindow, count: u64) -> Self {
        Self { first, count }
    }

    /// The first one.
    #[must_use]
    pub const fn first(&self) -> TimeWindow {
        self.first
    }

    /// What a store says of a report whose window is not open.
    #[must_use]
    pub fn refuses(&self, window: TimeWindow) -> Option<ReplayCheck> {
        match window.0.checked_sub(self.first.0) {
            None => Some(ReplayCheck::Expired),
            Some(after) if after >= self.count => Some(ReplayCheck::Early),
            Some(_) => None,
        }
    }

    /// Those from `first` on, if that is later.
    #[must_use]
    pub fn advanced(&self, first: TimeWindow) -> Self {
        let first = self.first.max(first);
        Self { first, ..*self }
    }
}

/// Keeps reports as long as it lives: 19 to 39 bytes for each, up to 58 while a set grows. It refuses everything in a
/// process that was forked from the one that made it, by [`Forked`](dp_exact::Forked). A server that restarts or forks
/// needs a store that all its processes find, such as that of the module `store`.
pub struct MemoryReports {
    process: Process,
    spent: Mutex<Spent>,
}

struct Spent {
    open: OpenTimeWindows,
    windows: BTreeMap<TimeWindow, HashSet<[u8; 16]>>,
}

impl MemoryReports {
    /// Takes reports of `windows` windows from the first one that has not expired, at first from 0.
    ///
    /// A few: what malicious clients say of later windows would fill the memory and outlive every
    /// expiry.
    #[must_use]
    pub fn new(windows: u64) -> Self {
        Self {
            process: Process::this(),
            spent: Mutex::new(Spent {
                open: OpenTimeWindows::new(TimeWindow(0), windows),
                windows: BTreeMap::new(),
            }),
        }
    }

    /// Acts in the process that made the store: another one could wait for ever for a lock that a fork copied.
    fn with<T>(&self, act: impl FnOnce(&mut Spent) -> T) -> Result<T, StoreError> {
        self.process.check().map_err(StoreError::new)?;
        // A thread that panicked elsewhere leaves the sets whole: this is the only access.
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(act(&mut spent))
    }
}

impl Default for MemoryReports {
    /// Takes reports of window 0 alone, for tasks that do not use windows.
    fn default() -> Self {
        Self::new(1)
    }
}

impl SeenReports for MemoryReports {
    fn spend(&self, window: TimeWindow, report: &ReportKey) -> Result<ReplayCheck, StoreError> {
        self.with(|spent| {
            if let Some(refusal) = spent.open.refuses(window) {
                refusal
            } else if spent.windows.entry(window).or_default().insert(report.shortened()) {
                ReplayCheck::New
            } else {
                ReplayCheck::Repeated
            }
        })
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.with(|_| ())
    }

    fn expire_before(&self, first: TimeWindow) -> Result<(), StoreError> {
        self.with(|spent| {
            spent.open = spent.open.advanced(first);
            spent.windows = spent.windows.split_off(&spent.open.first());
        })
    }
}

impl fmt::Debug for MemoryReports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemoryReports(..)")
    }
}
