//! The options that write a report for people.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use dp_exact::Refusal;
use dp_report::model::Origin;

use crate::options::LEAVE_OUT;

/// Where reports go.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Reports {
    /// Also write a report to this file, as HTML to show and print; - or no FILE prints it in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", help_heading = "Report")]
    pub(crate) html: Option<PathBuf>,
    /// The same as Markdown, for pull requests and wikis
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", help_heading = "Report")]
    pub(crate) markdown: Option<PathBuf>,
    /// Say in the report who asked for it
    #[arg(long, value_name = "TEXT", help_heading = "Report")]
    pub(crate) prepared_for: Option<String>,
}

impl Reports {
    /// Refuses two documents for standard output.
    pub(crate) fn check(&self, json: Option<&Path>) -> Result<(), Refusal> {
        let all = [
            ("json", json),
            ("html", self.html.as_deref()),
            ("markdown", self.markdown.as_deref()),
        ];
        if let (Some(who), false) = (&self.prepared_for, self.are_wanted()) {
            let place = "without --html or --markdown";
            return Err(Refusal::contradiction(
                "prepared-for",
                who,
                place,
                LEAVE_OUT,
            ));
        }
        printed_once(all)
    }

    /// When the reports are made, and for whom.
    pub(crate) fn origin(&self) -> Origin {
        Origin {
            date: Some(today()),
            prepared_for: self.prepared_for.as_deref().map(dp_exact::shown),
        }
    }

    /// Whether there are any.
    pub(crate) const fn are_wanted(&self) -> bool {
        self.html.is_some() || self.markdown.is_some()
    }
}

/// Refuses two documents for standard output.
pub(crate) fn printed_once<const N: usize>(
    all: [(&'static str, Option<&Path>); N],
) -> Result<(), Refusal> {
    let is_printed =
        |(_, path): &&(_, Option<&Path>)| path.is_some_and(|path| path.as_os_str() == "-");
    let mut printed = all.iter().filter(is_printed);
    match (printed.next(), printed.next()) {
        (Some((first, _)), Some((second, _))) => {
            let place = format!("with --{first}, which is printed as well");
            let change = "name a file for one of them";
            Err(Refusal::contradiction(second, "-", place, change))
        }
        _ => Ok(()),
    }
}

/// The day in UTC, or that of `SOURCE_DATE_EPOCH`, so that a report can be made again to the bit.
fn today() -> String {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok();
    let given = given.and_then(|seconds| seconds.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = given.unwrap_or_else(|| now().map_or(0, |since| since.as_secs()));
    day(seconds / 86_400)
}

/// The day that is so many days after 1970-01-01, as YYYY-MM-DD. Years begin in March here, so that a leap day is the
/// last of its year, and 400 of them have 146 097 days.
fn day(since: u64) -> String {
    // At most the year 292 277 026 596, of seconds in 64 bits.
    let days = since + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    format!("{:04}-{month:02}-{of_month:02}", 400 * era + year + later)
}

#[cfg(test)]
mod tests {
    use super::day;

    /// Known days, leap days and ends of years among them.
    #[test]
    fn days_are_those_of_the_calendar() {
        for (since, text) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (364, "1970-12-31"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_782, "2026-11-25"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(day(since), text, "{since}");
        }
    }
}
