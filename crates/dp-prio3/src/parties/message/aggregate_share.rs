//! What an aggregator sends to the collector.

use std::fmt;
use std::io::{Cursor, Read};

use prio::codec::{CodecError, Decode, Encode};

use super::super::binding::{BatchName, TaskDigest};
use super::super::checksum::ReportChecksum;
use super::codec::{decode_opaque, encode_opaque, take};

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
