//! Work on many draws at a time: plain loops over arrays of 16-bit numbers, which compilers turn
//! into vector instructions on every x86-64 and ARM processor.

use core::iter::zip;

use crate::masks::equal;

/// Draws in a block.
pub(crate) const LANES: usize = 256;

/// Draws in a row: a block is a square.
const ROW: usize = 16;

/// `lanes` rounded up to whole rows of 16 draws, but at most a block of [`LANES`] draws.
pub(super) fn whole_rows(lanes: usize) -> usize {
    lanes.next_multiple_of(ROW).min(LANES)
}

/// Fills `words` with the `lanes` as 16-bit numbers, the least significant byte first, without
/// their sign bits if `signed` is all ones, with them if it is 0.
#[inline(never)]
pub(super) fn magnitudes(lanes: &[[u8; 2]], signed: i16, words: &mut [i16]) {
    let kept = !(i16::MIN & signed);
    for (word, lane) in zip(words, lanes) {
        *word = i16::from_le_bytes(*lane) & kept;
    }
}

/// Gives each magnitude the sign of its word, which is the word's highest bit.
#[inline(never)]
pub(super) fn apply_signs(words: &[[u8; 2]], magnitudes: &mut [i16]) {
    for (magnitude, word) in zip(magnitudes, words) {
        let sign = i16::from_le_bytes(*word) >> 15;
        *magnitude = (*magnitude ^ sign).wrapping_sub(sign);
    }
}

/// Numbers the lanes whose state is `marked`, from 1, down the columns of the block. The ranks of
/// all other lanes are 0. Masks of marked lanes become all ones, all others 0. Returns how many
/// lanes are marked. States and `marked` are from 0 to 2^15 − 1.
#[inline(never)]
pub(crate) fn number(states: &[i16], marked: i16, ranks: &mut [i16], masks: &mut [i16]) -> i16 {
    for (mask, &state) in zip(&mut *masks, states) {
        *mask = equal(state, marked);
    }
    let rows = ranks.as_chunks_mut::<ROW>().0;
    let mut above = [0; ROW];
    let masks = masks.as_chunks::<ROW>().0;
    for (row, masks) in zip(&mut *rows, masks) {
        for (sum, mask) in zip(&mut above, masks) {
            *sum -= mask;
        }
        *row = above;
    }
    // What lies in the columns before each.
    let mut sum = 0;
    let before = above.map(|column| {
        sum += column;
        sum - column
    });
    for (row, masks) in zip(rows, masks) {
        for ((rank, mask), before) in zip(zip(row, masks), &before) {
            *rank = (*rank + before) & mask;
        }
    }
    sum
}

/// In each lane whose mask is all ones, puts the remainder number `rank`, counted from 1. There are
/// a multiple of 8 remainders.
///
/// The masks come from memory: compilers that know how a mask is made can make a branch of its use.
#[inline(never)]
pub(super) fn place(remainders: &[i16], ranks: &[i16], masks: &[i16], positions: &mut [i16]) {
    for (&mask, position) in zip(masks, &mut *positions) {
        *position &= !mask;
    }
    let (eights, _) = remainders.as_chunks();
    if let [eight] = eights {
        for ((&rank, &mask), position) in zip(zip(ranks, masks), positions) {
            *position |= chosen(eight, rank.wrapping_sub(1)) & mask;
        }
        return;
    }
    for (eight, number) in zip(eights, 0..) {
        for (&rank, position) in zip(ranks, &mut *positions) {
            let rank = rank.wrapping_sub(1);
            *position |= chosen(eight, rank) & equal((rank >> 3) & 0x7f, number);
        }
    }
}

/// `one` if the mask is 0, `other` if it is all ones.
#[inline(always)]
fn either(mask: i16, one: i16, other: i16) -> i16 {
    one ^ (mask & (one ^ other))
}

/// The number at `index` modulo 8, by the bits of the index.
#[inline(always)]
fn chosen(&[a, b, c, d, e, f, g, h]: &[i16; 8], index: i16) -> i16 {
    let [low, middle, high] = [15, 14, 13].map(|shift| (index << shift) >> 15);
    let first = either(middle, either(low, a, b), either(low, c, d));
    let last = either(middle, either(low, e, f), either(low, g, h));
    either(high, first, last)
}
