//! A set of reports in 9 bytes a place: 64 bits of a keyed hash stand for each.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, BuildHasherDefault, Hasher, RandomState};

/// The reports of one window.
#[derive(Default)]
pub(super) struct Fingerprints {
    /// Its key is random: nobody outside finds two reports that agree.
    key: RandomState,
    known: HashSet<u64, BuildHasherDefault<AsItIs>>,
}

impl Fingerprints {
    /// Whether the report was not known, which it is from now on.
    pub(super) fn insert(&mut self, report: &[u8; 16]) -> bool {
        let fingerprint = self.key.hash_one(u128::from_ne_bytes(*report));
        self.known.insert(fingerprint)
    }

    pub(super) fn len(&self) -> u64 {
        self.known.len() as u64
    }
}

/// Fingerprints are hashes already.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, fingerprint: u64) {
        self.0 = fingerprint;
    }
}
