//! What crosses between the parties: bytes.
//!
//! The contents are prio's own encodings, in the TLS presentation language (RFC 8446, section 3).
//! Around them stands what the receiver must know to route and to check them, in the same language:
//!
//! ```text
//! struct { opaque nonce[16]; uint64 window; opaque public_share<0..2^32-1>;
//!          uint8 aggregators; opaque commitments[32 * aggregators]; } PublicPart;
//! struct { opaque input_share<0..2^32-1>; opaque key[32]; opaque tag[32]; } PrivatePart;
//! struct { PublicPart public; PrivatePart private; } ReportShare;
//!
//! struct { opaque report[32]; opaque share<0..2^32-1>; } VerifierShare;
//! struct { opaque report[32]; opaque message<0..2^32-1>; } VerifierMessage;
//!
//! struct { opaque task[32]; opaque batch<1..256>; uint8 aggregator; uint64 reports;
//!          opaque checksum[32]; opaque share<0..2^32-1>; } EncodedAggregateShare;
//! ```
//!
//! Read them with [`Decode::get_decoded`](prio::codec::Decode::get_decoded), which refuses trailing
//! bytes. Each message has one encoding, and a length prefix alone allocates nothing.
//!
//! # How a report is bound
//!
//! An aggregator takes an input share only under the nonce, the window, the task, the public share
//! and the other aggregators' input shares for which the client made it; see
#![cfg_attr(doc, doc = "[`proofs::binding`](crate::proofs::binding).")]
#![cfg_attr(not(doc), doc = "`docs/binding.md`.")]
//! Nothing is bound by what is not secret: whoever carries a [`PrivatePart`] encrypts it for its
//! aggregator. The public part may go in plain.

use std::fmt;
use std::io::{Cursor, Read};

use prio::codec::{CodecError, Decode, Encode};

use super::report_id::ReportChecksum;
pub use super::report_id::{BindingKey, Commitment, ReportId};
use super::task::{BatchName, TaskDigest};

mod report;

pub use report::{BindingFault, Nonce, PrivatePart, PublicPart, Report, ReportShare};

/// What an aggregator tells the others about a report: its share of the proof's verification.
///
/// It names the report. A client could else give its aggregators different public parts, so that one and the
/// same contribution would be two reports, and the checksums of the whole batch would not agree.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifierShare {
    /// Of which report.
    pub report: ReportId,
    /// Prio's verifier share.
    pub share: Vec<u8>,
}

impl fmt::Debug for VerifierShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifierShare").field("report", &self.report).finish_non_exhaustive()
    }
}

/// What the combined verifier shares say, sent back to every aggregator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierMessage {
    /// Of which report.
    pub report: ReportId,
    /// Prio's verifier message.
    pub message: Vec<u8>,
}

impl Encode for VerifierShare {
    fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        bytes.extend_from_slice(&self.report.0);
        encode_opaque(&self.share, bytes)
    }

    fn encoded_len(&self) -> Option<usize> {
        Some(32 + 4 + self.share.len())
    }
}

impl Decode for VerifierShare {
    fn decode(bytes: &mut Cursor<&[u8]>) -> Result<Self, CodecError> {
        let mut report = ReportId([0; 32]);
        bytes.read_exact(&mut report.0)?;
        let share = decode_opaque(bytes)?;
        Ok(Self { report, share })
    }
}

impl Encode for VerifierMessage {
    fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        bytes.extend_from_slice(&self.report.0);
        encode_opaque(&self.message, bytes)
    }

    fn encoded_len(&self) -> Option<usize> {
        Some(32 + 4 + self.message.len())
    }
}

impl Decode for VerifierMessage {
    fn decode(bytes: &mut Cursor<&[u8]>) -> Result<Self, CodecError> {
        let mut report = ReportId([0; 32]);
        bytes.read_exact(&mut report.0)?;
        let message = decode_opaque(bytes)?;
        Ok(Self { report, message })
    }
}

/// An aggregator's noisy share of the totals, for the collector, and what it is about.
#[derive(Clone, PartialEq, Eq)]
pub struct EncodedAggregateShare {
    /// Of which task.
    pub task: TaskDigest,
    /// Of which batch.
    pub batch: BatchName,
    /// Which aggregator, from 0.
    pub aggregator: u8,
    /// How many reports are in it.
    pub reports: u64,
    /// Which reports.
    pub checksum: ReportChecksum,
    /// Prio's aggregate share.
    pub share: Vec<u8>,
}

impl EncodedAggregateShare {
    /// Whether both are about the same reports of the same batch.
    pub(crate) fn is_of_the_same_reports(&self, other: &Self) -> bool {
        self.task == other.task
            && self.batch == other.batch
            && self.reports == other.reports
            && self.checksum == other.checksum
    }
}

impl fmt::Debug for EncodedAggregateShare {
    /// What the share is about, and not the share.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncodedAggregateShare")
            .field("task", &self.task)
            .field("batch", &self.batch)
            .field("aggregator", &self.aggregator)
            .field("reports", &self.reports)
            .field("checksum", &self.checksum)
            .finish_non_exhaustive()
    }
}

impl Encode for EncodedAggregateShare {
    fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        bytes.extend_from_slice(&self.task.0);
        let name = self.batch.as_str();
        let length = u16::try_from(name.len()).map_err(|_| CodecError::LengthPrefixOverflow)?;
        length.encode(bytes)?;
        bytes.extend_from_slice(name.as_bytes());
        self.aggregator.encode(bytes)?;
        self.reports.encode(bytes)?;
        bytes.extend_from_slice(&self.checksum.0);
        encode_opaque(&self.share, bytes)
    }

    fn encoded_len(&self) -> Option<usize> {
        Some(32 + 2 + self.batch.as_str().len() + 1 + 8 + 32 + 4 + self.share.len())
    }
}

impl Decode for EncodedAggregateShare {
    fn decode(bytes: &mut Cursor<&[u8]>) -> Result<Self, CodecError> {
        let mut task = TaskDigest([0; 32]);
        bytes.read_exact(&mut task.0)?;
        let batch = decode_name(bytes)?;
        let (aggregator, reports) = (u8::decode(bytes)?, u64::decode(bytes)?);
        let mut checksum = ReportChecksum::default();
        bytes.read_exact(&mut checksum.0)?;
        Ok(Self { task, batch, aggregator, reports, checksum, share: decode_opaque(bytes)? })
    }
}

fn decode_name(bytes: &mut Cursor<&[u8]>) -> Result<BatchName, CodecError> {
    let length = usize::from(u16::decode(bytes)?);
    let name = take(bytes, length)?;
    let text = std::str::from_utf8(name).map_err(|error| CodecError::Other(error.into()))?;
    BatchName::new(text).map_err(|error| CodecError::Other(error.into()))
}

fn encode_opaque(content: &[u8], bytes: &mut Vec<u8>) -> Result<(), CodecError> {
    let length = u32::try_from(content.len()).map_err(|_| CodecError::LengthPrefixOverflow)?;
    length.encode(bytes)?;
    bytes.extend_from_slice(content);
    Ok(())
}

/// Reads no more than is there: a length prefix alone allocates nothing.
fn decode_opaque(bytes: &mut Cursor<&[u8]>) -> Result<Vec<u8>, CodecError> {
    let prefix = u32::decode(bytes)?;
    let length = usize::try_from(prefix).map_err(|_| CodecError::LengthPrefixOverflow)?;
    Ok(take(bytes, length)?.to_vec())
}

fn take<'a>(bytes: &mut Cursor<&'a [u8]>, length: usize) -> Result<&'a [u8], CodecError> {
    let start = usize::try_from(bytes.position()).map_err(|_| CodecError::UnexpectedValue)?;
    let content = start
        .checked_add(length)
        .and_then(|end| bytes.get_ref().get(start..end))
        .ok_or(CodecError::LengthPrefixTooBig(length))?;
    let end = u64::try_from(start + length).map_err(|_| CodecError::UnexpectedValue)?;
    bytes.set_position(end);
    Ok(content)
}
