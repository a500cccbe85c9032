//! Certificates.

use dp_check::check_within;

use crate::{check_refusal, text};

/// A fraction of a second.
const WORK: u64 = 50_000_000;

/// JSON of a certificate: it is refused, or a sentence says what it proves, with the same answer where there is time for more.
pub fn certificate(data: &[u8]) {
    let Some(text) = text(data) else {
        return;
    };
    match check_within(text, WORK) {
        Ok(statement) => {
            let words = statement.to_string();
            assert!(
                words.contains(" gives (") || words.contains(" probability of at most "),
                "{words}"
            );
            let more = check_within(text, 2 * WORK);
            assert_eq!(more.map(|statement| statement.to_string()), Ok(words));
        }
        Err(refusal) => check_refusal(&refusal),
    }
}
