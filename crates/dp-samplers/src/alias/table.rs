//! The table with words of 64 bits.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt::{self, Debug, Formatter};
use core::mem::size_of;

use rand_core::{CryptoRng, Rng};
use zeroize::zeroize_stack;

use super::build::{Shares, fill_cells, share_out};
use super::deal::deal_out;
use super::{Law, LowerBounds, remainder};
use crate::aligned::Aligned;
use crate::bulk::STACK;
use crate::engine::Engine;
use crate::variant::{LINE, collect};
use crate::words::{Direct, Source, Words};
use crate::{Error, FromDraw, Touch, Variant, bulk};

/// Bits of a word.
const WORD: u32 = 64;

/// At most 2^16 cells, a table of 1 MiB.
const MAX_CELL_BITS: u32 = 16;

/// A cell in memory. The words of cell c are those with c in their lower b bits.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
struct Cell {
    /// Words below this yield the first outcome, others the second.
    threshold: u64,
    /// Counted from the first outcome of the table.
    outcomes: [i32; 2],
}

/// Cells in a line.
const PER_LINE: usize = LINE / size_of::<Cell>();

/// An exact alias table for a law on the integers: one 64-bit word, one table access and one
/// comparison a draw.
///
/// ```
/// use core::ops::RangeInclusive;
/// use dp_samplers::alias::{Alias, Law};
/// use dp_samplers::{Interval, Rational, os_rng};
///
/// /// 0, 1, 2 with probabilities 1/2, 1/3, 1/6.
/// #[derive(Debug)]
/// struct Die;
///
/// impl Law for Die {
///     fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
///         Box::new(move |outcome| {
///             let sixths = Rational::new(3 - outcome, 6).expect("6 is not 0");
///             Interval::rational(&sixths, precision)
///         })
///     }
///     fn support(&self) -> RangeInclusive<i64> {
///         0..=2
///     }
/// }
///
/// let die = Alias::new(Die).expect("three outcomes fit a table");
/// let mut draws = [0i64; 1000];
/// die.fill(&mut os_rng()?, &mut draws);
/// assert!(draws.iter().all(|draw| (0..3).contains(draw)));
/// # Ok::<(), dp_samplers::Error>(())
/// ```
///
/// # Timing
/// Words that need more work come with probability [`Self::undecided`]/2^64, whatever the
/// outcome; that is the δ that running time can add to a draw.
#[derive(Clone)]
pub struct Alias<L> {
    law: L,
    cells: Aligned<Cell>,
    cell_bits: u32,
    /// Words from here on are undecided.
    limit: u64,
    /// The outcome that a cell's 0 stands for, and how many outcomes there are.
    origin: i64,
    outcomes: usize,
}

impl<L: Law> Alias<L> {
    /// The table for this law, in at most 65536 cells of 16 bytes each.
    ///
    /// `None` if that is not enough: more outcomes than cells have a probability above 2^−64, or
    /// the lower bounds of [`Law::lower_bounds`] are loose, or add up to more than 1, so that they
    /// are not lower bounds of probabilities.
    pub fn new(law: L) -> Option<Self> {
        let bounds = law.lower_bounds(WORD)?;
        let Shares {
            first,
            masses,
            cell_bits,
        } = share_out(&bounds, WORD, MAX_CELL_BITS)?;
        let capacity = u64::MAX >> cell_bits;
        let outcomes = masses.len();
        let cells = fill_cells(masses.clone(), cell_bits, capacity);
        let cells = deal_out(cells, &masses, capacity, PER_LINE, |cell| {
            Some(Cell {
                threshold: cell.threshold << cell_bits,
                outcomes: [
                    i32::try_from(cell.below).ok()?,
                    i32::try_from(cell.above).ok()?,
                ],
            })
        })?;
        Some(Self {
            law,
            cells,
            cell_bits,
            limit: u64::MAX << cell_bits,
            origin: first,
            outcomes,
        })
    }

    /// The law.
    #[must_use]
    pub fn law(&self) -> &L {
        &self.law
    }

    /// How many of the 2^64 words are undecided: one for each cell.
    #[must_use]
    pub fn undecided(&self) -> u64 {
        1 << self.cell_bits
    }

    /// The first outcome of the table.
    #[must_use]
    pub fn first(&self) -> i64 {
        self.origin
    }

    /// The size of the table in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.cells)
    }

    /// Draws an outcome.
    #[inline]
    pub fn sample<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> i64 {
        self.draw(&mut Direct(rng))
    }

    /// Fills a slice with independent draws: the values that repeated [`Self::sample`] would give.
    pub fn fill<R: CryptoRng + ?Sized>(&self, rng: &mut R, out: &mut [i64]) {
        // Every draw fits.
        let _: Option<usize> = self.fill_apart(rng, out);
        zeroize_stack::<STACK>();
    }

    /// Whether the outcome has a place in the table.
    #[inline]
    pub(crate) fn holds(&self, outcome: i64) -> bool {
        let position = outcome.wrapping_sub(self.origin);
        usize::try_from(position).is_ok_and(|position| position < self.outcomes)
    }

    /// The outcome of a word, unless the word is undecided.
    #[inline]
    pub(crate) fn look_up(&self, word: u64) -> Option<i64> {
        let position = Self::position(word & !self.limit);
        let cell = self.cells.get(position).filter(|_| word < self.limit)?;
        // An index where a conditional might become a jump: time must not tell the outcome.
        let outcome = cell.outcomes[usize::from(word >= cell.threshold)];
        Some(self.origin.wrapping_add(i64::from(outcome)))
    }

    /// A number with the lower bits of the word.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "only the lower 16 bits matter, and every usize has those"
    )]
    fn position(word: u64) -> usize {
        word as usize
    }

    #[inline]
    pub(crate) fn draw<S: Source>(&self, source: &mut S) -> i64 {
        match self.look_up(source.word()) {
            Some(outcome) => outcome,
            None => self.draw_remainder(source),
        }
    }

    /// Apart from its callers, so that its part of the stack can be wiped.
    #[inline(never)]
    fn fill_apart<T, R>(&self, rng: &mut R, out: &mut [T]) -> Option<usize>
    where
        T: FromDraw,
        R: Rng + ?Sized,
    {
        self.fill_from(&mut Words::new(rng, out.len()), out)
    }

    /// Fills with draws, block by block; the position of a draw that does not fit, if any.
    pub(crate) fn fill_from<T, R>(&self, words: &mut Words<'_, R>, out: &mut [T]) -> Option<usize>
    where
        T: FromDraw,
        R: Rng + ?Sized,
    {
        let mut done = 0;
        while let Some(rest) = out.get_mut(done..).filter(|rest| !rest.is_empty()) {
            let mut decided = 0;
            let mut unfit = false;
            for (place, word) in rest.iter_mut().zip(words.ready()) {
                let Some(outcome) = self.look_up(u64::from_le_bytes(*word)) else {
                    break;
                };
                let Some(value) = T::from_i64(outcome) else {
                    unfit = true;
                    break;
                };
                *place = value;
                decided += 1;
            }
            words.used(decided);
            done += decided;
            if unfit {
                return Some(done);
            }
            if let Some(place) = rest.get_mut(decided) {
                // Either an undecided word comes next, or the block is at its end.
                match T::from_i64(self.draw(words)) {
                    Some(value) => *place = value,
                    None => return Some(done),
                }
                done += 1;
            }
        }
        None
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn draw_remainder(&self, source: &mut dyn Source) -> i64 {
        let table = (self.origin, &*self.masses());
        remainder::draw(&self.law, (WORD, self.cell_bits), table, source)
    }

    /// How many of the 2^64 words yield the first outcome of the table, the next, and so on,
    /// counted in the cells: the m(x) of the construction.
    #[must_use]
    pub fn masses(&self) -> Vec<u64> {
        let mut masses = vec![0; self.outcomes];
        let mut add = |outcome: i32, words| {
            let mass = usize::try_from(outcome)
                .ok()
                .and_then(|at| masses.get_mut(at));
            *mass.unwrap_or(&mut 0) += words;
        };
        for cell in &*self.cells {
            let below = cell.threshold >> self.cell_bits;
            add(cell.outcomes[0], below);
            add(cell.outcomes[1], (self.limit >> self.cell_bits) - below);
        }
        masses
    }
}

impl<L: Debug> Debug for Alias<L> {
    /// The law and the size, not the cells.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Alias")
            .field("law", &self.law)
            .field("cells", &self.cells.len())
            .finish_non_exhaustive()
    }
}

impl<L: Law> Engine for Alias<L> {
    #[inline]
    fn single<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        T::from_i64(self.draw(&mut Direct(rng)))
    }

    fn fill<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error> {
        let unfit = self.fill_apart(rng, out);
        zeroize_stack::<STACK>();
        bulk::complete(unfit, out)
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }

    fn undecided(&self) -> Option<u64> {
        Some(self.undecided())
    }

    fn variant(&self) -> Variant {
        Variant::Table
    }

    fn touches(&self) -> Vec<Touch> {
        let capacity = self.limit >> self.cell_bits;
        let cells = self.cells.iter().enumerate().flat_map(|(position, cell)| {
            let line = position * size_of::<Cell>() / LINE;
            let below = cell.threshold >> self.cell_bits;
            [below, capacity - below]
                .into_iter()
                .zip(cell.outcomes)
                .map(move |(words, outcome)| (line, self.origin + i64::from(outcome), words))
        });
        collect(cells)
    }
}

/// The largest number of outcomes is that of cells.
const _: () = assert!(LowerBounds::MAX_OUTCOMES == 1 << MAX_CELL_BITS);
