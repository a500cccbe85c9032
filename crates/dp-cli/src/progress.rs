//! The progress of a run: a bar on a terminal.

use std::io::{self, IsTerminal as _};

use dp_simulation::Progress;
use indicatif::{ProgressBar, ProgressStyle};

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

/// Calls `run`, and shows on a terminal a bar of the steps that it reports as done, out of `steps`;
/// `unit` is their name. Returns what `run` returns.
pub(crate) fn counted<T, E>(
    steps: u64,
    unit: &str,
    run: impl FnOnce(Progress<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let style = format!("{{wide_bar}} {{human_pos}} of {{human_len}} {unit}, {{eta}} left");
    let bar = bar(ProgressBar::new(steps), &style);
    let run = run(&|steps| bar.inc(steps));
    bar.finish_and_clear();
    run
}
