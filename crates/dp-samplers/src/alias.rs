//! Exact alias tables: any law on the integers, at one random word, one table access and one
//! comparison a draw.
//!
//! # The construction
//! Let p be a law on the integers whose probabilities are real numbers, known by enclosures. With
//! words of w bits and C = 2^b cells, give each outcome x a whole number of words m(x), such that
//!
//! 1. m(x) ≤ 2^w·p(x) for every x, certified by a lower bound of p(x),
//! 2. Σ m(x) = 2^w − C.
//!
//! The words whose upper w − b bits are all ones, exactly one in each cell, are *undecided*. All
//! others are shared out by the alias method (Walker 1977, Vose 1991) in integer arithmetic,
//! without any rounding, so that exactly m(x) of them yield x. An undecided word is followed by a
//! draw from the remainder r(x) = (2^w·p(x) − m(x))/C, which is not negative by 1 and sums to 1
//! by 2. So the law of the output is
//!
//! m(x)/2^w + (C/2^w)·r(x) = m(x)/2^w + p(x) − m(x)/2^w = p(x),
//!
//! exactly. The thresholds in the cells are integers and carry no error. All that is not a
//! multiple of 2^−w, the whole tail included, lies in the remainder, which is drawn by inversion
//! with enclosures of any precision (`remainder.rs`), or, with words shorter than 64 bits, by a
//! second table whose words have 64.
//!
//! The masses m(x) are not stored. The remainder counts them in the cells, so 2 and the law above
//! hold for the table as it is in memory; all that exactness rests on beside that is 1.
//!
//! # Timing
//! A word is undecided with probability C·2^−w, at most 2^−48 with words of 64 bits, and only
//! then does the work depend on the outcome. On hardware that compares and selects in constant
//! time, all else that varies with the outcome is which line of the table is touched.

mod build;
mod deal;
mod law;
mod mixture;
pub(crate) mod remainder;
mod table;

pub(crate) use build::{Shares, fill_cells, share_out};
pub(crate) use deal::deal_out;
pub use law::{Law, LowerBounds};
pub(crate) use mixture::{Remainder, Whole};
pub use table::Alias;

#[cfg(test)]
pub(crate) mod tests;
