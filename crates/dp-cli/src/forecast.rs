//! How long a run will take and how far it is, where no progress bar says it.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dp_exact::grouped;

/// After so much time there is a forecast, if there was none before.
const SOON: Duration = Duration::from_secs(1);

/// Shorter runs are not forecast; after so much time there is the first line of how far a run is.
const LONG: Duration = Duration::from_secs(10);

/// Between two lines there is no more time, however long the run is.
const LATEST: Duration = Duration::from_secs(600);

/// Says before a run how long it will take, if that is long. Nobody may read it, which is no failure.
pub(crate) fn announce(steps: u64, unit: &str, whole: Duration) -> bool {
    let is_long = whole >= LONG;
    if is_long {
        let whole = words(whole.as_secs_f64());
        say(&format!("{} {unit} will take {whole}", grouped(steps)));
    }
    is_long
}

/// Counts the steps of a run, such as reports, and says on standard error once how long all of them will
/// take, if that is long, and now and then how far they are.
pub(crate) struct Forecast {
    start: Instant,
    steps: u64,
    unit: &'static str,
    done: AtomicU64,
    is_said: AtomicBool,
    /// After how many seconds the next line is due.
    due: AtomicU64,
}

impl Forecast {
    /// Of a run of so many steps that begins now.
    pub(crate) fn new(steps: u64, unit: &'static str, is_announced: bool) -> Self {
        Self {
            start: Instant::now(),
            steps,
            unit,
            done: AtomicU64::new(0),
            is_said: AtomicBool::new(is_announced),
            due: AtomicU64::new(LONG.as_secs()),
        }
    }

    /// Counts further steps.
    pub(crate) fn add(&self, steps: u64) {
        let done = self.done.fetch_add(steps, Ordering::Relaxed) + steps;
        let elapsed = self.start.elapsed();
        if elapsed < SOON {
            return;
        }
        let whole = elapsed.as_secs_f64() * float(self.steps) / float(done);
        if !self.is_said.swap(true, Ordering::Relaxed) {
            announce(self.steps, self.unit, duration(whole));
        }
        let due = self.due.load(Ordering::Relaxed);
        let is_due = elapsed.as_secs() >= due && done < self.steps;
        let order = Ordering::Relaxed;
        // One thread says it.
        if is_due
            && self
                .due
                .compare_exchange(due, after(due), order, order)
                .is_ok()
        {
            let left = words((whole - elapsed.as_secs_f64()).max(0.0));
            say(&format!(
                "{} of {} {}, {left} left",
                grouped(done),
                grouped(self.steps),
                self.unit
            ));
        }
    }
}

/// When the next line is due after one: in as much time again, or the most there may be between two.
fn after(due: u64) -> u64 {
    due.saturating_add(due.min(LATEST.as_secs()))
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

fn say(line: &str) {
    let _: io::Result<()> = writeln!(io::stderr().lock(), "{line}");
}

/// Seconds in the unit that fits.
fn words(seconds: f64) -> String {
    let units = [(86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")];
    let unit = units.iter().find(|(length, _)| seconds >= 2.0 * length);
    let (length, name) = unit.unwrap_or(&(1.0, "seconds"));
    format!("about {:.0} {name}", seconds / length)
}

#[expect(clippy::cast_precision_loss, reason = "a forecast")]
fn float(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::{after, words};

    #[test]
    fn a_duration_is_told_in_the_unit_that_fits() {
        for (seconds, said) in [
            (10.4, "about 10 seconds"),
            (119.0, "about 119 seconds"),
            (121.0, "about 2 minutes"),
            (7300.0, "about 2 hours"),
            (1e6, "about 12 days"),
        ] {
            assert_eq!(words(seconds), said);
        }
    }

    #[test]
    fn lines_are_due_at_doubling_times_and_then_every_ten_minutes() {
        let times = std::iter::successors(Some(10), |due| Some(after(*due)));
        let times: Vec<u64> = times.take(9).collect();
        assert_eq!(times, [10, 20, 40, 80, 160, 320, 640, 1240, 1840]);
    }
}
