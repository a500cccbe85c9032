//! A report, and what each aggregator receives of it.

use std::io::Cursor;

use prio::codec::{CodecError, Decode, Encode};
use rand_core::CryptoRng;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroize;

use super::super::rejection::{Rejection, Stage};
use super::super::replay::TimeWindow;
use super::super::report_id::{BindingKey, Commitment, ReportId, equals};
use super::super::task::{TaskDigest, length};
use super::{decode_array, decode_opaque, encode_opaque, take};
use crate::Error;
use crate::error::within;

/// Prio's nonce: 16 random bytes, from which the aggregators derive the randomness that checks the
/// proof.
///
/// Two reports may have one nonce. A report's name is its [`ReportId`], which covers the nonce.
pub type Nonce = [u8; 16];

/// The part of a report that all aggregators receive. Anybody may read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicPart {
    /// Prio's nonce.
    pub nonce: Nonce,
    /// The time window, as the client claims.
    pub window: TimeWindow,
    /// Prio's public share.
    pub public_share: Vec<u8>,
    /// The commitments to the input shares, by aggregator.
    pub commitments: Vec<Commitment>,
}

impl PublicPart {
    /// The id of the report in a task: SHA-256 over an input in which every field but the last has
    /// a fixed length or is preceded by its length, so that no two reports share an input.
    #[must_use]
    pub fn report_id(&self, task: &TaskDigest) -> ReportId {
        let hash = Sha256::new_with_prefix(b"dp-prio3 report 1").chain_update(task.0);
        let hash = hash.chain_update(self.nonce).chain_update(self.window.0.to_be_bytes());
        let mut hash =
            hash.chain_update(length(&self.public_share)).chain_update(&self.public_share);
        for commitment in &self.commitments {
            hash.update(commitment.0);
        }
        ReportId(hash.finalize().into())
    }
}

/// The part of a report for one aggregator alone. The input share and the key are wiped when this
/// is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct PrivatePart {
    /// Prio's input share for this aggregator.
    pub input_share: Vec<u8>,
    /// The secret with which the client bound it.
    pub key: BindingKey,
    /// The tag that ties it to the public part.
    pub tag: [u8; 32],
}

impl Drop for PrivatePart {
    fn drop(&mut self) {
        self.input_share.zeroize();
    }
}

opaque_debug!(PrivatePart);

/// A client's upload.
///
/// The private parts travel apart, each under its aggregator's encryption. All of them together
/// give the measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The part for all aggregators.
    pub public: PublicPart,
    /// The part for each aggregator alone.
    pub private: Vec<PrivatePart>,
}

impl Report {
    /// Binds shares that prio made: draws a secret for each, commits to each, and tags them all.
    /// [`Client`](crate::Client) does this with every report.
    ///
    /// **If you call prio's `shard` yourself**, call `rand::rng().reseed()` before it and after it:
    /// a fork copies the generator from which prio draws the seeds of shares, and with two equal
    /// shares of a helper the leader alone could read both measurements.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there are no input shares or more than 255, and [`Error::Sampler`]
    /// if the operating system gives no seed.
    pub fn bind(
        task: &TaskDigest,
        nonce: Nonce,
        window: TimeWindow,
        public_share: Vec<u8>,
        input_shares: Vec<Vec<u8>>,
    ) -> Result<Self, Error> {
        let rng = &mut dp_samplers::os_rng()?;
        Self::bind_from(task, nonce, window, public_share, input_shares, rng)
    }

    /// The report of these shares, one input share for each aggregator, bound together by
    /// commitments and tags under keys from `rng`. `Err` unless there are 1 to 255 input shares.
    pub(crate) fn bind_from(
        task: &TaskDigest,
        nonce: Nonce,
        window: TimeWindow,
        public_share: Vec<u8>,
        input_shares: Vec<Vec<u8>>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, Error> {
        within("input shares", input_shares.len(), 1..=usize::from(u8::MAX))?;
        let (mut commitments, mut private) = (Vec::new(), Vec::new());
        for input_share in input_shares {
            let mut key = BindingKey([0; 32]);
            rng.fill_bytes(&mut key.0);
            commitments.push(key.commit(&input_share));
            private.push(PrivatePart { input_share, key, tag: [0; 32] });
        }
        let public = PublicPart { nonce, window, public_share, commitments };
        let report = public.report_id(task);
        for (aggregator, part) in (0..=u8::MAX).zip(&mut private) {
            part.tag = part.key.tag(aggregator, &report);
        }
        Ok(Self { public, private })
    }

    /// Splits the upload into what each aggregator receives, in order.
    #[must_use]
    pub fn into_shares(self) -> Vec<ReportShare> {
        let Self { public, private } = self;
        private.into_iter().map(|private| ReportShare { public: public.clone(), private }).collect()
    }
}

/// The two parts of a report that one aggregator receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportShare {
    /// The part for all aggregators.
    pub public: PublicPart,
    /// The part for this aggregator alone.
    pub private: PrivatePart,
}

impl ReportShare {
    /// The id of the report, if its client made this share for this aggregator.
    ///
    /// # Errors
    /// A rejection at stage [`Binding`](Stage::Binding), if the number of commitments is not the
    /// number of aggregators, or the client made the share for another nonce, window, task, public
    /// share or aggregator, beside other input shares, or committed to another input share.
    pub fn check(
        &self,
        task: &TaskDigest,
        aggregator: u8,
        aggregators: usize,
    ) -> Result<ReportId, Rejection> {
        let Self { public, private } = self;
        let refused = |reason: &str| Err(Rejection::new(Stage::Binding, reason));
        let commitments = public.commitments.len();
        let own = public.commitments.get(usize::from(aggregator));
        let Some(own) = own.filter(|_| commitments == aggregators) else {
            return refused(&format!(
                "{commitments} commitments to input shares: expected one for each of the \
                 {aggregators} aggregators"
            ));
        };
        let report = public.report_id(task);
        if !equals(&private.key.tag(aggregator, &report), &private.tag) {
            refused("the share's tag is of another task, aggregator, nonce, window or public share")
        } else if !equals(&private.key.commit(&private.input_share).0, &own.0) {
            refused("the input share is not the one that the report commits to")
        } else {
            Ok(report)
        }
    }
}

impl Encode for ReportShare {
    fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        let Self { public, private } = self;
        bytes.extend_from_slice(&public.nonce);
        public.window.0.encode(bytes)?;
        encode_opaque(&public.public_share, bytes)?;
        let commitments = u8::try_from(public.commitments.len());
        commitments.map_err(|_| CodecError::LengthPrefixOverflow)?.encode(bytes)?;
        for commitment in &public.commitments {
            bytes.extend_from_slice(&commitment.0);
        }
        encode_opaque(&private.input_share, bytes)?;
        bytes.extend_from_slice(&private.key.0);
        bytes.extend_from_slice(&private.tag);
        Ok(())
    }

    /// The exact length of the encoding in bytes, never `None`. A buffer that grows would leave
    /// copies of the secrets.
    fn encoded_len(&self) -> Option<usize> {
        let Self { public, private } = self;
        let of_public = 16 + 8 + 4 + public.public_share.len() + 1 + 32 * public.commitments.len();
        Some(of_public + 4 + private.input_share.len() + 32 + 32)
    }
}

impl Decode for ReportShare {
    fn decode(bytes: &mut Cursor<&[u8]>) -> Result<Self, CodecError> {
        let nonce = decode_array(bytes)?;
        let window = TimeWindow(u64::decode(bytes)?);
        let public_share = decode_opaque(bytes)?;
        let aggregators = usize::from(u8::decode(bytes)?);
        let (commitments, _) = take(bytes, 32 * aggregators)?.as_chunks();
        let commitments = commitments.iter().copied().map(Commitment).collect();
        let public = PublicPart { nonce, window, public_share, commitments };
        let input_share = decode_opaque(bytes)?;
        let key = BindingKey(decode_array(bytes)?);
        let private = PrivatePart { input_share, key, tag: decode_array(bytes)? };
        Ok(Self { public, private })
    }
}
