//! Which nonces an aggregator has seen: a report counts once.
//!
//! Prio remembers nothing, so the same report verifies as often as
//! it is sent. The VDAF specification leaves it to the protocol around it to refuse that
//! (draft-irtf-cfrg-vdaf-18, "Requirements for the Nonce").

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::message::Nonce;
use super::rejection::{Rejection, Stage};

/// The nonces that one aggregator has seen. Clones share the set.
#[derive(Clone, Default)]
pub(crate) struct SeenNonces(Arc<Mutex<HashSet<Nonce>>>);

impl SeenNonces {
    /// Spends a nonce. Of any number of threads that try, one succeeds.
    pub(crate) fn spend(&self, nonce: &Nonce) -> Result<(), Rejection> {
        // A thread that panicked elsewhere leaves the set whole: this is the only access.
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.insert(*nonce) {
            Ok(())
        } else {
            Err(Rejection::new(
                Stage::Replay,
                "a report of this nonce has been verified before",
            ))
        }
    }
}

impl fmt::Debug for SeenNonces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SeenNonces(..)")
    }
}
