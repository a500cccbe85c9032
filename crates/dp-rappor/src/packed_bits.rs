//! A bit vector, 64 coordinates to a word.
//!
//! Coordinate `i` is bit `i mod 64`, counted from the least significant, of word `⌊i/64⌋`. The
//! bits of the last word beyond the length are zero, so that equal vectors have equal words.
//!
//! The bits may be a person's: the words are wiped when dropped, and neither `Debug` nor an error
//! shows one.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::{self, Debug, Formatter};

use dp_exact::ParameterError;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::Error;

/// A vector of bits, packed 64 to a word. Wiped when dropped.
///
/// ```
/// use dp_rappor::PackedBits;
///
/// let mut bits = PackedBits::zeros(100);
/// bits.set(70, true)?;
/// assert_eq!(bits.get(70), Some(true));
/// assert_eq!(bits.weight(), 1);
/// # Ok::<(), dp_rappor::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct PackedBits {
    /// Coordinate i is bit i mod 64, from the least significant, of word ⌊i/64⌋. Later bits are 0.
    words: Vec<u64>,
    /// The number of bits.
    length: usize,
}

impl PackedBits {
    /// `length` bits, all false.
    #[must_use]
    pub fn zeros(length: usize) -> Self {
        Self { words: vec![0; length.div_ceil(64)], length }
    }

    /// The number of bits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// True if there are no bits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The bit at `index`, or `None` beyond the end.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<bool> {
        (index < self.length).then(|| self.words[index / 64] >> (index % 64) & 1 == 1)
    }

    /// Sets the bit at `index`.
    ///
    /// # Errors
    /// If the index is not below the length. The message does not show it: it may be an answer.
    pub fn set(&mut self, index: usize, value: bool) -> Result<(), Error> {
        if index >= self.length {
            let accepted = format!("an index below the length {}", self.length);
            return Err(ParameterError::new("index", "withheld", accepted).into());
        }
        let mask = 1 << (index % 64);
        let word = &mut self.words[index / 64];
        *word = (*word & !mask) | (u64::from(value) << (index % 64));
        Ok(())
    }

    /// The number of bits that are true.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The bits in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = bool> + '_ {
        (0..self.length).map(|index| self.words[index / 64] >> (index % 64) & 1 == 1)
    }

    /// The words: coordinate `i` is bit `i mod 64`, from the least significant, of word ⌊i/64⌋.
    /// Bits beyond the length are zero.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Appends a word of zeros. If the words have to move, their old memory is wiped.
    fn push_zeros(&mut self) {
        if self.words.len() == self.words.capacity() {
            let mut moved = Vec::with_capacity(2 * self.words.len() + 1);
            moved.extend_from_slice(&self.words);
            self.words.zeroize();
            self.words = moved;
        }
        self.words.push(0);
    }

    /// Calls `change` with successive parts of at most `words` words, and the number of coordinates
    /// in each part. `change` must leave bits beyond the coordinates 0.
    pub(crate) fn change(&mut self, words: usize, mut change: impl FnMut(&mut [u64], usize)) {
        let mut left = self.length;
        for words in self.words.chunks_mut(words) {
            let coordinates = left.min(64 * words.len());
            change(words, coordinates);
            left -= coordinates;
        }
    }
}

impl Drop for PackedBits {
    fn drop(&mut self) {
        self.words.zeroize();
    }
}

impl ZeroizeOnDrop for PackedBits {}

impl Debug for PackedBits {
    /// The length, not the bits.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PackedBits").field("length", &self.length).finish_non_exhaustive()
    }
}

impl FromIterator<bool> for PackedBits {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Self {
        let bits = bits.into_iter();
        let mut packed =
            Self { words: Vec::with_capacity(bits.size_hint().0.div_ceil(64)), length: 0 };
        for bit in bits {
            if packed.length.is_multiple_of(64) {
                packed.push_zeros();
            }
            if let Some(word) = packed.words.last_mut() {
                *word |= u64::from(bit) << (packed.length % 64);
            }
            packed.length += 1;
        }
        packed
    }
}

impl From<&[bool]> for PackedBits {
    fn from(bits: &[bool]) -> Self {
        bits.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_changed_in_order_with_as_many_coordinates_as_there_are() {
        for length in [0, 1, 63, 64, 65, 128, 129, 1000] {
            for at_once in [1, 2, 16] {
                let mut bits = PackedBits::zeros(length);
                let (mut coordinates, mut words) = (0, 0);
                bits.change(at_once, |part, of_part| {
                    words += part.len();
                    coordinates += of_part;
                    assert_eq!(of_part.div_ceil(64), part.len());
                    assert!(part.len() == at_once || coordinates == length);
                });
                assert_eq!((coordinates, words), (length, bits.words.len()));
            }
        }
    }
}
