//! Which reports a batch holds, in 32 bytes that do not depend on their order.
//!
//! The checksum is the exclusive or, over the reports, of SHA-256(k ‖ id), with k derived from the
//! verification key and the task. DAP has such a checksum over report IDs without a key
//! (draft-ietf-ppm-dap); clients have a hand in their reports' ids, and with 256 of them could steer
//! a sum without a key to any value. Two reports never cancel: one id is taken once, and what
//! differs in anything, even under one nonce, has another id.

use std::fmt;

use sha2::{Digest as _, Sha256};
use zeroize::Zeroize;

use super::binding::{TaskDigest, hexadecimal};
use super::context::VerifyKey;
use super::report_id::ReportId;

/// The checksum of the reports in a batch: the same in whichever order they came.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ReportChecksum(pub [u8; 32]);

impl ReportChecksum {
    /// Adds the reports of another checksum.
    pub(crate) fn add(&mut self, other: &Self) {
        for (byte, more) in self.0.iter_mut().zip(other.0) {
            *byte ^= more;
        }
    }
}

impl fmt::Debug for ReportChecksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReportChecksum(")?;
        hexadecimal(&self.0, f)?;
        f.write_str(")")
    }
}

/// The key k of the checksums of one task. Wiped when dropped.
#[derive(Clone)]
pub(crate) struct ChecksumKey([u8; 32]);

impl ChecksumKey {
    pub(crate) fn new(task: &TaskDigest, key: &VerifyKey) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"dp-prio3 checksum 2");
        hash.update(key.bytes());
        hash.update(task.0);
        Self(hash.finalize().into())
    }

    /// The checksum of one report.
    pub(crate) fn of(&self, report: &ReportId) -> ReportChecksum {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(report.0);
        ReportChecksum(hash.finalize().into())
    }
}

impl Drop for ChecksumKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for ChecksumKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChecksumKey(..)")
    }
}
