//! The digest of a task: SHA-256 over the meaning of its document.
//!
//! ```text
//! SHA-256( "dp-task 3\n" ‖ len(name) ‖ name ‖ policy and terms )
//! ```
//!
//! with the length in bytes as eight octets, the most significant first, and the [canonical
//! bytes](dp_prio3::Policy::encode) of the policy with the trust of the task, in which what a
//! document may leave open is filled in. A test changes every field of every policy's document and
//! checks that the digest changes.

use std::fmt::{self, Display, Formatter};

use dp_prio3::Policy;
use dp_prio3::canonical::TaskTerms;
use sha2::{Digest as _, Sha256};

/// The digest of a task: 32 bytes, printed in hexadecimal digits. As the application context of the
/// VDAF it makes parties refuse reports of other tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskDigest(pub(crate) [u8; 32]);

impl TaskDigest {
    /// The digest of the task of this name and policy, on these terms.
    pub(crate) fn of(name: &str, policy: &Policy, terms: &TaskTerms) -> Self {
        let mut bytes = b"dp-task 3\n".to_vec();
        bytes.extend((name.len() as u64).to_be_bytes());
        bytes.extend(name.as_bytes());
        policy.encode(terms, &mut bytes);
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
