//! The digest of a task: SHA-256 over the meaning of its document.
//!
//! ```text
//! SHA-256( "dp-task 3\n" ‖ len(name) ‖ name ‖ policy and terms )
//! ```
//!
//! with the length in bytes as eight octets, the most significant first, the [canonical
//! bytes](dp_prio3::Policy::encoded) of the policy and the trust of the task, in which what a
//! document may leave open is filled in. A test changes every field of every policy's document and
//! checks that the digest changes.

use std::fmt::{self, Display, Formatter};

use dp_calibration::Adjacency;
use dp_prio3::{Circumstances, canonical};
use sha2::{Digest as _, Sha256};

use crate::{Task, TaskDocument, Trust};

/// The digest of a task: 32 bytes, printed in hexadecimal digits. As the application context of the
/// VDAF it makes parties refuse reports of other tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskDigest(pub(crate) [u8; 32]);

impl TaskDigest {
    /// The digest of a task.
    pub(crate) fn of(task: &Task) -> Self {
        let TaskDocument { name, trust, .. } = task.document();
        let Circumstances { delta, reports_per_client, adjacency, .. } = task.circumstances();
        let mut bytes = b"dp-task 3\n".to_vec();
        bytes.extend((name.len() as u64).to_be_bytes());
        bytes.extend(name.as_bytes());
        bytes.extend(task.policy().encoded());
        for number in [task.releases(), *reports_per_client] {
            bytes.extend(u64::from(number).to_be_bytes());
        }
        // Of each term that may be absent whether it is there, then the term.
        bytes.push(1);
        canonical::fraction("delta", delta.value(), &mut bytes).expect("a δ is short");
        let Trust { model, honest_clients, accept_weak_guarantee, .. } = trust;
        bytes.extend([1, model.honest_aggregators(), model.needs_other_clients().into()]);
        bytes.push(honest_clients.is_some().into());
        bytes.extend(honest_clients.iter().flat_map(|honest| honest.to_be_bytes()));
        bytes.push((*accept_weak_guarantee).into());
        // The last term: tasks under replacement keep the bytes that they had without it.
        if *adjacency != Adjacency::Replacement {
            bytes.push(canonical::code(*adjacency));
        }
        Self(Sha256::digest(bytes).into())
    }

    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Display for TaskDigest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
