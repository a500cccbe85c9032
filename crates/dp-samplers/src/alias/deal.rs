//! The order of the cells of a table in memory.

use alloc::vec;
use alloc::vec::Vec;

use super::build::Cell;
use crate::aligned::Aligned;

/// Cells are told apart by so many upper bits of the number of their words that yield an unlikely outcome.
const SHARE_BITS: u32 = 10;

/// The table of these cells, in an order in which every line, of `per_line` cells, is read about as often
/// for unlikely outcomes as for likely ones: sorted by the share of their words that yields an unlikely
/// outcome, they are dealt out to the lines, forth and back. Less than two lines, and what is no whole
/// number of lines, stays as it comes. `None` if a cell has no place in memory.
///
/// Which cell stands where has no influence on the law.
pub(crate) fn deal_out<T: Copy + Default>(
    cells: impl Iterator<Item = Cell>,
    masses: &[u64],
    capacity: u64,
    per_line: usize,
    in_memory: impl Fn(Cell) -> Option<T>,
) -> Option<Aligned<T>> {
    let cells: Vec<Cell> = cells.collect();
    let mut table = Aligned::default_of(cells.len());
    let lines = cells.len() / per_line.max(1);
    if lines < 2 || lines * per_line != cells.len() {
        for (place, cell) in table.iter_mut().zip(cells) {
            *place = in_memory(cell)?;
        }
        return Some(table);
    }

    let limit = limit_of_unlikely(masses);
    let is_unlikely = |at: u32| masses.get(at as usize).is_some_and(|&mass| mass < limit);
    let excess_bits = u64::BITS.saturating_sub(capacity.leading_zeros() + SHARE_BITS);
    let share = |cell: &Cell| {
        let below = u64::from(is_unlikely(cell.below)) * cell.threshold;
        let above = u64::from(is_unlikely(cell.above)) * (capacity - cell.threshold);
        usize::try_from((below + above) >> excess_bits).unwrap_or(0)
    };
    // Where the next cell of each share comes in the sorted order.
    let mut next = vec![0; (1 << SHARE_BITS) + 1];
    for cell in &cells {
        next[share(cell) + 1] += 1;
    }
    for at in 1..next.len() {
        next[at] += next[at - 1];
    }
    for cell in cells {
        let place: &mut usize = &mut next[share(&cell)];
        let (round, turn) = (*place / lines, *place % lines);
        let line = if round.is_multiple_of(2) {
            turn
        } else {
            lines - 1 - turn
        };
        table[line * per_line + round] = in_memory(cell)?;
        *place += 1;
    }
    Some(table)
}

/// The mass below which outcomes are unlikely: they have less than half of all words together.
fn limit_of_unlikely(masses: &[u64]) -> u64 {
    let total: u128 = masses.iter().copied().map(u128::from).sum();
    // Stable, which is fast for masses that rise and fall.
    let mut sorted = masses.to_vec();
    sorted.sort();
    let mut sum = 0;
    let limit = sorted.into_iter().find(|&mass| {
        sum += 2 * u128::from(mass);
        sum > total
    });
    limit.unwrap_or(0)
}
