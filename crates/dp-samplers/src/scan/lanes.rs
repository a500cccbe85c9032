//! Work on many draws at a time: plain loops over arrays of 16-bit numbers, which compilers turn into vector
//! instructions on every x86-64 and ARM processor.

use core::iter::zip;

use crate::masks::equal;

/// Draws in a block.
pub(crate) const LANES: usize = 256;

/// Draws in a row: a block is a square.
const ROW: usize = 16;

/// The number of lanes in the rows that hold this many.
pub(super) fn whole_rows(lanes: usize) -> usize {
    lanes.next_multiple_of(ROW).min(LANES)
}

/// Words without their signs, if `signed` says with all ones that they have some.
#[inline(never)]
pub(super) fn magnitudes(lanes: &[[u8; 2]], signed: i16, words: &mut [i16]) {
    let kept = !(i16::MIN & signed);
    for (word, lane) in zip(words, lanes) {
        *word = i16::from_le_bytes(*lane) & kept;
    }
}

/// A position with the sign that its lane has.
#[inline]
pub(super) fn value(position: i16, lane: [u8; 2], signed: i16) -> i16 {
    let negative = (i16::from_le_bytes(lane) >> 15) & signed;
    (position ^ negative).wrapping_sub(negative)
}

/// Numbers the lanes whose state is `marked`, from 1, down the columns of the block; the others have 0. Returns how
/// many there are. States and mark are from 0 to 2^15 − 1.
#[inline(never)]
pub(crate) fn number(states: &[i16], marked: i16, ranks: &mut [i16]) -> i16 {
    let rows = ranks.as_chunks_mut::<ROW>().0;
    let mut above = [0; ROW];
    for (row, states) in zip(&mut *rows, states.as_chunks::<ROW>().0) {
        for (sum, &state) in zip(&mut above, states) {
            *sum -= equal(state, marked);
        }
        *row = above;
    }
    // What lies in the columns before each.
    let mut sum = 0;
    let before = above.map(|column| {
        sum += column;
        sum - column
    });
    for (row, states) in zip(rows, states.as_chunks::<ROW>().0) {
        for ((rank, &state), &before) in zip(zip(row, states), &before) {
            *rank = (*rank + before) & equal(state, marked);
        }
    }
    sum
}

/// Puts at each rank the remainder of that rank, where there is one.
#[inline(never)]
pub(super) fn place(remainders: &[i16], ranks: &[i16], positions: &mut [i16]) {
    for (&rank, position) in zip(ranks, &mut *positions) {
        *position &= equal(rank, 0);
    }
    // Some at a time, so that the positions are read and written less often.
    let mut first = 1;
    for remainders in remainders.as_chunks::<4>().0 {
        for (&rank, position) in zip(ranks, &mut *positions) {
            let mut sum = *position;
            for (&remainder, more) in zip(remainders, 0_i16..) {
                sum |= remainder & equal(rank, first + more);
            }
            *position = sum;
        }
        first += 4;
    }
}
