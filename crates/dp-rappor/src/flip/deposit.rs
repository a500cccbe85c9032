//! Moving bits in words, with operations that do not depend on the bits.

use core::iter::zip;

/// Words of 64 coordinates in a block.
pub(super) const WORDS: usize = 16;

/// Numbers the bits that are set in `places` from 0, from the least significant bit of the first
/// word on; `places` has at most [`WORDS`] words. Where bit i of `bits` is set, sets the place
/// number i in `out`; `bits` has 64 bits, all later ones are 0. Returns how many places are set.
pub(super) fn deposit(bits: u64, places: &[u64], out: &mut [u64]) -> u32 {
    // For each word the bits that the words before it leave.
    let mut lefts = [0; WORDS];
    let mut left = bits;
    let mut count = 0;
    for (word_left, word) in lefts.iter_mut().zip(places) {
        *word_left = left;
        let here = word.count_ones();
        left = left.unbounded_shr(here);
        count += here;
    }
    // Words beside each other, in vectors of the processor.
    for ((out, &word), &word_left) in out.iter_mut().zip(places).zip(&lefts) {
        *out |= expand(word_left, word);
    }
    count
}

/// The lowest bits of `bits` at the places that are set in `places`, in order. This is the
/// instruction PDEP of x86, for all processors (Warren, *Hacker's Delight*, second edition, 7–5,
/// "Expand, or Generalized Insert").
#[inline(always)]
fn expand(bits: u64, places: u64) -> u64 {
    // A bit goes up by the number of clear places below the one that it takes: by powers of two,
    // the largest first.
    let mut left = places;
    let mut clear = !places << 1;
    let mut moved = [0; 6];
    for (power, moved) in moved.iter_mut().enumerate() {
        // The parity of the places that are clear below.
        let mut parity = clear;
        for step in 0..6 {
            parity ^= parity << (1 << step);
        }
        *moved = parity & left;
        left = (left ^ *moved) | (*moved >> (1 << power));
        clear &= !parity;
    }
    let mut bits = bits;
    for (power, moved) in moved.iter().enumerate().rev() {
        bits = (bits & !moved) | (bits << (1 << power) & moved);
    }
    bits & places
}

/// The eight bits in a byte each, as 0 or 1; the lowest bit in the least significant byte.
#[inline]
const fn spread(bits: u8) -> u64 {
    let copies = bits as u64 * 0x0101_0101_0101_0101;
    let one_each = copies & 0x8040_2010_0804_0201;
    // The highest bit of a byte shows whether it is not zero.
    ((one_each + 0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101
}

/// Replaces each of at most 64 bits by the report in `of_set` if it is set, else by the one in
/// `of_unset`; the first bit has its reports in the least significant bits.
#[inline(always)]
pub(super) fn select(bits: &mut [bool], of_set: u64, of_unset: u64) {
    // Ones where the two reports differ: there the bit has a say.
    let differing = of_set ^ of_unset;
    let mut bytes = zip(differing.to_le_bytes(), of_unset.to_le_bytes());
    let (eights, rest) = bits.as_chunks_mut::<8>();
    for (bits, (differing, of_unset)) in zip(eights, &mut bytes) {
        // Eight bits in the bytes of one word, each 0 or 1.
        let before = u64::from_le_bytes(bits.map(u8::from));
        let after = spread(of_unset) ^ (before & spread(differing));
        *bits = after.to_le_bytes().map(|byte| byte != 0);
    }
    // Where all eight bytes are used, no bits are left.
    let (differing, of_unset) = bytes.next().unwrap_or_default();
    for (place, bit) in rest.iter_mut().enumerate() {
        *bit = ((of_unset ^ (differing & u8::from(*bit).wrapping_neg())) >> place) & 1 == 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_deposited_in_order() {
        let mut places = 0x0123_4567_89ab_cdef_u64;
        let patterns = [0, u64::MAX, 1, 1 << 63, 0x8000_0001_0000_0001];
        for step in 0..1000_u64 {
            let places = match patterns.get(usize::try_from(step).unwrap()) {
                Some(&pattern) => pattern,
                None => {
                    places = places.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                    places & places.rotate_left(u32::try_from(step % 64).unwrap())
                }
            };
            let bits = step.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let (mut expected, mut rank) = (0, 0);
            for place in (0..64).filter(|place| places >> place & 1 == 1) {
                expected |= (bits >> rank & 1) << place;
                rank += 1;
            }
            assert_eq!(expand(bits, places), expected, "{bits:x} {places:x}");
        }
    }

    #[test]
    fn a_word_goes_on_where_the_one_before_ended() {
        let places = [u64::MAX >> 32, 0, u64::MAX << 48, u64::MAX];
        let mut out = [0; 4];
        assert_eq!(deposit(0x1234_5678_9abc_def0, &places, &mut out), 112);
        assert_eq!(out, [0x9abc_def0, 0, 0x5678 << 48, 0x1234]);
        assert_eq!(deposit(u64::MAX, &places, &mut out), 112);
        assert_eq!(out, [u64::MAX >> 32, 0, u64::MAX << 48, 0xffff]);
    }

    #[test]
    fn every_byte_is_spread() {
        for bits in 0..=u8::MAX {
            let bytes = spread(bits).to_le_bytes();
            for (place, byte) in bytes.into_iter().enumerate() {
                assert_eq!(byte, bits >> place & 1);
            }
        }
    }
}
