//! What an aggregate share is about: its task, its batch, its reports.
//!
//! A share is a vector of field elements that says nothing of where it comes from. So it carries
//!
//! - the **digest of its task**, SHA-256 over the context and everything that the policy states;
//! - the **name of its batch**;
//! - the **number of its reports** and a **checksum** of them that does not depend on their order:
//!   the exclusive or, over the reports, of SHA-256(k ‖ nonce), with k derived from the verification
//!   key and the task. DAP has such a checksum over report IDs without a key (draft-ietf-ppm-dap);
//!   clients choose nonces, and with 256 of them could steer a sum without a key to any value.
//!
//! The collector refuses shares that do not agree. One honest aggregator suffices for the
//! agreement to mean something: its share is about the reports that it verified.

use std::fmt;
use std::sync::Arc;

use dp_exact::ParameterError;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroize;

use super::context::{Context, VerifyKey};
use super::message::Nonce;
use crate::policy::PolicyDescription;

/// The longest name of a batch, in bytes.
pub const MAX_BATCH_NAME_LENGTH: usize = dp_ledger::MAX_NAME;

/// SHA-256 over the context of a task and what its policy states.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TaskDigest(pub [u8; 32]);

impl TaskDigest {
    /// Every string is preceded by its length, so that no two tasks share an input.
    pub(crate) fn new<P: PolicyDescription>(policy: &P, context: &Context) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"dp-prio3 task 1");
        let mut add = |bytes: &[u8]| {
            hash.update(length(bytes));
            hash.update(bytes);
        };
        add(context.bytes());
        add(policy.name().as_bytes());
        for (name, value) in policy.parameters() {
            add(name.as_bytes());
            add(value.as_bytes());
        }
        Self(hash.finalize().into())
    }
}

impl fmt::Display for TaskDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hexadecimal(&self.0, f)
    }
}

impl fmt::Debug for TaskDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskDigest({self})")
    }
}

/// What the parties call a batch, such as a day: 1 to 256 bytes without control characters, as the
/// names of a ledger ([`dp_ledger::check_name`]).
///
/// ```
/// use dp_prio3::BatchName;
///
/// let day: BatchName = "2026-07-01".parse()?;
/// assert_eq!(day.as_str(), "2026-07-01");
/// assert!("two\nlines".parse::<BatchName>().is_err());
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BatchName(Arc<str>);

impl BatchName {
    /// The name with this text.
    ///
    /// # Errors
    ///
    /// If it is empty, longer than [`MAX_BATCH_NAME_LENGTH`] bytes, or has a control character.
    pub fn new(text: &str) -> Result<Self, ParameterError> {
        dp_ledger::check_name("batch name", text)?;
        Ok(Self(text.into()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for BatchName {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        Self::new(text)
    }
}

impl fmt::Display for BatchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The checksum of the reports in a batch: the same in whichever order they came.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ReportChecksum(pub [u8; 32]);

impl ReportChecksum {
    /// Adds the reports of another checksum.
    pub(crate) fn add(&mut self, other: &Self) {
        for (byte, more) in self.0.iter_mut().zip(other.0) {
            *byte ^= more;
        }
    }
}

impl fmt::Debug for ReportChecksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReportChecksum(")?;
        hexadecimal(&self.0, f)?;
        f.write_str(")")
    }
}

/// The key k of the checksums of one task. Wiped when dropped.
#[derive(Clone)]
pub(crate) struct ChecksumKey([u8; 32]);

impl ChecksumKey {
    pub(crate) fn new(task: &TaskDigest, key: &VerifyKey) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"dp-prio3 checksum 1");
        hash.update(key.bytes());
        hash.update(task.0);
        Self(hash.finalize().into())
    }

    /// The checksum of one report.
    pub(crate) fn of(&self, nonce: &Nonce) -> ReportChecksum {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(nonce);
        ReportChecksum(hash.finalize().into())
    }
}

impl Drop for ChecksumKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for ChecksumKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChecksumKey(..)")
    }
}

fn length(bytes: &[u8]) -> [u8; 8] {
    // A length in memory fits 64 bits.
    (bytes.len() as u64).to_be_bytes()
}

fn hexadecimal(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}
