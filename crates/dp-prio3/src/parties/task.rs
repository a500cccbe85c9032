//! A task: its context, its digest, its verification key, and the names of its batches.
//!
//! A share is a vector of field elements, without a mark of its origin. So it carries
//!
//! - the **digest of its task**, SHA-256 over the context, the policy's name and its parameters;
//! - the **name of its batch**;
//! - the **number of its reports** and a **checksum** of them
//!   ([`ReportChecksum`](crate::ReportChecksum)).
//!
//! The collector refuses shares that do not agree. With one honest aggregator, shares that agree
//! are about the reports that it verified. The digest of the task is also part of every report's id
//! ([`super::report_id`]).

use std::fmt;
use std::sync::Arc;

use dp_exact::{ParameterError, hexadecimal};
use rand_core::CryptoRng;
use sha2::{Digest as _, Sha256};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::Error;
use crate::policy::PolicyDescription;
use crate::vdaf::SEED_SIZE;

/// SHA-256 over the context of a task, its policy's name and parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TaskDigest(pub [u8; 32]);

impl TaskDigest {
    /// The digest of the policy and the context. Every string is preceded by its length, so that no
    /// two tasks hash the same bytes.
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
        f.write_str(&hexadecimal(&self.0))
    }
}

hexadecimal_debug!(TaskDigest);

/// The name of a batch at all parties, such as a day: a text by the rule for names
/// ([`dp_ledger::check_name`]), at most [`dp_ledger::MAX_NAME`] bytes.
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
    /// If it is blank, longer than [`dp_ledger::MAX_NAME`] bytes, or has an invisible character.
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

/// The length of `bytes` as eight bytes, the highest first.
pub(crate) fn length(bytes: &[u8]) -> [u8; 8] {
    // A length in memory fits 64 bits.
    (bytes.len() as u64).to_be_bytes()
}

/// The longest context, in bytes. Prio panics on longer ones: its domain separation has two bytes
/// of length, and uses eight of the string itself.
pub const MAX_CONTEXT_LENGTH: usize = u16::MAX as usize - 8;

/// The byte string that names the task, at most `MAX_CONTEXT_LENGTH` bytes.
#[derive(Clone, Debug)]
pub(crate) struct Context(Arc<[u8]>);

impl Context {
    /// `Err` if the context has more than `MAX_CONTEXT_LENGTH` bytes.
    pub(crate) fn new(bytes: &[u8]) -> Result<Self, ParameterError> {
        if bytes.len() > MAX_CONTEXT_LENGTH {
            let accepted = format!("at most {MAX_CONTEXT_LENGTH} bytes");
            return Err(ParameterError::new("context length", bytes.len(), accepted));
        }
        Ok(Self(bytes.into()))
    }

    /// The bytes of the context.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The key that the aggregators of a task share, and no client may know: with it a client could
/// prove a false measurement. Wiped when dropped.
#[derive(Clone)]
pub struct VerifyKey([u8; SEED_SIZE]);

impl VerifyKey {
    /// A fresh key, from a generator that the operating system has just seeded.
    ///
    /// # Errors
    /// If the operating system gives no seed.
    pub fn random() -> Result<Self, Error> {
        Ok(Self::draw(&mut dp_samplers::os_rng()?))
    }

    /// A key from `rng`, **for tests and simulations**.
    #[cfg(feature = "simulation")]
    pub fn seeded(rng: &mut dyn CryptoRng) -> Self {
        Self::draw(rng)
    }

    /// A uniformly random key from the generator `rng`.
    fn draw(rng: &mut dyn CryptoRng) -> Self {
        let mut key = Self([0; SEED_SIZE]);
        rng.fill_bytes(&mut key.0);
        key
    }

    /// The key with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; SEED_SIZE]) -> Self {
        Self(bytes)
    }

    /// The bytes of the key, which are secret.
    pub(crate) const fn bytes(&self) -> &[u8; SEED_SIZE] {
        &self.0
    }
}

impl Drop for VerifyKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl ZeroizeOnDrop for VerifyKey {}

opaque_debug!(VerifyKey);
