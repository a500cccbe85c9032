//! A leak that the test must see on any machine, in every state of the caches: a table of which small
//! outcomes read one line and large ones any of 4096, as a table may whose cells are in the order of the
//! outcomes.

use dp_samplers::{Touch, Variant};
use rand_core::Rng;

use super::family::Family;
use super::tape::Tape;
use super::test::{Implementation, Test};

/// Lines of the table: 256 KiB, more than the first cache holds.
const LINES: u16 = 1 << 12;

/// The tests of the leak.
pub(super) fn tests() -> Vec<Test> {
    let large = (0..LINES).map(|line| touched(line, line, 1));
    let all: Vec<Touch> = large.chain([touched(0, 0, LINES)]).collect();
    Family::new("planted_leak", "4096 lines")
        .by(Variant::Table, &all)
        .draws(Implementation::Planted, || {
            let table: Vec<[i64; 8]> = (0..i64::from(LINES)).map(|line| [line; 8]).collect();
            Ok(move |tape: &mut Tape| table[usize::from(line(tape.next_u64()))][0])
        })
}

fn touched(line: u16, outcome: u16, words: u16) -> Touch {
    Touch {
        table: 0,
        line: line.into(),
        outcome: outcome.into(),
        words: words.into(),
    }
}

/// Of half of the words the first line, of the others any. No jump: what differs is the place in memory
/// alone.
fn line(word: u64) -> u16 {
    let [large, _, low, high, ..] = word.to_le_bytes();
    u16::from_le_bytes([low, high]) % LINES * u16::from(large & 1)
}
