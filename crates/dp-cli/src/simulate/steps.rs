//! How far a run is, and how long it takes.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use dp_simulation::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use super::described::Described;
use crate::failure::Failure;
use crate::forecast::{Forecast, announce};

/// Of so many reports it is said before they start how long they will take.
const MANY: u64 = 1_000_000;

/// And of reports that have so many entries all together.
const MANY_ENTRIES: u64 = 100_000_000;

/// The steps of a run, whose progress is told.
pub(super) struct Steps {
    steps: u64,
    unit: &'static str,
}

impl Steps {
    pub(super) const fn of(described: &Described, steps: u64) -> Self {
        let unit = match described.is_ideal {
            true => "trials",
            false => "reports",
        };
        Self { steps, unit }
    }

    /// Says before a long run how long it will take.
    pub(super) fn announce(
        &self,
        described: &Described,
        rehearse: impl FnOnce() -> Result<Duration, Failure>,
    ) -> Result<bool, Failure> {
        let entries = u64::try_from(described.labels.len()).unwrap_or(u64::MAX);
        let is_long = self.steps >= MANY || self.steps.saturating_mul(entries) >= MANY_ENTRIES;
        Ok(is_long && !described.is_ideal && announce(self.steps, self.unit, rehearse()?))
    }

    /// Runs what tells its progress.
    pub(super) fn count<T, E>(
        &self,
        is_announced: bool,
        run: impl FnOnce(Progress<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let bar = progress_bar(self.steps, self.unit);
        let forecast = bar
            .is_hidden()
            .then(|| Forecast::new(self.steps, self.unit, is_announced));
        let done = run(&|steps| match &forecast {
            Some(forecast) => forecast.add(steps),
            None => bar.inc(steps),
        });
        bar.finish_and_clear();
        done
    }
}

/// A bar on a terminal, nothing where output is piped.
fn progress_bar(steps: u64, unit: &str) -> ProgressBar {
    if !io::stdout().is_terminal() || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = format!("{{wide_bar}} {{human_pos}} of {{human_len}} {unit}, {{eta}} left");
    match ProgressStyle::with_template(&style) {
        Ok(style) => ProgressBar::new(steps).with_style(style),
        Err(_) => ProgressBar::new(steps),
    }
}
