//! Text as wide as the terminal, up to 100 columns; without a terminal 100 columns.

use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use dp_report::text::counted;
use dp_report::text::{COLUMNS, wrapped_to};

/// The fewest columns of a line, however narrow the terminal.
const LEAST: usize = 40;

/// Whether standard output was closed when the program began. Before `main` Rust opens `/dev/null`
/// in its place, which takes everything. In `main` nothing tells it from a `/dev/null` that the
/// caller has opened for reading and writing, as `subprocess.DEVNULL` of Python is.
static IS_STDOUT_CLOSED: AtomicBool = AtomicBool::new(false);

/// Keeps, before `main`, whether standard output is closed: in [`IS_STDOUT_CLOSED`].
#[cfg(unix)]
#[ctor::ctor]
fn note_closed_stdout() {
    let flags = rustix::io::fcntl_getfd(io::stdout());
    IS_STDOUT_CLOSED.store(flags == Err(rustix::io::Errno::BADF), Ordering::Relaxed);
}

/// `Err` if standard output was closed when the program began; never so where there is no Unix.
pub(crate) fn check_stdout() -> io::Result<()> {
    match IS_STDOUT_CLOSED.load(Ordering::Relaxed) {
        true => Err(io::Error::other("it is closed")),
        false => Ok(()),
    }
}

/// The most columns of a line of prose on standard output: the width of the terminal, between 40
/// and 100; 100 without a terminal.
pub(crate) fn columns() -> usize {
    if io::stdout().is_terminal() { textwrap::termwidth().clamp(LEAST, COLUMNS) } else { COLUMNS }
}

/// The most columns of a table on standard output: the width of the terminal, at least 40; without
/// a terminal 80.
pub(crate) fn columns_of_tables() -> usize {
    if io::stdout().is_terminal() { textwrap::termwidth().max(LEAST) } else { 80 }
}

/// `words` in lines as wide as prose on standard output, each with a line break. The first line
/// begins with `first`, others with `rest`.
pub(crate) fn wrapped(first: &str, rest: &str, words: &str) -> String {
    wrapped_to(columns(), first, rest, words)
}
