//! Building a table: whole words for each outcome, then cells of two outcomes each.

use alloc::vec::Vec;
use core::ops::Range;

use super::LowerBounds;
use crate::fixed::FRACTION_BITS;

/// How many words each of successive outcomes gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shares {
    /// The first of the outcomes.
    pub(crate) first: i64,
    /// m(first), m(first + 1), …
    pub(crate) masses: Vec<u64>,
    /// b, where the table has 2^b cells.
    pub(crate) cell_bits: u32,
}

/// A cell: of the words u that fall into it, those below the threshold yield one outcome, the
/// others the other. Outcomes are positions in [`Shares::masses`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) threshold: u64,
    pub(crate) below: u32,
    pub(crate) above: u32,
}

/// Shares out 2^w − 2^b words of w = `word_bits` bits, with the least b for which the lower bounds
/// of the 2^b likeliest outcomes leave no more than 2^b words over. `None` if b would exceed
/// `max_cell_bits`, or the bounds add up to more than 1.
pub(crate) fn share_out(law: &LowerBounds, word_bits: u32, max_cell_bits: u32) -> Option<Shares> {
    if exceed_one(&law.bounds) {
        return None;
    }
    let words: Vec<u64> = law
        .bounds
        .iter()
        .map(|bound| high_bits(*bound, word_bits))
        .collect();
    let widest = max_cell_bits.min(word_bits - 1);
    let (cell_bits, kept, excess) = fewest_cells(&words, word_bits, widest)?;
    let mut masses = words;
    masses.truncate(kept.end);
    masses.drain(..kept.start);
    give_back(&mut masses, u64::try_from(excess).ok()?);
    Some(Shares {
        first: law.first + i64::try_from(kept.start).ok()?,
        masses,
        cell_bits,
    })
}

/// The least b ≤ `widest` for which the 2^b likeliest outcomes have at least 2^w − 2^b words, where
/// these outcomes lie, and how many words they have too many.
fn fewest_cells(words: &[u64], word_bits: u32, widest: u32) -> Option<(u32, Range<usize>, u128)> {
    let mut kept = 0..words.len();
    let mut total: u128 = words.iter().copied().map(u128::from).sum();
    // The outcomes for a smaller b are some of those for a larger one.
    let mut fitting = None;
    for cell_bits in (0..=widest).rev() {
        drop_unlikely(words, &mut kept, &mut total, 1 << cell_bits);
        match (total + (1 << cell_bits)).checked_sub(1 << word_bits) {
            Some(excess) => fitting = Some((cell_bits, kept.clone(), excess)),
            None => break,
        }
    }
    fitting
}

/// The upper `bits` ≤ 64 bits of a fraction of 2^128.
#[expect(clippy::cast_possible_truncation, reason = "at most 64 bits are left")]
fn high_bits(bound: u128, bits: u32) -> u64 {
    (bound >> (FRACTION_BITS - bits)) as u64
}

/// Whether these fractions of 2^128 add up to more than 1. Some outcome then has a bound above its
/// probability, and a table that takes the excess away somewhere has another law.
pub(super) fn exceed_one(bounds: &[u128]) -> bool {
    let mut positive = bounds.iter().filter(|&&bound| bound > 0);
    let Some(first) = positive.next() else {
        return false;
    };
    // What is left of 2^128, which itself does not fit.
    let mut left = first.wrapping_neg();
    for bound in positive {
        match left.checked_sub(*bound) {
            Some(less) => left = less,
            None => return true,
        }
    }
    false
}

/// Drops ends without words, and the lesser end until at most `count` neighbours are left.
fn drop_unlikely(words: &[u64], kept: &mut Range<usize>, total: &mut u128, count: usize) {
    while let [first, .., last] | [first @ last] = &words[kept.clone()]
        && (kept.len() > count || *first == 0 || *last == 0)
    {
        if first < last {
            *total -= u128::from(*first);
            kept.start += 1;
        } else {
            *total -= u128::from(*last);
            kept.end -= 1;
        }
    }
}

/// Takes away `excess` words, from the likeliest outcomes first.
fn give_back(masses: &mut [u64], mut excess: u64) {
    while excess > 0 {
        let Some(largest) = masses.iter_mut().max() else {
            return;
        };
        let taken = excess.min(*largest);
        *largest -= taken;
        excess -= taken;
    }
}

/// Distributes masses over 2^b ≥ masses.len() cells of equal capacity, which they fill exactly
/// (Vose 1991, in integers): a cell takes all of an outcome that is smaller than a cell, and
/// is filled up from one that is not.
pub(crate) fn fill_cells(masses: &[u64], cell_bits: u32, capacity: u64) -> Vec<Cell> {
    let mut masses = masses.to_vec();
    masses.resize(1 << cell_bits, 0);
    let positions = 0..u32::try_from(masses.len()).unwrap_or(u32::MAX);
    let (mut small, mut large): (Vec<u32>, Vec<u32>) =
        positions.partition(|&position| masses[position as usize] < capacity);
    let mut cells = Vec::with_capacity(masses.len());
    cells.extend(core::iter::from_fn(|| {
        loop {
            let above = large.last().copied()?;
            let left = masses[above as usize];
            let below = if left < capacity {
                large.pop();
                small.push(above);
                continue;
            } else if let Some(below) = small.pop() {
                below
            } else {
                large.pop();
                above
            };
            let threshold = masses[below as usize].min(capacity);
            masses[above as usize] = left - (capacity - threshold);
            return Some(Cell {
                threshold,
                below,
                above,
            });
        }
    }));
    cells
}
