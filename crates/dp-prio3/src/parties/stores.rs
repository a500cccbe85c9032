//! What an aggregator remembers: the reports that it has verified, and the shares that it has
//! released.

use std::sync::Arc;

use super::releases::{MemoryReleases, ReleaseStore};
use super::replay::{MemoryReports, SeenReports};

/// The stores of an aggregator: its seen reports ([`SeenReports`]), so that each counts once, and
/// its releases ([`ReleaseStore`]), so that a batch is released once, with one noise.
///
/// A clone reads and writes the same stores. A clone of an [`Aggregator`](crate::Aggregator) has a
/// clone of its stores. Aggregators of one number and task must share their stores, whether they
/// run in one process or in several.
#[derive(Clone, Debug)]
pub struct Stores {
    /// The seen reports; `None` if the caller refuses repeated reports.
    pub(crate) reports: Option<Arc<dyn SeenReports>>,
    pub(crate) releases: Arc<dyn ReleaseStore>,
}

impl Stores {
    /// A store of seen reports and a store of releases. The module `store` has stores that survive
    /// a restart.
    #[must_use]
    pub fn new(reports: Arc<dyn SeenReports>, releases: Arc<dyn ReleaseStore>) -> Self {
        Self { reports: Some(reports), releases }
    }

    /// Empty stores in memory, for tasks without time windows: **they forget when the process
    /// ends**.
    ///
    /// A restarted aggregator with such stores verifies every report again, and releases a batch
    /// again, with fresh noise that averages out. In a forked process they reject each report and
    /// release nothing.
    #[must_use]
    pub fn forgotten_at_restart() -> Self {
        Self::new(Arc::new(MemoryReports::default()), Arc::new(MemoryReleases::default()))
    }

    /// Stores that check neither repetition nor time window, for a caller that refuses repeated
    /// reports itself, or that makes all the reports. Every guarantee assumes that somebody does.
    #[must_use]
    pub fn without_replay_defence(self) -> Self {
        Self { reports: None, ..self }
    }
}
