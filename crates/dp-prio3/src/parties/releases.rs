//! What an aggregator has released: each batch once, and to whoever asks again the same share.
//!
//! A second release with fresh noise would let the noise be averaged out. So a share is kept, with its noise, before it
//! leaves the aggregator, and [`Aggregator::released`](crate::Aggregator::released) gives it to whoever asks again.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dp_exact::Process;
use prio::codec::Decode as _;
use sha2::{Digest as _, Sha256};

use super::message::EncodedAggregateShare;
pub use super::replay::StoreError;
use super::task::{BatchName, TaskDigest};

/// Names a batch of one aggregator in one task: SHA-256 over the three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReleaseKey(pub [u8; 32]);

impl ReleaseKey {
    pub(crate) fn new(task: &TaskDigest, aggregator: u8, batch: &BatchName) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"dp-prio3 release 1");
        hash.update(task.0);
        hash.update([aggregator]);
        hash.update(batch.as_str());
        Self(hash.finalize().into())
    }
}

/// Keeps what was released.
///
/// An aggregator is given one by [`Aggregator::with_releases`](crate::Aggregator::with_releases).
/// Without, it has a [`MemoryReleases`], which forgets when the process ends, and which all
/// aggregators of its number and task in this process share.
pub trait ReleaseStore: fmt::Debug + Send + Sync {
    /// Keeps `share` under `key` unless there is one already; that one is returned then, and
    /// nothing changes.
    ///
    /// When this returns `None`, the share is kept for good, also if the machine stops. Of callers
    /// at the same time, in any number of processes, one gets `None`.
    ///
    /// # Errors
    ///
    /// If this cannot be guaranteed. The share is not released then.
    fn keep(&self, key: &ReleaseKey, share: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// The share that is kept under `key`, if there is one. It is kept for good when this returns it.
    ///
    /// # Errors
    ///
    /// If the store cannot tell.
    fn find(&self, key: &ReleaseKey) -> Result<Option<Vec<u8>>, StoreError>;
}

/// A share that a store kept.
pub(crate) fn decode_released(kept: &[u8]) -> Result<EncodedAggregateShare, StoreError> {
    EncodedAggregateShare::get_decoded(kept).map_err(StoreError::new)
}

/// Keeps releases as long as the process lives, and refuses everything in a process that was forked from the one that
/// made it, by [`Forked`](dp_exact::Forked). A server that restarts or forks needs a store that all its processes find.
pub struct MemoryReleases {
    process: Process,
    kept: Mutex<HashMap<ReleaseKey, Vec<u8>>>,
}

impl Default for MemoryReleases {
    fn default() -> Self {
        Self { process: Process::this(), kept: Mutex::default() }
    }
}

impl MemoryReleases {
    /// What is kept, in the process that made the store: another one could wait for ever for a lock that a fork copied.
    fn kept(&self) -> Result<MutexGuard<'_, HashMap<ReleaseKey, Vec<u8>>>, StoreError> {
        self.process.check().map_err(StoreError::new)?;
        // A thread that panicked elsewhere leaves the map whole: this is the only access.
        Ok(self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ReleaseStore for MemoryReleases {
    fn keep(&self, key: &ReleaseKey, share: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let mut kept = self.kept()?;
        if let Some(known) = kept.get(key) {
            return Ok(Some(known.clone()));
        }
        kept.insert(*key, share.to_vec());
        Ok(None)
    }

    fn find(&self, key: &ReleaseKey) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.kept()?.get(key).cloned())
    }
}

impl fmt::Debug for MemoryReleases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemoryReleases(..)")
    }
}
