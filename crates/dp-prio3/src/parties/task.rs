//! A task: its context, its digest, its verification key, and the names of its batches.
//!
//! A share carries the digest of its task, the name of its batch, the number of its reports and
//! their [checksum](crate::ReportChecksum): with one honest aggregator, shares that agree are about
//! the reports that it verified.

use std::fmt;
use std::sync::Arc;

use dp_exact::ParameterError;
use rand_core::CryptoRng;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::Error;
use crate::circuit::SEED_SIZE;
use crate::policy::Policy;

/// What follows a policy in a task's digest where no terms are stated (`dp_task::TaskDigest`): one
/// release, one report of a person, no δ, trust model or honest clients, no weak guarantee.
const NO_TERMS: [u8; 20] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0];

/// SHA-256 over the context of a task and the canonical bytes of its policy.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TaskDigest(pub [u8; 32]);

impl TaskDigest {
    /// The digest of the policy and the context. Both are preceded by their length, so that no
    /// two tasks hash the same bytes.
    pub(crate) fn new(policy: &Policy, context: &[u8]) -> Self {
        let mut hash = Sha256::new_with_prefix(b"dp-prio3 task 2");
        for part in [context, &[policy.encoded(), &NO_TERMS].concat()] {
            hash.update(length(part));
            hash.update(part);
        }
        Self(hash.finalize().into())
    }
}

hexadecimal!(TaskDigest);

/// The name of a batch at all parties, such as a day: a text by the rule for names
/// ([`dp_ledger::check_name`]), at most [`dp_ledger::MAX_NAME`] bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BatchName(Arc<str>);

impl BatchName {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for BatchName {
    type Err = ParameterError;

    /// The name with this text. `Err` if it is blank, longer than [`dp_ledger::MAX_NAME`] bytes, or
    /// has an invisible character.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        dp_ledger::check_name("batch name", text)?;
        Ok(Self(text.into()))
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

/// The byte string that names the task; `Err` if it has more than `MAX_CONTEXT_LENGTH` bytes.
pub(crate) fn check_context(bytes: &[u8]) -> Result<Arc<[u8]>, ParameterError> {
    if bytes.len() > MAX_CONTEXT_LENGTH {
        let accepted = format!("at most {MAX_CONTEXT_LENGTH} bytes");
        return Err(ParameterError::new("context length", bytes.len(), accepted));
    }
    Ok(bytes.into())
}

/// The key that the aggregators of a task share, and no client may know: with it a client could
/// prove a false measurement. Wiped when dropped.
#[derive(Clone)]
pub struct VerifyKey(Zeroizing<[u8; SEED_SIZE]>);

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
        let mut key = Self(Zeroizing::new([0; SEED_SIZE]));
        rng.fill_bytes(&mut *key.0);
        key
    }

    /// The key with these bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; SEED_SIZE]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// The bytes of the key, which are secret.
    pub(crate) fn bytes(&self) -> &[u8; SEED_SIZE] {
        &self.0
    }
}

opaque_debug!(VerifyKey);
