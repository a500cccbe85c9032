//! From format version 1: a line of JSON for the limit, then one for each entry, without checksums.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::time::Duration;

use dp_calibration::{Adjacency, Budget, TrustModel};
use dp_exact::shown;
use serde::Deserialize;

use crate::entry::Entry;
use crate::format::{MAX_LINE, read};
use crate::name::Name;
use crate::{Journal, Ledger, LedgerError, Mechanism, Release, Terms, place};

/// An entry of version 1.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OldEntry {
    name: String,
    budget: Budget,
}

impl Journal {
    /// Writes the journal of format version 1 at `old` into a new one at `new`. Version 1 says nothing
    /// of neighbours and trust: the caller states what its promises were about. The old file stays
    /// as it is; do not spend from it any more.
    ///
    /// Amounts are rounded up, as always, so that a limit that was spent to the last may be exceeded
    /// by less than a relative 10^−29: then nothing is left.
    ///
    /// # Errors
    /// If `old` is not a journal of version 1 or in use, has a last line that is cut short, or a name
    /// or amount out of range; if there is something at `new`.
    pub fn upgrade(
        old: impl AsRef<Path>,
        new: impl AsRef<Path>,
        adjacency: Adjacency,
        trust_model: TrustModel,
    ) -> Result<Self, LedgerError> {
        let old = old.as_ref();
        let file = place::open(old, false)?;
        place::lock(&file, old, Duration::ZERO)?;
        let mut file = BufReader::new(&file);
        let mut line = Vec::new();
        let mut next = |number: usize| -> Result<Option<String>, LedgerError> {
            line.clear();
            let read = file
                .by_ref()
                .take(MAX_LINE + 1)
                .read_until(b'\n', &mut line);
            read.map_err(|error| LedgerError::file(old, error))?;
            if line.is_empty() {
                return Ok(None);
            }
            let text = line
                .strip_suffix(b"\n")
                .and_then(|line| std::str::from_utf8(line).ok());
            let text = text.ok_or_else(|| {
                refused(
                    old,
                    number,
                    "cut short, too long or no text, and may have been spent",
                )
            })?;
            Ok(Some(text.to_owned()))
        };
        let first = next(1)?.unwrap_or_default();
        let limit = serde_json::from_str(&first).map_err(|_| {
            LedgerError::not_a_ledger(old, "its first line is not that of format version 1")
        })?;
        let terms = Terms::new(limit);
        let terms = terms
            .with_adjacency(adjacency)
            .with_trust_model(trust_model);
        let mut ledger = Ledger::new(terms)?;
        let mut number = 2;
        while let Some(line) = next(number)? {
            let entry: OldEntry =
                read(line.as_bytes()).map_err(|error| refused(old, number, &error.to_string()))?;
            let is_new = take_over(&mut ledger, entry);
            if !is_new.map_err(|error| refused(old, number, &error.to_string()))? {
                return Err(refused(old, number, "a name that occurred before"));
            }
            number += 1;
        }
        Self::begin(new.as_ref(), ledger)
    }
}

/// It was spent already, so it is recorded whether it fits or not.
fn take_over(ledger: &mut Ledger, old: OldEntry) -> Result<bool, LedgerError> {
    let mechanism = Mechanism::Other("recorded by format version 1".to_owned());
    let release = Release::new(old.budget)
        .with_adjacency(ledger.terms().adjacency())
        .with_trust_model(ledger.terms().trust_model())
        .with_mechanism(mechanism);
    let entry = Entry {
        name: Name::new(&old.name)?,
        booking: ledger.booking(&old.name, &release)?,
        shares: None,
    };
    Ok(ledger.push(entry))
}

fn refused(path: &Path, line: usize, reason: &str) -> LedgerError {
    LedgerError::NotUpgraded {
        path: shown(path),
        reason: format!("line {line}: {}", shown(reason)),
    }
}
