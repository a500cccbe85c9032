//! Many small integers in little memory.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// Unsigned integers, each in 1, 2, 4, 8 or 16 bytes: as few as the largest one needs.
#[derive(Clone)]
pub(super) struct Entries {
    /// Bytes of each integer.
    width: usize,
    bytes: Vec<u8>,
}

impl fmt::Debug for Entries {
    /// The number of integers, and none of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Entries({})", self.len())
    }
}

impl Entries {
    pub(super) const fn new() -> Self {
        Self { width: 1, bytes: Vec::new() }
    }

    pub(super) fn push(&mut self, value: u128) {
        if self.width < width(value) {
            self.widen(width(value));
        }
        let bytes = value.to_le_bytes();
        self.bytes.extend_from_slice(&bytes[..self.width]);
    }

    /// Number of integers.
    pub(super) const fn len(&self) -> usize {
        self.bytes.len() / self.width
    }

    /// Bytes of memory of all integers.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn hash(&self, hash: &mut Sha256) {
        hash.update(self.width.to_le_bytes());
        hash.update(&self.bytes);
    }

    /// The integers from `place` on.
    pub(super) fn from(&self, place: usize) -> impl Iterator<Item = u128> {
        let begin = place.saturating_mul(self.width).min(self.bytes.len());
        self.bytes[begin..].chunks_exact(self.width).map(integer)
    }

    /// Replaces each integer x by `other(x)`, which is at most as large as the largest integer.
    pub(super) fn replace(&mut self, other: impl Fn(u128) -> u128) {
        let width = self.width;
        for entry in self.bytes.chunks_exact_mut(width) {
            let value = other(integer(entry)).to_le_bytes();
            entry.copy_from_slice(&value[..width]);
        }
    }

    /// Rewrites all integers with `width` bytes each.
    fn widen(&mut self, width: usize) {
        let mut bytes = Vec::with_capacity(self.len().saturating_mul(width));
        for value in self.from(0) {
            bytes.extend_from_slice(&value.to_le_bytes()[..width]);
        }
        *self = Self { width, bytes };
    }
}

/// The fewest bytes, of 1, 2, 4, 8 or 16, that hold `value`.
const fn width(value: u128) -> usize {
    match value.leading_zeros() {
        120..=128 => 1,
        112..=119 => 2,
        96..=111 => 4,
        64..=95 => 8,
        _ => 16,
    }
}

/// An integer from at most 16 bytes, little-endian.
fn integer(bytes: &[u8]) -> u128 {
    let mut whole = [0; 16];
    whole[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_any_size_come_back_in_as_many_bytes_as_the_largest_needs() {
        let mut entries = Entries::new();
        let mut kept = Vec::new();
        for (value, width) in [
            (0, 1),
            (255, 1),
            (256, 2),
            (3, 2),
            (65_536, 4),
            (1 << 32, 8),
            (u128::from(u64::MAX), 8),
            (1 << 64, 16),
            (u128::MAX, 16),
        ] {
            entries.push(value);
            kept.push(value);
            assert_eq!(entries.bytes(), kept.len() * width);
            assert_eq!(entries.from(0).collect::<Vec<_>>(), kept);
            assert_eq!(entries.from(kept.len() - 1).next(), Some(value));
            assert_eq!(entries.from(kept.len()).next(), None);
        }
    }
}
