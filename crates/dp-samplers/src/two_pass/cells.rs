//! An alias table in cells of 4 bytes.

use core::hint::black_box;
use core::iter::zip;

use crate::alias::{Whole, deal_out, fill_cells};
use crate::aligned::Aligned;
use crate::blocks::First;
use crate::variant::LINE;

/// At most 2^12 cells, so that two positions take 24 bits at most.
const MAX_CELL_BITS: u32 = 12;

/// The most bytes of a table that is read as a whole before each block.
const PREPARED: usize = 16 << 10;

/// Cells in a line.
const PER_LINE: usize = LINE / size_of::<u32>();

/// Words that are looked up at a time.
const AT_A_TIME: usize = 32;

/// 2^b cells of two positions each. The words of cell c are those with c in their lower b bits; those
/// below a threshold yield the first position, the others the second.
///
/// The threshold is a multiple of 2^b, as c is what lies below, and takes the upper 16 bits of the
/// cell, of which the lower b are free. The first position, and above it the difference of the two
/// (exclusive or), take the lower 2b ≤ 16 + b bits.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    cells: Aligned<u32>,
    cell_bits: u32,
}

impl Cells {
    /// The table of the whole words and, as the last position, of the undecided ones.
    pub(super) fn new(whole: &Whole) -> Option<Self> {
        let mut masses = whole.masses.clone();
        masses.push(whole.undecided);
        let cell_bits = masses.len().next_power_of_two().ilog2();
        if cell_bits > MAX_CELL_BITS {
            return None;
        }
        let capacity = 1 << (whole.word_bits - cell_bits);
        let cells = fill_cells(masses.clone(), cell_bits, capacity);
        let cells = deal_out(cells, &masses, capacity, PER_LINE, |cell| {
            let threshold = u32::try_from(cell.threshold << cell_bits).ok()?;
            Some((threshold << 16) | ((cell.below ^ cell.above) << cell_bits) | cell.below)
        })?;
        Some(Self { cells, cell_bits })
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.cells)
    }

    /// The line of a word.
    pub(super) fn line(&self, word: u16) -> usize {
        (usize::from(word) & !(usize::MAX << self.cell_bits)) / PER_LINE
    }
}

/// Its lower bits.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "at most 12 bits are set")]
fn low_16(value: u32) -> i16 {
    value as i16
}

impl First for Cells {
    #[inline(never)]
    fn positions(&self, words: &[i16], positions: &mut [i16]) {
        let (bits, mask) = (self.cell_bits, !(u32::MAX << self.cell_bits));
        let table = &*self.cells;
        let chunks = zip(words.chunks(AT_A_TIME), positions.chunks_mut(AT_A_TIME));
        for (words, positions) in chunks {
            let mut cells = [0; AT_A_TIME];
            for (cell, &word) in zip(&mut cells, words) {
                // There are 2^b places.
                let place = u32::from(word.cast_unsigned()) & mask;
                *cell = table.get(place as usize).copied().unwrap_or(0);
            }
            // Apart from the reads, so that vector instructions do it.
            for (position, (&word, cell)) in zip(positions, zip(words, cells)) {
                // All ones below a multiple of 2^b: less than the cell, whatever positions that
                // holds, if and only if the multiple is less than the threshold.
                let word = ((u32::from(word.cast_unsigned()) | mask) << 16) | 0xffff;
                let above = u32::from(word >= cell).wrapping_neg();
                *position = low_16((cell ^ ((cell >> bits) & above)) & mask);
            }
        }
    }

    fn prepare(&self) {
        if self.bytes() <= PREPARED {
            let lines = self.cells.iter().step_by(PER_LINE);
            black_box(lines.fold(0, |sum, cell| sum ^ cell));
        }
    }
}
