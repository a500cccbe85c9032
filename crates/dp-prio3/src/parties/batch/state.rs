//! The state of a batch as bytes, **for simulations only**: the states of all aggregators together
//! reveal the totals without noise.
//!
//! ```text
//! state = origin (32) | reports (8) | checksum (32) | rejections by stage (11 × 8) | sum (length × field element)
//! origin = SHA-256("dp-prio3 batch state 1" | task digest | aggregator | name)
//! ```
//!
//! Integers are little endian; field elements are encoded as in prio, each as its one
//! representative.

use dp_exact::ParameterError;
use prio::codec::Decode as _;
use prio::field::FieldElement as _;
use rand_core::CryptoRng;
use sha2::{Digest as _, Sha256};

use super::super::message::EncodedAggregateShare;
use super::super::rejection::{Rejections, Stage};
use super::super::report_id::ReportChecksum;
use super::{Batch, BatchError};
use crate::Error;
use crate::error::within;
use crate::field::SignedField;
use crate::policy::{DpPolicy, FieldOf};

/// The length of a hash in bytes.
const HASH: usize = 32;

/// The length of a count in bytes.
const COUNT: usize = size_of::<u64>();

/// The length in bytes of the part before the sum: origin, number of reports, checksum and
/// rejections.
const HEADER: usize = HASH + COUNT + HASH + COUNT * Stage::ALL.len();

impl<P: DpPolicy> Batch<P> {
    /// [`Batch::finish`] with the noise from `rng`: it protects nobody.
    ///
    /// # Errors
    /// As [`Batch::finish`].
    pub fn finish_seeded(
        self,
        rng: &mut dyn CryptoRng,
    ) -> Result<EncodedAggregateShare, BatchError> {
        self.finish_from(rng)
    }

    /// The batch after `reports` verified reports whose output shares add up to `share`, without
    /// any proof. Such batches of different aggregators agree, as they hold no report that could
    /// differ.
    ///
    /// # Errors
    /// If the number of entries is not the output's, an entry does not fit the field, or there are
    /// more reports than the policy allows in a batch.
    pub fn holding(mut self, share: &[i128], reports: u64) -> Result<Self, BatchError> {
        let length = self.sum.len();
        within("share length", share.len(), length..=length).map_err(Error::from)?;
        self.check_reports(reports)?;
        let largest = FieldOf::<P>::MAX_SIGNED;
        for (sum, entry) in self.sum.iter_mut().zip(share) {
            let accepted = || format!("an integer from -{largest} to {largest}");
            let element = FieldOf::<P>::from_signed(*entry);
            let refused = || Error::from(ParameterError::new("total", entry, accepted()));
            *sum = element.ok_or_else(refused)?;
        }
        self.reports = reports;
        Ok(self)
    }

    /// The length in bytes of the state of a batch of this policy.
    #[must_use]
    pub fn state_length(policy: &P) -> usize {
        let sum = policy.vdaf().output_len().saturating_mul(FieldOf::<P>::ENCODED_SIZE);
        sum.saturating_add(HEADER)
    }

    /// Appends the state: a hash of aggregator, task and name, the number of reports and their
    /// checksum, the rejections, and the sum of the shares **without noise**.
    ///
    /// # Errors
    /// None in practice: field elements can be encoded.
    pub fn write_state(&self, bytes: &mut Vec<u8>) -> Result<(), BatchError> {
        bytes.reserve(Self::state_length(&self.policy));
        bytes.extend_from_slice(&self.state_origin());
        bytes.extend_from_slice(&self.reports.to_le_bytes());
        bytes.extend_from_slice(&self.checksum.0);
        for stage in Stage::ALL {
            bytes.extend_from_slice(&self.rejections.at(stage).to_le_bytes());
        }
        self.encode_sum(bytes)
    }

    /// The batch with the state of another one of the same aggregator, task and name.
    ///
    /// # Errors
    /// [`BatchError::State`] if the bytes are no state, [`BatchError::ForeignBatch`] if they are
    /// the state of another batch, and [`BatchError::BatchFull`] if it has more reports than the
    /// policy allows.
    pub fn with_state(mut self, state: &[u8]) -> Result<Self, BatchError> {
        let expected = Self::state_length(&self.policy);
        if state.len() != expected {
            let found = state.len();
            let reason = format!("has {found} bytes: expected {expected}");
            return Err(BatchError::State { reason });
        }
        let (header, sum) = state.split_at(HEADER);
        let (origin, header) = header.split_at(HASH);
        if origin != self.state_origin() {
            return Err(BatchError::ForeignBatch);
        }
        let (reports, header) = header.split_at(COUNT);
        let (checksum, rejections) = header.split_at(HASH);
        let reports = count(reports);
        self.check_reports(reports)?;
        let elements = sum.chunks_exact(FieldOf::<P>::ENCODED_SIZE);
        for (index, (sum, bytes)) in self.sum.iter_mut().zip(elements).enumerate() {
            let refused =
                |_| BatchError::State { reason: format!("has no field element in place {index}") };
            *sum = FieldOf::<P>::get_decoded(bytes).map_err(refused)?;
        }
        self.reports = reports;
        self.checksum = ReportChecksum::default();
        self.checksum.0.copy_from_slice(checksum);
        self.rejections = Rejections::default();
        for (stage, bytes) in Stage::ALL.into_iter().zip(rejections.chunks_exact(COUNT)) {
            self.rejections.set(stage, count(bytes));
        }
        Ok(self)
    }

    /// `Err` if `reports` is more than the policy allows in a batch.
    fn check_reports(&self, reports: u64) -> Result<(), BatchError> {
        let max_reports = self.policy.max_reports();
        if reports > max_reports {
            return Err(BatchError::BatchFull { reports, max_reports });
        }
        Ok(())
    }

    /// The hash of the batch's task, aggregator and name, by which the state of another batch is
    /// refused.
    fn state_origin(&self) -> [u8; HASH] {
        let hash = Sha256::new_with_prefix(b"dp-prio3 batch state 1");
        let hash = hash.chain_update(self.verifier.task.0).chain_update([self.verifier.aggregator]);
        hash.chain_update(self.name.as_str()).finalize().into()
    }
}

/// The count in the first eight bytes, least significant byte first; 0 if there are fewer than
/// eight.
fn count(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
