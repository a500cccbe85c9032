//! The order of the cells of a table in memory.

use alloc::vec::Vec;

use super::build::Cell;

/// The cells in an order in which every line of the table, of `per_line` cells, is read about as often
/// for unlikely outcomes as for likely ones: sorted by how many of their words yield an unlikely
/// outcome, they are dealt out to the lines, forth and back.
///
/// Which cell stands where has no influence on the law.
pub(crate) fn deal_out(
    mut cells: Vec<Cell>,
    masses: &[u64],
    capacity: u64,
    per_line: usize,
) -> Vec<Cell> {
    let unlikely = unlikely(masses);
    let is_unlikely = |position: u32| unlikely.get(position as usize).copied().unwrap_or(false);
    cells.sort_by_key(|cell| {
        let below = if is_unlikely(cell.below) {
            cell.threshold
        } else {
            0
        };
        let above = if is_unlikely(cell.above) {
            capacity - cell.threshold
        } else {
            0
        };
        (below + above, cell.above, cell.below)
    });
    let count = cells.len().div_ceil(per_line);
    let mut lines = alloc::vec![Vec::with_capacity(per_line); count];
    for (round, cells) in cells.chunks(count).enumerate() {
        for (place, &cell) in cells.iter().enumerate() {
            let line = if round % 2 == 0 {
                place
            } else {
                count - 1 - place
            };
            lines[line].push(cell);
        }
    }
    lines.concat()
}

/// The least likely outcomes that have half of all words together.
fn unlikely(masses: &[u64]) -> Vec<bool> {
    let total: u128 = masses.iter().copied().map(u128::from).sum();
    let mut order: Vec<usize> = (0..masses.len()).collect();
    order.sort_by_key(|&position| masses[position]);
    let mut unlikely = alloc::vec![false; masses.len()];
    let mut sum = 0;
    for position in order {
        sum += 2 * u128::from(masses[position]);
        if sum > total {
            break;
        }
        unlikely[position] = true;
    }
    unlikely
}
