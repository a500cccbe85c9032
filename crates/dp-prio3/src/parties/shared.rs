//! What the aggregators of one number and task in this process share: two of them are one
//! aggregator, which verifies a report once and releases a batch once.
//!
//! The memory lives as long as one of them, or a batch of theirs, does. It does not depend on the
//! verification key, as [`ReportKey`](super::replay::ReportKey) explains.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use super::binding::TaskDigest;
use super::releases::MemoryReleases;
use super::replay::MemoryReports;

/// What an aggregator remembers by default.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) reports: Arc<MemoryReports>,
    pub(crate) releases: Arc<MemoryReleases>,
}

/// Each kind by itself: an aggregator may have a store of its own for one of them.
#[derive(Default)]
struct Known {
    reports: HashMap<(TaskDigest, u8), Weak<MemoryReports>>,
    releases: HashMap<(TaskDigest, u8), Weak<MemoryReleases>>,
}

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

impl Memory {
    /// The memory of this aggregator of this task in this process.
    pub(crate) fn of(task: &TaskDigest, aggregator: u8) -> Self {
        // A thread that panicked elsewhere leaves the maps whole: this is the only access.
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (*task, aggregator);
        Self {
            reports: living(&mut known.reports, place),
            releases: living(&mut known.releases, place),
        }
    }
}

/// The one at this place, or a fresh one; those that nobody holds any more go.
fn living<T: Default>(
    known: &mut HashMap<(TaskDigest, u8), Weak<T>>,
    place: (TaskDigest, u8),
) -> Arc<T> {
    if let Some(living) = known.get(&place).and_then(Weak::upgrade) {
        return living;
    }
    known.retain(|_, other| other.strong_count() > 0);
    let fresh = Arc::new(T::default());
    known.insert(place, Arc::downgrade(&fresh));
    fresh
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_holds_any_more_goes_when_another_comes() {
        let mut known = HashMap::new();
        let place = |aggregator| (TaskDigest([7; 32]), aggregator);
        let held: Arc<MemoryReleases> = living(&mut known, place(0));
        assert!(Arc::ptr_eq(&held, &living(&mut known, place(0))));
        drop(living(&mut known, place(1)));
        assert_eq!(known.len(), 2);
        drop(living(&mut known, place(2)));
        assert_eq!(known.len(), 2);
        assert!(Arc::ptr_eq(&held, &living(&mut known, place(0))));
    }
}
