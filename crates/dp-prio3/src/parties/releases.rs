//! The shares that an aggregator released: each batch once.
//!
//! Releases with fresh noise would let an observer average the noise out. So a share is kept, with
//! its noise, before it leaves the aggregator.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use prio::codec::Decode as _;
use sha2::{Digest as _, Sha256};

use super::message::EncodedAggregateShare;
use super::replay::OfOneProcess;
pub use super::replay::StoreError;
use super::task::{BatchName, TaskDigest};

/// SHA-256 over a task, an aggregator's number and a batch's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReleaseKey(pub [u8; 32]);

impl ReleaseKey {
    /// The key under which an aggregator's store keeps the release of `batch`.
    pub(crate) fn new(task: &TaskDigest, aggregator: u8, batch: &BatchName) -> Self {
        let hash = Sha256::new_with_prefix(b"dp-prio3 release 1").chain_update(task.0);
        Self(hash.chain_update([aggregator]).chain_update(batch.as_str()).finalize().into())
    }
}

/// A store of released shares, one of an aggregator's [`Stores`](crate::Stores).
pub trait ReleaseStore: fmt::Debug + Send + Sync {
    /// Keeps `share` under `key` unless there is a share already, which is then returned.
    ///
    /// At `None` the share is kept for good, also if the machine stops. Of simultaneous callers, in
    /// any number of processes, one gets `None`.
    ///
    /// # Errors
    /// If this cannot be guaranteed. The share is not released then.
    fn keep(&self, key: &ReleaseKey, share: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// The share that is kept under `key` for good, if there is one.
    ///
    /// # Errors
    /// If the store cannot tell.
    fn find(&self, key: &ReleaseKey) -> Result<Option<Vec<u8>>, StoreError>;
}

/// Decodes the aggregate share that a store kept. `Err` if the bytes are no encoded share.
pub(crate) fn decode_released(kept: &[u8]) -> Result<EncodedAggregateShare, StoreError> {
    EncodedAggregateShare::get_decoded(kept).map_err(StoreError::new)
}

/// Keeps releases in memory, and **forgets them when the process ends**. In a forked process every
/// call fails with [`Forked`](dp_files::Forked).
pub struct MemoryReleases(OfOneProcess<HashMap<ReleaseKey, Vec<u8>>>);

impl Default for MemoryReleases {
    fn default() -> Self {
        Self(OfOneProcess::new(HashMap::new()))
    }
}

impl ReleaseStore for MemoryReleases {
    fn keep(&self, key: &ReleaseKey, share: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        match self.0.lock()?.entry(*key) {
            Entry::Occupied(kept) => Ok(Some(kept.get().clone())),
            Entry::Vacant(place) => {
                place.insert(share.to_vec());
                Ok(None)
            }
        }
    }

    fn find(&self, key: &ReleaseKey) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.0.lock()?.get(key).cloned())
    }
}

opaque_debug!(MemoryReleases);
