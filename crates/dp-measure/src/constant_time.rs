//! Whether small and large draws take the same instructions, and what lines of the tables they touch.
//!
//! No clock is needed for either, so both hold on any machine: [`lines_tv`](crate::timing::lines_tv) is
//! computed from the tables, and callgrind counts the instructions of the same measurements that
//! [`timing`](crate::timing) puts before the clock, [`MEASUREMENTS`] of small draws and as many of large ones.
//! Of the constant-time samplers only draws count that used as few words as any: how often one rejects and
//! starts again does not depend on what comes out, but two samples of draws would have other numbers of it.
//!
//! The constant-time samplers must take exactly as many instructions for both. The reference samplers are
//! counted as well, and must not: else the count would be blind.

mod row;
mod text;

pub use row::{Differs, Row};
pub use text::{HEADER, Line};

use crate::Error;
use crate::callgrind::counted_by_callgrind;
use crate::timing::{Cache, Class, Implementation, Subject, Tape, Test, tests};

/// Measurements of a class that are counted, of sixteen draws each.
pub const MEASUREMENTS: usize = 64;

/// Measurements from which it is learned how few words one uses.
const PILOT: usize = 64;

/// The tests of which instructions are counted.
fn counted() -> Result<Vec<Test>, Error> {
    let mut all = tests()?;
    all.retain(|test| {
        let implementation = test.implementation();
        let judged =
            implementation.is_constant_time() || implementation == Implementation::Reference;
        judged && test.cache() == Cache::Warm
    });
    Ok(all)
}

/// Does everything that is counted: for each test the small draws, then the large ones.
///
/// # Errors
/// If a sampler refuses its parameter, or does not repeat its draws; none does.
pub fn work() -> Result<(), Error> {
    for test in counted()? {
        let subject = &mut *test.subject()?;
        let constant = test.implementation().is_constant_time();
        // Before the first count all code has run: what happens once is not counted.
        repeat(subject, constant, Class::Low, &mut |run| run())?;
        for class in [Class::Low, Class::High] {
            repeat(subject, constant, class, &mut |run| {
                counted_by_callgrind(run)
            })?;
        }
    }
    Ok(())
}

/// Lays out the measurements of a class, and has them run by `count`.
fn repeat(
    subject: &mut dyn Subject,
    is_constant_time: bool,
    class: Class,
    count: &mut dyn FnMut(&mut dyn FnMut()),
) -> Result<(), Error> {
    let mut tape = Tape::new(1);
    let lay_out = |subject: &mut dyn Subject, tape: &mut Tape| {
        let start = tape.len();
        subject.lay_out(Some(class), tape);
        tape.len() - start
    };
    let pilot = (0..PILOT).map(|_| lay_out(subject, &mut tape));
    let most = if is_constant_time {
        pilot.min().unwrap_or(0)
    } else {
        usize::MAX
    };

    subject.clear();
    tape.cut(0);
    let mut measurements = 0;
    while measurements < MEASUREMENTS {
        let end = tape.len();
        if lay_out(subject, &mut tape) <= most {
            measurements += 1;
        } else {
            tape.cut(end);
        }
    }
    tape.rewind();
    count(&mut || (0..MEASUREMENTS).for_each(|index| subject.run(index, &mut tape)));
    if tape.position() == tape.len() {
        Ok(())
    } else {
        Err(Error::Replay {
            recorded: tape.len(),
            used: tape.position(),
        })
    }
}

/// The rows, from what [`counts`](crate::callgrind::counts) found.
///
/// # Errors
/// If these are not as many counts as [`work`] makes.
pub fn rows(counts: &[u64]) -> Result<Vec<Row>, Error> {
    let all = counted()?;
    let (pairs, rest) = counts.as_chunks::<2>();
    if pairs.len() != all.len() || !rest.is_empty() {
        let reason = "other calls were counted than made";
        return Err(Error::peer("callgrind", reason));
    }
    let row = |(test, [small, large]): (&Test, &[u64; 2])| Row::new(test, *small, *large);
    Ok(all.iter().zip(pairs).map(row).collect())
}

#[cfg(test)]
mod tests_of_counts {
    use super::*;

    #[test]
    fn as_many_counts_are_read_as_tests_are_counted() {
        let all = counted().expect("valid parameters").len();
        let counts: Vec<u64> = (0..).take(2 * all).collect();
        let found = rows(&counts).expect("all counts");
        assert_eq!(found.len(), all);
        assert_eq!((found[1].small, found[1].large), (2, 3));
        assert!(rows(&counts[1..]).is_err());
        assert!(rows(&counts[2..]).is_err());
    }
}
