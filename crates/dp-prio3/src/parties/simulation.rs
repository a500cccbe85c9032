//! Parties whose randomness follows from a seed, **for tests and simulations only**.
//!
//! Whoever knows the state of a generator can compute the noise that it gave. Parties therefore
//! draw from a generator of their own for each report and each release, seeded by the operating
//! system and wiped afterwards. [`Seeded`] makes them draw from the caller's instead, so that a run
//! can be repeated: it protects nobody.

use rand_core::CryptoRng;

use super::batch::{Batch, BatchError};
use super::client::Client;
use super::context::VerifyKey;
use super::message::{EncodedAggregateShare, Report};
use super::window::Window;
use crate::Error;
use crate::policy::{AggregatorPolicy, ClientPolicy};

/// A party that draws from the caller's generator.
#[derive(Debug)]
pub struct Seeded<T>(T);

impl<T> Seeded<T> {
    /// This party, for a test or a simulation.
    pub const fn new(party: T) -> Self {
        Self(party)
    }

    /// The party itself, which draws from the operating system.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<P: ClientPolicy> Seeded<&Client<P>> {
    /// [`Client::report`] with the nonce, the randomization and the secrets that bind the shares from
    /// `rng`. Prio's sharding still draws from the operating system, so that the bytes of the shares
    /// differ from run to run.
    ///
    /// # Errors
    ///
    /// As [`Client::report`].
    pub fn report<R: CryptoRng + ?Sized>(
        &self,
        measurement: &P::Measurement,
        rng: &mut R,
    ) -> Result<Report, Error> {
        self.0.report_from(Window::default(), measurement, rng)
    }
}

impl<P: AggregatorPolicy> Seeded<Batch<P>> {
    /// The batch as if so many reports had been verified whose output shares add up to `share`, without
    /// any report: what Prio3 computes, without Prio3. Such batches agree with each other, as they hold no
    /// report that could differ.
    ///
    /// # Errors
    ///
    /// If there are not as many entries as the output has, an entry does not fit the field, or there are
    /// more reports than the policy allows in a batch.
    pub fn holding(mut self, share: &[i128], reports: u64) -> Result<Self, BatchError> {
        self.0.hold(share, reports)?;
        Ok(self)
    }

    /// How many bytes the state of a batch of this policy has.
    #[must_use]
    pub fn state_length(policy: &P) -> usize {
        Batch::<P>::state_length(policy)
    }

    /// The batch with what another one of the same aggregator, task and name held.
    ///
    /// # Errors
    ///
    /// [`BatchError::State`] if the bytes are none of such a state, [`BatchError::ForeignBatch`] if it is that
    /// of another batch, and [`BatchError::BatchFull`] if it has more reports than the policy allows.
    pub fn with_state(mut self, state: &[u8]) -> Result<Self, BatchError> {
        self.0.read_state(state)?;
        Ok(self)
    }

    /// [`Batch::finish`] with the noise from `rng`.
    ///
    /// # Errors
    ///
    /// As [`Batch::finish`].
    pub fn finish<R: CryptoRng + ?Sized>(
        self,
        rng: &mut R,
    ) -> Result<EncodedAggregateShare, BatchError> {
        self.0.finish_from(rng)
    }
}

impl<P: AggregatorPolicy> Seeded<&Batch<P>> {
    /// Appends what the batch holds: of which aggregator, task and name it is, how many reports it has and
    /// their checksum, how many were rejected, and the sum of their shares **without noise**.
    ///
    /// # Errors
    ///
    /// None in practice: field elements can be encoded.
    pub fn write_state(&self, bytes: &mut Vec<u8>) -> Result<(), BatchError> {
        self.0.write_state(bytes)
    }
}

/// A verification key from `rng`.
pub fn verify_key<R: CryptoRng + ?Sized>(rng: &mut R) -> VerifyKey {
    VerifyKey::draw(rng)
}
