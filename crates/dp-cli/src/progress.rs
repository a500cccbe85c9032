//! The progress of a run: a bar on a terminal, else lines on standard error.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dp_exact::{directed, grouped};
use dp_simulation::Progress;
use indicatif::{ProgressBar, ProgressStyle};

/// The time of a run before its first line of progress or announcement.
pub(crate) const LONG: Duration = Duration::from_secs(10);

/// The longest interval between the times at which two lines of progress are due, in seconds.
const LATEST: u64 = 600;

/// `bar` in this style if standard output and standard error are terminals, else a hidden bar.
pub(crate) fn bar(bar: ProgressBar, style: &str) -> ProgressBar {
    if !io::stdout().is_terminal() || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    match ProgressStyle::with_template(style) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// The number of steps of a run and their name: reports, or trials if it makes no reports.
pub(crate) struct Steps {
    /// Number of steps of the whole run.
    pub(crate) steps: u64,
    pub(crate) unit: &'static str,
}

impl Steps {
    /// Calls `run` and shows the progress that it reports: numbers of steps just done.
    pub(crate) fn count<T, E>(
        &self,
        run: impl FnOnce(Progress<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let style =
            format!("{{wide_bar}} {{human_pos}} of {{human_len}} {}, {{eta}} left", self.unit);
        let bar = bar(ProgressBar::new(self.steps), &style);
        let (start, done, due) =
            (Instant::now(), AtomicU64::new(0), AtomicU64::new(LONG.as_secs()));
        let run = run(&|steps| {
            bar.inc(steps);
            if bar.is_hidden() {
                let done = done.fetch_add(steps, Ordering::Relaxed) + steps;
                self.print_line(start.elapsed(), done, &due);
            }
        });
        bar.finish_and_clear();
        run
    }

    /// Prints a line of progress after 10 s, then at doubling times, then every ten minutes. `done`
    /// counts all steps so far; `due` is the second of the next line, for one thread to print.
    fn print_line(&self, elapsed: Duration, done: u64, due: &AtomicU64) {
        let now = due.load(Ordering::Relaxed);
        let next = now.saturating_add(now.min(LATEST));
        let order = Ordering::Relaxed;
        if elapsed.as_secs() < now
            || done >= self.steps
            || due.compare_exchange(now, next, order, order).is_err()
        {
            return;
        }
        let left = directed::count(self.steps - done) / directed::count(done);
        let left = words(elapsed.as_secs_f64() * left);
        let (done, all) = (grouped(done), grouped(self.steps));
        // If standard error is closed, there is no way to report it.
        let _ = writeln!(io::stderr().lock(), "{done} of {all} {}, {left} left", self.unit);
    }
}

/// About how long `seconds` are, in words, in a unit in which the number is at least 2: `about 12
/// days`.
pub(crate) fn words(seconds: f64) -> String {
    let units = [(86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")];
    let unit = units.iter().find(|(length, _)| seconds >= 2.0 * length);
    let (length, name) = unit.unwrap_or(&(1.0, "seconds"));
    format!("about {:.0} {name}", seconds / length)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_duration_has_the_unit_that_fits() {
        for (seconds, said) in
            [(119.0, "about 119 seconds"), (121.0, "about 2 minutes"), (1e6, "about 12 days")]
        {
            assert_eq!(words(seconds), said);
        }
    }
}
