//! What the fuzz targets do with their input. Each function panics if what it checks does not hold;
//! `fuzz/README.md` says what each checks and how they are run.

mod certificate;
mod data;
mod deployment;
mod ledger;
mod messages;
mod numbers;
mod sweep;
mod task;

pub use certificate::certificate;
pub use data::{bins, table};
pub use deployment::deployment;
pub use ledger::{STATES, ledger, ledger_entries, sealed};
pub use messages::{
    messages_average, messages_count, messages_histogram, messages_l1boundsum, messages_multihot,
    messages_sum, messages_sumvec,
};
pub use numbers::{names, guarantees, rational, strategy};
pub use sweep::sweep;
pub use task::{task_json, task_toml};

/// The input as text; any other is of no use to a parser of text.
fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

/// What a refusal says is one line of bounded length, without control characters.
fn check_refusal(error: &impl std::fmt::Display) {
    let text = error.to_string();
    let hidden = |character: char| {
        character.is_control()
            || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!text.chars().any(hidden), "{text:?}");
    assert!(text.chars().count() < 2_000, "{} characters", text.len());
}
