//! What an aggregate share is about: its task, its batch, its reports.
//!
//! A share is a vector of field elements that says nothing of where it comes from. So it carries
//!
//! - the **digest of its task**, SHA-256 over the context and everything that the policy states;
//! - the **name of its batch**;
//! - the **number of its reports** and a **checksum** of them
//!   ([`ReportChecksum`](super::checksum::ReportChecksum)).
//!
//! The collector refuses shares that do not agree. One honest aggregator suffices for the
//! agreement to mean something: its share is about the reports that it verified. The digest of
//! the task is also part of every report's id ([`super::report_id`]).

use std::fmt;
use std::sync::Arc;

use dp_exact::ParameterError;
use sha2::{Digest as _, Sha256};

use super::context::Context;
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

/// What the parties call a batch, such as a day: a text by the rule for names
/// ([`dp_ledger::check_name`]), at most [`MAX_BATCH_NAME_LENGTH`] bytes.
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
    /// If it is blank, longer than [`MAX_BATCH_NAME_LENGTH`] bytes, or has a character that is not seen.
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

pub(crate) fn length(bytes: &[u8]) -> [u8; 8] {
    // A length in memory fits 64 bits.
    (bytes.len() as u64).to_be_bytes()
}

pub(crate) fn hexadecimal(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}
