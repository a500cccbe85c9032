//! What crosses between the parties: bytes.
//!
//! The contents are prio's own encodings, in the TLS presentation language (RFC 8446, section 3).
//! Around them stands only what the receiver must know to route them, in the same language:
//!
//! ```text
//! struct { opaque nonce[16]; opaque public_share<0..2^32-1>;
//!          opaque input_share<0..2^32-1>; } ReportShare;
//! struct { opaque task[32]; opaque batch<1..256>; uint8 aggregator; uint64 reports;
//!          opaque checksum[32]; opaque share<0..2^32-1>; } EncodedAggregateShare;
//! opaque VerifierShare<..>, VerifierMessage<..>;
//! ```
//!
//! Read them with [`Decode::get_decoded`], which refuses trailing bytes.

use std::fmt;
use std::io::{Cursor, Read};

use prio::codec::{CodecError, Decode, Encode};
use zeroize::Zeroize;

use super::binding::{BatchName, ReportChecksum, TaskDigest};

/// The number that names a report within a task.
///
/// Prio binds the proof to it by the joint randomness, which Prio3Count, Prio3Sum and Prio3Average
/// do not have: their reports verify under any nonce. The encryption that carries a report share
/// must authenticate its nonce, as that of DAP does.
pub type Nonce = [u8; 16];

/// A client's upload: one input share for each aggregator.
///
/// The shares travel apart, each under its aggregator's encryption. Whoever holds them all holds
/// the measurement. They are wiped when this is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Report {
    /// Names the report.
    pub nonce: Nonce,
    /// Prio's public share, the same for all aggregators.
    pub public_share: Vec<u8>,
    /// Prio's input shares, by aggregator.
    pub input_shares: Vec<Vec<u8>>,
}

impl Report {
    /// Splits the upload into what each aggregator receives, in order.
    #[must_use]
    pub fn into_shares(mut self) -> Vec<ReportShare> {
        std::mem::take(&mut self.input_shares)
            .into_iter()
            .map(|input_share| ReportShare {
                nonce: self.nonce,
                public_share: self.public_share.clone(),
                input_share,
            })
            .collect()
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        self.input_shares.zeroize();
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report")
            .field("nonce", &self.nonce)
            .field("input_shares", &self.input_shares.len())
            .finish_non_exhaustive()
    }
}

/// What one aggregator receives of a report. The input share is wiped when this is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct ReportShare {
    /// Names the report.
    pub nonce: Nonce,
    /// Prio's public share.
    pub public_share: Vec<u8>,
    /// Prio's input share for this aggregator.
    pub input_share: Vec<u8>,
}

impl Drop for ReportShare {
    fn drop(&mut self) {
        self.input_share.zeroize();
    }
}

impl fmt::Debug for ReportShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReportShare")
            .field("nonce", &self.nonce)
            .finish_non_exhaustive()
    }
}

impl Encode for ReportShare {
    fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        bytes.extend_from_slice(&self.nonce);
        encode_opaque(&self.public_share, bytes)?;
        encode_opaque(&self.input_share, bytes)
    }

    fn encoded_len(&self) -> Option<usize> {
        Some(self.nonce.len() + 8 + self.public_share.len() + self.input_share.len())
    }
}

impl Decode for ReportShare {
    fn decode(bytes: &mut Cursor<&[u8]>) -> Result<Self, CodecError> {
        let mut nonce = Nonce::default();
        bytes.read_exact(&mut nonce)?;
        Ok(Self {
            nonce,
            public_share: decode_opaque(bytes)?,
            input_share: decode_opaque(bytes)?,
        })
    }
}

/// What an aggregator tells the others about a report: its share of the proof's verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierShare(pub Vec<u8>);

/// What the combined verifier shares say, sent back to every aggregator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierMessage(pub Vec<u8>);

/// An aggregator's noisy share of the totals, for the collector, and what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
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
        Ok(Self {
            task,
            batch,
            aggregator,
            reports,
            checksum,
            share: decode_opaque(bytes)?,
        })
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
