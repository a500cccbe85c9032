//! The progress of a run on standard error: a line that changes on a terminal, elsewhere a line
//! every ten seconds.

use std::cell::Cell;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use dp_exact::grouped;
use dp_simulation::Progress;

use crate::delivery::is_captured;

/// The time between two states that a terminal shows.
const ON_TERMINAL: Duration = Duration::from_millis(200);

/// The time between two lines in a file or a pipe.
const IN_FILE: Duration = Duration::from_secs(10);

thread_local! {
    /// Whether `--quiet` was given to the command of this thread.
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Says whether the command of this thread shows its progress.
pub(crate) fn set_quiet(is_quiet: bool) {
    IS_QUIET.set(is_quiet);
}

/// The progress of a run that has begun.
pub(crate) struct ProgressLine {
    begin: Instant,
    /// The number of all steps; `None` if it is unknown.
    steps: Option<u64>,
    /// The name of the steps, such as `reports`.
    unit: &'static str,
    is_on_terminal: bool,
    /// The number of steps that are done, and the time since `begin` at which it is shown next;
    /// `None` if it never is.
    state: Mutex<(u64, Option<Duration>)>,
}

impl ProgressLine {
    /// A run of `steps`, which are called `unit`. It shows nothing with `--quiet`, and where the
    /// answer is captured.
    pub(crate) fn new(steps: Option<u64>, unit: &'static str) -> Self {
        let is_on_terminal = io::stderr().is_terminal();
        let first = if is_on_terminal { ON_TERMINAL } else { IN_FILE };
        let shown = (!IS_QUIET.get() && !is_captured()).then_some(first);
        Self { begin: Instant::now(), steps, unit, is_on_terminal, state: Mutex::new((0, shown)) }
    }

    /// Adds `steps` to those that are done, and shows the number if it is time.
    pub(crate) fn add(&self, steps: u64) {
        let mut state = self.state.lock().expect("no thread panics while it shows progress");
        state.0 += steps;
        let spent = self.begin.elapsed();
        if state.1.is_some_and(|next| spent >= next) {
            state.1 = Some(spent + if self.is_on_terminal { ON_TERMINAL } else { IN_FILE });
            self.show(&self.words(state.0, spent));
        }
    }

    /// Removes the line from a terminal.
    pub(crate) fn finish(self) {
        if self.is_on_terminal && self.state.lock().is_ok_and(|state| state.1.is_some()) {
            self.show("");
        }
    }

    /// The number of steps that are `done` after the time `spent`, and an estimate of the rest.
    fn words(&self, done: u64, spent: Duration) -> String {
        let Some(steps) = self.steps else {
            return format!(
                "{} {}, {} so far",
                grouped(done),
                self.unit,
                in_words(spent.as_secs())
            );
        };
        // The first steps, and the first seconds, say little about the others.
        let left = match spent.as_secs() >= 2 && done >= steps.div_ceil(50) {
            true => {
                let rest = u128::from(steps.saturating_sub(done)) * spent.as_millis();
                let seconds = rest / u128::from(done.max(1)) / 1000;
                format!("about {} left", in_words(u64::try_from(seconds).unwrap_or(u64::MAX)))
            }
            false => format!("{} so far", in_words(spent.as_secs())),
        };
        format!("{} of {} {}, {left}", grouped(done), grouped(steps), self.unit)
    }

    /// Writes a line, or on a terminal replaces the last one.
    fn show(&self, words: &str) {
        let line = match self.is_on_terminal {
            // Back to the first column, and the rest of the line is erased.
            true => format!("\r{words}\x1b[K"),
            false => format!("{words}\n"),
        };
        // Where standard error is closed nobody reads it.
        let _ = io::stderr().write_all(line.as_bytes());
    }
}

/// A number of seconds as a time in seconds, minutes or hours.
fn in_words(seconds: u64) -> String {
    match seconds {
        seconds @ ..100 => format!("{seconds} s"),
        seconds @ ..6_000 => format!("{} min", seconds / 60),
        seconds => format!("{} h", grouped(seconds / 3_600)),
    }
}

/// Calls `run`, and shows the number of steps that it reports as done, out of `steps`; `unit` is
/// their name. Returns what `run` returns.
pub(crate) fn counted<T, E>(
    steps: u64,
    unit: &'static str,
    run: impl FnOnce(Progress<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let line = ProgressLine::new(Some(steps), unit);
    let run = run(&|steps| line.add(steps));
    line.finish();
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_estimated_once_some_time_and_some_steps_are_known() {
        let line = ProgressLine::new(Some(250_000), "reports");
        let words = |done, seconds| line.words(done, Duration::from_secs(seconds));
        assert_eq!(words(200_000, 1), "200 000 of 250 000 reports, 1 s so far");
        assert_eq!(words(4_999, 90), "4 999 of 250 000 reports, 90 s so far");
        assert_eq!(words(5_000, 90), "5 000 of 250 000 reports, about 73 min left");
        assert_eq!(words(250_000, 7_200), "250 000 of 250 000 reports, about 0 s left");
        let line = ProgressLine::new(None, "collections");
        let spent = Duration::from_secs(7_200);
        assert_eq!(line.words(12, spent), "12 collections, 2 h so far");
    }
}
