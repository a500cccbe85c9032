//! What crosses between the parties: bytes.
//!
//! The contents are prio's own encodings, in the TLS presentation language (RFC 8446, section 3).
//! Around them stands only what the receiver must know to route them, in the same language:
//!
//! ```text
//! struct { opaque nonce[16]; opaque public_share<0..2^32-1>;
//!          opaque input_share<0..2^32-1>; } ReportShare;
//! struct { uint8 aggregator; uint64 reports;
//!          opaque share<0..2^32-1>; } EncodedAggregateShare;
//! opaque VerifierShare<..>, VerifierMessage<..>;
//! ```
//!
//! Read them with [`Decode::get_decoded`], which refuses trailing bytes.

use std::fmt;
use std::io::{Cursor, Read};

use prio::codec::{CodecError, Decode, Encode};

/// The number that names a report within a task.
///
/// Prio binds the proof to it by the joint randomness, which Prio3Count, Prio3Sum and Prio3Average
/// do not have: their reports verify under any nonce. The encryption that carries a report share
/// must authenticate its nonce, as that of DAP does.
pub type Nonce = [u8; 16];

/// A client's upload: one input share for each aggregator.
///
/// The shares travel apart, each under its aggregator's encryption. Whoever holds them all holds
/// the measurement.
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
    pub fn into_shares(self) -> Vec<ReportShare> {
        let Self {
            nonce,
            public_share,
            input_shares,
        } = self;
        input_shares
            .into_iter()
            .map(|input_share| ReportShare {
                nonce,
                public_share: public_share.clone(),
                input_share,
            })
            .collect()
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

/// What one aggregator receives of a report.
#[derive(Clone, PartialEq, Eq)]
pub struct ReportShare {
    /// Names the report.
    pub nonce: Nonce,
    /// Prio's public share.
    pub public_share: Vec<u8>,
    /// Prio's input share for this aggregator.
    pub input_share: Vec<u8>,
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

/// An aggregator's noisy share of the totals, for the collector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedAggregateShare {
    /// Which aggregator, from 0.
    pub aggregator: u8,
    /// How many reports are in it.
    pub reports: u64,
    /// Prio's aggregate share.
    pub share: Vec<u8>,
}

impl Encode for EncodedAggregateShare {
    fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        self.aggregator.encode(bytes)?;
        self.reports.encode(bytes)?;
        encode_opaque(&self.share, bytes)
    }

    fn encoded_len(&self) -> Option<usize> {
        Some(1 + 8 + 4 + self.share.len())
    }
}

impl Decode for EncodedAggregateShare {
    fn decode(bytes: &mut Cursor<&[u8]>) -> Result<Self, CodecError> {
        Ok(Self {
            aggregator: u8::decode(bytes)?,
            reports: u64::decode(bytes)?,
            share: decode_opaque(bytes)?,
        })
    }
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
    let start = usize::try_from(bytes.position()).map_err(|_| CodecError::UnexpectedValue)?;
    let content = start
        .checked_add(length)
        .and_then(|end| bytes.get_ref().get(start..end))
        .ok_or(CodecError::LengthPrefixTooBig(length))?
        .to_vec();
    let end = u64::try_from(start + length).map_err(|_| CodecError::UnexpectedValue)?;
    bytes.set_position(end);
    Ok(content)
}
