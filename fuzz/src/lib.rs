//! The fuzz targets. Each function panics if its input breaks a property; `fuzz/README.md` says how
//! to run them.

mod data;
mod documents;
mod ledger;
mod messages;
mod numbers;

pub use data::{bins, table};
pub use documents::{certificate, deployment, extension, task_json, task_toml};
pub use ledger::{ledger, ledger_entries};
pub use messages::{collected, messages};
pub use numbers::{guarantees, names, rational, strategy};

/// The input as text; `None` if it is not UTF-8.
fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

/// Asserts that an error is one line of bounded length without control characters.
fn check_refusal(error: &impl std::fmt::Display) {
    let text = error.to_string();
    let hidden = |character: char| {
        character.is_control()
            || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!text.chars().any(hidden), "{text:?}");
    assert!(text.chars().count() < 2_000, "{} characters", text.len());
}
