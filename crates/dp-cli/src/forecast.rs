//! How long a run will take, where no progress bar says it.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// After so much time there is a forecast.
const SOON: Duration = Duration::from_secs(1);

/// Shorter runs are not forecast.
const LONG: Duration = Duration::from_secs(10);

/// Counts reports, and says once how long all of them will take if that is long.
pub(crate) struct Forecast {
    start: Instant,
    reports: u64,
    done: AtomicU64,
    is_said: AtomicBool,
}

impl Forecast {
    /// Of a run of so many reports that begins now.
    pub(crate) fn new(reports: u64) -> Self {
        Self {
            start: Instant::now(),
            reports,
            done: AtomicU64::new(0),
            is_said: AtomicBool::new(false),
        }
    }

    /// Counts further reports. The forecast is one line of standard error; that nobody reads it is
    /// no failure.
    pub(crate) fn add(&self, reports: u64) {
        let done = self.done.fetch_add(reports, Ordering::Relaxed) + reports;
        let elapsed = self.start.elapsed();
        if elapsed < SOON || self.is_said.swap(true, Ordering::Relaxed) {
            return;
        }
        let whole = elapsed.as_secs_f64() * float(self.reports) / float(done);
        if whole >= LONG.as_secs_f64() {
            let line = format!("{} reports will take {}", self.reports, words(whole));
            let _: io::Result<()> = writeln!(io::stderr().lock(), "{line}");
        }
    }
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
    use super::words;

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
}
