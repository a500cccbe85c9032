//! Which engine draws, and what a cache could tell of its draws.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The ways to draw. Each is exact; they differ in speed, and in what somebody sees who shares the
/// cache with the program.
///
/// `new` of a law takes the first of these that its parameters allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Variant {
    /// Every threshold of the law is compared with every random word: no address in memory depends
    /// on a secret.
    Scan,
    /// A table of which each draw reads one cell, by words of 16 or 32 bits; what these do not decide
    /// comes from a second table, which is read equally often whether needed or not.
    TwoPass,
    /// A table of which each draw reads one cell, by a word of 64 bits.
    Table,
    /// A cell of one table for the upper part of a draw, and of one for each digit below.
    Digits,
    /// An upper part of a draw, by a scan for Gaussians and a cell of a table for binomials, a uniform
    /// lower part, and acceptance, in rounds whose number does not depend on what is accepted.
    Rounds,
    /// The algorithms of [`reference`](crate::reference), whose time depends on the outcome.
    Reference,
}

/// What an attacker who shares the cache can see of a draw: so many random words make the program
/// read this line of its tables and yield this outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Touch {
    /// Which of the tables, each of which a draw reads once: 0 for the first.
    pub table: usize,
    /// The line of 64 bytes, counted from the first line of the first table.
    pub line: usize,
    /// What is drawn: for tables of a part of the outcome, this part.
    pub outcome: i64,
    /// How many of the 2^w random words of w bits; w is 16, 32 or 64 and the same for all lines of a
    /// table.
    pub words: u64,
}

/// One of the passes by which slices are drawn: of its 2^w words so many yield each outcome, and the others lead to the
/// next pass, or from the last one to a draw from what is left of the law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// w
    pub word_bits: u32,
    /// Outcomes, each once, and how many words yield it, counted in the tables.
    pub words: Vec<(i64, u64)>,
}

/// Bytes in a line of a cache.
pub(crate) const LINE: usize = 64;

/// Adds up the words that lead to the same line and the same outcome.
pub(crate) fn collect(touches: impl Iterator<Item = (usize, i64, u64)>) -> Vec<Touch> {
    let mut words = BTreeMap::new();
    for (line, outcome, more) in touches.filter(|&(_, _, more)| more > 0) {
        *words.entry((line, outcome)).or_insert(0) += more;
    }
    words
        .into_iter()
        .map(|((line, outcome), words)| Touch {
            table: 0,
            line,
            outcome,
            words,
        })
        .collect()
}
