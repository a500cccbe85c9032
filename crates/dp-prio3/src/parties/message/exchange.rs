//! What aggregators tell each other about one report.
//!
//! Both messages name the report. A client could else give its aggregators different public parts,
//! so that one and the same contribution would be two reports, and the checksums of the whole batch
//! would not agree.

use std::fmt;
use std::io::{Cursor, Read};

use prio::codec::{CodecError, Decode, Encode};

use super::super::report_id::ReportId;
use super::codec::{decode_opaque, encode_opaque};

/// What an aggregator tells the others about a report: its share of the proof's verification.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifierShare {
    /// Of which report.
    pub report: ReportId,
    /// Prio's verifier share.
    pub share: Vec<u8>,
}

impl fmt::Debug for VerifierShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifierShare")
            .field("report", &self.report)
            .finish_non_exhaustive()
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
