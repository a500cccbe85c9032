//! The hashes that bind a report: the commitment to each input share, the report's id, the tag that
//! each aggregator checks, and the checksum of many reports. Their properties are proved in
#![cfg_attr(doc, doc = "[`proofs::binding`](crate::proofs::binding).")]
#![cfg_attr(not(doc), doc = "`docs/binding.md`.")]
//!
//! There, the window and the length of the public share are 64 bits, most significant byte first; i
//! is one byte; r_i, c_i, id, t_i and the digest of the task are 32 bytes, the nonce 16.

use ctutils::CtEq as _;
use dp_samplers::declassify;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest as _, Sha256};
use zeroize::{Zeroize, Zeroizing};

use super::task::{TaskDigest, VerifyKey};

/// The id of a report: SHA-256 over its public part, with the commitments to the input shares. Two
/// reports that differ in anything have different ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReportId(pub [u8; 32]);

/// Fixes an input share without showing it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Commitment(pub [u8; 32]);

/// The secret r_i with which a client binds the share of one aggregator: uniformly random, for one
/// share of one report. Wiped when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct BindingKey(pub [u8; 32]);

impl BindingKey {
    /// HMAC-SHA-256 under this key, which has read `label` and reads further input from the caller.
    fn hmac(&self, label: &[u8]) -> Hmac<Sha256> {
        // HMAC pads a key of this length with zeros, to a block.
        let mut padded = [0; 64];
        padded[..32].copy_from_slice(&self.0);
        let hmac = Hmac::<Sha256>::new(&padded.into());
        padded.zeroize();
        hmac.chain_update(label)
    }

    /// The commitment to an input share under this key.
    pub(crate) fn commit(&self, input_share: &[u8]) -> Commitment {
        let hmac = self.hmac(b"dp-prio3 commitment 1").chain_update(input_share);
        Commitment(hmac.finalize().into_bytes().into())
    }

    /// The tag that ties the share of the aggregator with number `aggregator` to the whole report.
    pub(crate) fn tag(&self, aggregator: u8, report: &ReportId) -> [u8; 32] {
        let hmac = self.hmac(b"dp-prio3 tag 1").chain_update([aggregator]);
        hmac.chain_update(report.0).finalize().into_bytes().into()
    }
}

/// Whether two codes are equal. Time and addresses show only the answer.
pub(crate) fn equals(one: &[u8; 32], other: &[u8; 32]) -> bool {
    declassify(one.as_slice().ct_eq(other.as_slice()).to_u8().into())
}

impl Drop for BindingKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// The checksum of the reports in a batch, whatever their order: the exclusive or, over the
/// reports, of SHA-256(k ‖ id), with k derived from the verification key and the task.
///
/// Without the key (draft-ietf-ppm-dap has none) 256 clients, who influence their reports' ids,
/// could steer the sum to any value. Two reports never cancel: each id is taken once.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ReportChecksum(pub [u8; 32]);

impl ReportChecksum {
    /// Adds the reports of another checksum. The two must have no report in common.
    pub(crate) fn add(&mut self, other: &Self) {
        for (byte, more) in self.0.iter_mut().zip(other.0) {
            *byte ^= more;
        }
    }
}

/// The key of the checksums of one task. Wiped when dropped.
#[derive(Clone)]
pub(crate) struct ChecksumKey(Zeroizing<[u8; 32]>);

impl ChecksumKey {
    /// Derives the key from the task and its verification key.
    pub(crate) fn new(task: &TaskDigest, key: &VerifyKey) -> Self {
        let hash = Sha256::new_with_prefix(b"dp-prio3 checksum 2").chain_update(key.bytes());
        Self(Zeroizing::new(hash.chain_update(task.0).finalize().into()))
    }

    /// The checksum of one report.
    pub(crate) fn of(&self, report: &ReportId) -> ReportChecksum {
        ReportChecksum(Sha256::new_with_prefix(*self.0).chain_update(report.0).finalize().into())
    }
}

opaque_debug!(BindingKey, ChecksumKey);
hexadecimal!(ReportId, Commitment, ReportChecksum);
