//! The options that write a report for people.

use std::path::{Path, PathBuf};

use clap::Args;
use dp_exact::Refusal;

/// Where reports go.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Reports {
    /// Also write a report to this file, as HTML to show and print; - or no FILE prints it in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", help_heading = "Report")]
    pub(crate) html: Option<PathBuf>,
    /// The same as Markdown, for pull requests and wikis
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", help_heading = "Report")]
    pub(crate) markdown: Option<PathBuf>,
}

impl Reports {
    /// Refuses two documents for standard output.
    pub(crate) fn check(&self, json: Option<&Path>) -> Result<(), Refusal> {
        let all = [
            ("json", json),
            ("html", self.html.as_deref()),
            ("markdown", self.markdown.as_deref()),
        ];
        printed_once(all)
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
