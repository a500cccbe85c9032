//! What ties messages to one task: the application context, its digest with the policy, and the
//! verification key.

use std::fmt;
use std::sync::Arc;

use dp_exact::ParameterError;
use rand_core::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::Error;
use crate::vdaf::SEED_SIZE;

/// The longest context, in bytes. Prio panics on longer ones: its domain separation has two bytes
/// of length, and uses eight of the string itself.
pub const MAX_CONTEXT_LENGTH: usize = u16::MAX as usize - 8;

/// The byte string that names the task, checked.
#[derive(Clone, Debug)]
pub(crate) struct Context(Arc<[u8]>);

impl Context {
    pub(crate) fn new(bytes: &[u8]) -> Result<Self, ParameterError> {
        if bytes.len() > MAX_CONTEXT_LENGTH {
            return Err(ParameterError::new(
                "context length",
                bytes.len(),
                format!("at most {MAX_CONTEXT_LENGTH} bytes"),
            ));
        }
        Ok(Self(bytes.into()))
    }

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
    ///
    /// If the operating system gives no seed.
    pub fn random() -> Result<Self, Error> {
        Ok(Self::draw(&mut dp_samplers::os_rng()?))
    }

    pub(crate) fn draw<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        let mut key = Self([0; SEED_SIZE]);
        rng.fill_bytes(&mut key.0);
        key
    }

    /// The key with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; SEED_SIZE]) -> Self {
        Self(bytes)
    }

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

impl fmt::Debug for VerifyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VerifyKey(..)")
    }
}
