//! Answers that are returned instead of printed, for programs that run a command in process.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The parts of an answer by name: `text` for people, `warnings`, and the file of every option that
/// names `-`, such as `json` and `html`.
pub type Answer = BTreeMap<&'static str, Vec<u8>>;

thread_local! {
    /// The delivered parts of the command of this thread; `None` if it prints its answer.
    static CAPTURED: RefCell<Option<Answer>> = const { RefCell::new(None) };
}

pub(crate) fn during<T>(run: impl FnOnce() -> T) -> (T, Answer) {
    CAPTURED.set(Some(Answer::new()));
    let result = run();
    (result, CAPTURED.take().unwrap_or_default())
}

pub(crate) fn is_on() -> bool {
    CAPTURED.with_borrow(Option::is_some)
}

/// Appends to a part of the captured answer; `None` if the answer is printed.
pub(crate) fn write(
    part: &'static str,
    content: &dyn Fn(&mut dyn Write) -> io::Result<()>,
) -> Option<io::Result<()>> {
    CAPTURED.with_borrow_mut(|captured| {
        captured.as_mut().map(|parts| content(parts.entry(part).or_default()))
    })
}
