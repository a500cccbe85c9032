//! From older versions of the format: 1 had a line of JSON for the limit, then one for each entry, without
//! checksums; 2 had no rule.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _};
use std::path::Path;
use std::time::Duration;

use dp_calibration::{Adjacency, Budget, TrustModel};
use dp_exact::{ParameterError, shown};
use serde::Deserialize;

use crate::contents;
use crate::entry::Entry;
use crate::format::{MAGIC, MAX_LINE, SECOND, read};
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
    /// Writes the journal of format version 1 or 2 at `old` into a new one at `new`, which counts by basic
    /// composition, as those did. The old file stays as it is; do not spend from it any more.
    ///
    /// Version 1 says nothing of neighbours and trust: the caller states what its promises were about;
    /// by default replacement and one honest aggregator. Version 2 says it.
    ///
    /// Amounts are rounded up, as always, so that a limit of version 1 that was spent to the last may be
    /// exceeded by less than a relative 10^−29: then nothing is left.
    ///
    /// # Errors
    /// If `old` is not a journal of these versions or in use, is damaged, has a last line that is cut short
    /// (version 1), or a name or amount out of range; if it says of neighbours and trust otherwise than the
    /// caller; if there is something at `new`.
    pub fn upgrade(
        old: impl AsRef<Path>,
        new: impl AsRef<Path>,
        adjacency: Option<Adjacency>,
        trust_model: Option<TrustModel>,
    ) -> Result<Self, LedgerError> {
        let old = old.as_ref();
        let mut file = place::open(old, false)?;
        place::lock(&file, old, Duration::ZERO)?;
        let failed = |error| LedgerError::file(old, error);
        let mut start = Vec::new();
        let read = (&file).take(MAGIC.len() as u64).read_to_end(&mut start);
        read.and_then(|_| file.rewind()).map_err(failed)?;
        let ledger = if start == MAGIC {
            let reader = BufReader::with_capacity(1 << 16, &file);
            let ledger = contents::read(old, reader, SECOND, None)?.ledger;
            check_same("adjacency", ledger.terms().adjacency(), adjacency)?;
            check_same("trust model", ledger.terms().trust_model(), trust_model)?;
            ledger
        } else {
            first_version(&file, old, adjacency, trust_model)?
        };
        Self::begin(new.as_ref(), ledger)
    }
}

/// Refuses to restate what the file says.
fn check_same<T: PartialEq + std::fmt::Display>(
    what: &'static str,
    written: T,
    stated: Option<T>,
) -> Result<(), ParameterError> {
    match stated {
        Some(stated) if stated != written => {
            let accepted = format!("{written}, as the file says, or to leave it out");
            Err(ParameterError::new(what, stated, accepted))
        }
        _ => Ok(()),
    }
}

/// The ledger in a file of version 1.
fn first_version(
    file: &File,
    old: &Path,
    adjacency: Option<Adjacency>,
    trust_model: Option<TrustModel>,
) -> Result<Ledger, LedgerError> {
    let mut file = BufReader::new(file);
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
        LedgerError::not_a_ledger(old, "its first line is not that of format version 1 or 2")
    })?;
    let mut terms = Terms::new(limit);
    if let Some(adjacency) = adjacency {
        terms = terms.with_adjacency(adjacency);
    }
    if let Some(trust_model) = trust_model {
        terms = terms.with_trust_model(trust_model);
    }
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
    Ok(ledger)
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
