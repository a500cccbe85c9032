//! The messages between the parties, as bytes.
//!
//! The contents are prio's own encodings, in the TLS presentation language (RFC 8446, section 3).
//! The fields around them, in the same language, let the receiver route and check them:
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
//! Encrypt each [`PrivatePart`] for its aggregator: the binding of a report rests on the secrets in
//! it (`docs/binding.md`). The public part may go in plain.

use std::io::{Cursor, Read};

use dp_exact::ParameterError;
use prio::codec::{CodecError, Decode, Encode};

use super::report_id::ReportChecksum;
pub use super::report_id::{BindingKey, Commitment, ReportId};
use super::task::{BatchName, TaskDigest};

mod report;

pub use report::{Nonce, PrivatePart, PublicPart, Report, ReportShare};

/// An aggregator's share of the verification of a report's proof, for the other aggregators.
///
/// It names the report: otherwise a client could give its aggregators different public parts, and
/// the checksums of the whole batch would not agree.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifierShare {
    /// The report.
    pub report: ReportId,
    /// Prio's verifier share.
    pub share: Vec<u8>,
}

opaque_debug!(VerifierShare);

/// The combined verifier shares, sent back to every aggregator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierMessage {
    /// The report.
    pub report: ReportId,
    /// Prio's verifier message.
    pub message: Vec<u8>,
}

impl Encode for VerifierShare {
    fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        bytes.extend_from_slice(&self.report.0);
        encode_opaque(&self.share, bytes)
    }
}

impl Decode for VerifierShare {
    fn decode(bytes: &mut Cursor<&[u8]>) -> Result<Self, CodecError> {
        Ok(Self { report: ReportId(decode_array(bytes)?), share: decode_opaque(bytes)? })
    }
}

impl Encode for VerifierMessage {
    fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        bytes.extend_from_slice(&self.report.0);
        encode_opaque(&self.message, bytes)
    }
}

impl Decode for VerifierMessage {
    fn decode(bytes: &mut Cursor<&[u8]>) -> Result<Self, CodecError> {
        Ok(Self { report: ReportId(decode_array(bytes)?), message: decode_opaque(bytes)? })
    }
}

/// An aggregator's noisy share of the totals, for the collector, with its task, batch and reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedAggregateShare {
    /// The task.
    pub task: TaskDigest,
    /// The batch.
    pub batch: BatchName,
    /// The number of the aggregator, from 0.
    pub aggregator: u8,
    /// The number of reports.
    pub reports: u64,
    /// The checksum of the reports.
    pub checksum: ReportChecksum,
    /// Prio's aggregate share.
    pub share: Vec<u8>,
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
}

impl Decode for EncodedAggregateShare {
    fn decode(bytes: &mut Cursor<&[u8]>) -> Result<Self, CodecError> {
        Ok(Self {
            task: TaskDigest(decode_array(bytes)?),
            batch: decode_name(bytes)?,
            aggregator: u8::decode(bytes)?,
            reports: u64::decode(bytes)?,
            checksum: ReportChecksum(decode_array(bytes)?),
            share: decode_opaque(bytes)?,
        })
    }
}

/// Reads a batch's name: its length in two big-endian bytes, then its text. `Err` if bytes are
/// missing, or the text is no valid name.
fn decode_name(bytes: &mut Cursor<&[u8]>) -> Result<BatchName, CodecError> {
    let length = u16::decode(bytes)?.into();
    let text = std::str::from_utf8(take(bytes, length)?);
    let text = text.map_err(|error| CodecError::Other(error.into()))?;
    text.parse().map_err(|error: ParameterError| CodecError::Other(error.into()))
}

/// Reads `N` bytes; `Err` if fewer are left.
fn decode_array<const N: usize>(bytes: &mut Cursor<&[u8]>) -> Result<[u8; N], CodecError> {
    let mut array = [0; N];
    bytes.read_exact(&mut array)?;
    Ok(array)
}

/// Appends the length of `content` as four big-endian bytes, then `content`. `Err` from 2^32 bytes
/// on.
fn encode_opaque(content: &[u8], bytes: &mut Vec<u8>) -> Result<(), CodecError> {
    let length = u32::try_from(content.len()).map_err(|_| CodecError::LengthPrefixOverflow)?;
    length.encode(bytes)?;
    bytes.extend_from_slice(content);
    Ok(())
}

/// Reads a length in four big-endian bytes, then content of that length. `Err` if fewer bytes are
/// left, before any memory is allocated.
fn decode_opaque(bytes: &mut Cursor<&[u8]>) -> Result<Vec<u8>, CodecError> {
    let prefix = u32::decode(bytes)?;
    let length = usize::try_from(prefix).map_err(|_| CodecError::LengthPrefixOverflow)?;
    Ok(take(bytes, length)?.to_vec())
}

/// Reads `length` bytes without copying them; `Err`, and nothing is read, if fewer are left.
fn take<'a>(bytes: &mut Cursor<&'a [u8]>, length: usize) -> Result<&'a [u8], CodecError> {
    let start = usize::try_from(bytes.position()).map_err(|_| CodecError::UnexpectedValue)?;
    // Nothing is left behind a position beyond the end.
    let rest = bytes.get_ref().get(start..).unwrap_or_default();
    let content = rest.get(..length).ok_or(CodecError::LengthPrefixTooBig(length))?;
    bytes.set_position(bytes.position() + length as u64);
    Ok(content)
}
