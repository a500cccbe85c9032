//! A uniform number below k, from the upper half of one multiplication.
//!
//! For a uniform 64-bit word u let u·k = h·2^64 + l. For each h < k the words with l ≥ 2^64 mod k
//! are exactly ⌊2^64/k⌋ many, so h is uniform given that u is one of them, and else the next word
//! is tried. Source: Lemire, "Fast Random Integer Generation in an Interval" (ACM TOMACS 2019).
//!
//! A word is tried again with probability below k/2^64, and whether it is tells nothing of the
//! number that comes out: what comes out after any number of tries is uniform.

use core::num::NonZeroU32;

use dp_samplers::declassify;
use rand_core::CryptoRng;

/// Draws a uniform number below k.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Below {
    /// k, one more than the largest number drawn.
    bound: u32,
    /// 2^64 mod k: how many of the 2^64 words are rejected.
    surplus: u64,
}

impl Below {
    pub(crate) fn new(bound: NonZeroU32) -> Self {
        let bound = bound.get();
        let surplus = u64::from(bound).wrapping_neg() % u64::from(bound);
        Self { bound, surplus }
    }

    /// A uniform number below k.
    #[inline]
    pub(crate) fn sample<R: CryptoRng + ?Sized>(self, rng: &mut R) -> u32 {
        loop {
            let (number, is_taken) = self.number(rng.next_u64());
            if declassify(is_taken.into()) {
                return number;
            }
        }
    }

    /// The number below k that a word gives, and whether the word is accepted. If the word is not
    /// accepted, another one has to be drawn.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the lower half is meant, and the upper half is below the bound"
    )]
    fn number(self, word: u64) -> (u32, bool) {
        let product = u128::from(word) * u128::from(self.bound);
        ((product >> 64) as u32, product as u64 >= self.surplus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn below(bound: u32) -> Below {
        Below::new(NonZeroU32::new(bound).unwrap())
    }

    /// The least word, up to 2^64, that gives `number` or a larger one, whether the word is
    /// accepted or not.
    fn first_word(below: Below, number: u32) -> u128 {
        (u128::from(number) << 64).div_ceil(u128::from(below.bound))
    }

    /// How many accepted words give `number`, by trying words at both ends of their range.
    fn words(below: Below, number: u32) -> u128 {
        let (start, end) = (first_word(below, number), first_word(below, number + 1));
        let at = |word: u128| below.number(u64::try_from(word).unwrap());
        let first = (start..end).find(|&word| at(word).1).unwrap();
        // A word more adds k to the lower half, so all words from the first on are taken.
        let mut sampled = (0..=50).map(|part| first + (end - 1 - first) * part / 50);
        assert!(sampled.all(|word| at(word) == (number, true)));
        assert!((start..first).all(|word| !at(word).1));
        end - first
    }

    #[test]
    fn every_number_comes_from_equally_many_words() {
        for bound in [1, 2, 3, 5, 7, 64, 100, 255, 1 << 16, (1 << 24) - 3, 1 << 24] {
            let below = below(bound);
            let mut numbers: Vec<u32> = (0..bound.min(40)).collect();
            numbers.extend([bound / 2, bound - 1]);
            for number in numbers {
                assert_eq!(words(below, number), (1 << 64) / u128::from(bound), "{bound}");
            }
        }
    }
}
