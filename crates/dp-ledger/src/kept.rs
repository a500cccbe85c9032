//! How a program that writes other files knows a ledger, which it must not replace.

use crate::format::MAGIC;

/// Whether a file that begins like this is a ledger, of any version, also one to which somebody has added
/// white space.
///
/// ```
/// assert!(dp_ledger::is_ledger(b"{\"format\":\"dp-ledger\",\"version\":3,"));
/// assert!(!dp_ledger::is_ledger(b"{\"format\":\"dp-cli plan\","));
/// ```
#[must_use]
pub fn is_ledger(beginning: &[u8]) -> bool {
    let text = beginning.iter().filter(|byte| !byte.is_ascii_whitespace());
    text.take(MAGIC.len()).eq(MAGIC)
}
