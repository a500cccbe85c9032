//! Reading a ledger's file, from its first line to its last, once.

use std::path::Path;

use dp_exact::shown;

use crate::format::{self, Chain, Head, MAGIC, SLOT, State};
use crate::{Ledger, LedgerError};

/// A ledger as it was found in its file.
#[derive(Debug)]
pub(crate) struct FileContents {
    pub(crate) ledger: Ledger,
    /// The checksum of the first line.
    pub(crate) start: Chain,
    /// The length of the first line in bytes, its line feed included.
    pub(crate) first_line: u64,
    /// The state after all entries that count.
    pub(crate) state: State,
    /// The states in both slots; `None` in one that is not whole.
    pub(crate) slots: [Option<State>; 2],
    /// Whether a part of a line follows the entries: it was never confirmed.
    pub(crate) is_torn: bool,
}

/// Reads the ledger in the `bytes` of a file, which must not be older than `least`.
pub(crate) fn read(
    path: &Path,
    bytes: &[u8],
    least: Option<&Head>,
) -> Result<FileContents, LedgerError> {
    let damaged = |reason: &str| damaged(path, reason);
    // An empty file has an empty first line.
    let first = lines(bytes).next().unwrap_or_default();
    let version = format::version_of(first);
    if let Some(version) = version.filter(|version| !format::is_read(*version)) {
        return Err(LedgerError::OtherFormat { path: shown(path), version });
    }
    // No first line has the checksum of version 0.
    let before = Chain::start(version.unwrap_or(0));
    let Some((json, start)) = format::unsealed(before, first) else {
        return Err(match first {
            _ if first.starts_with(MAGIC) => damaged("line 1 is altered or cut"),
            [] => LedgerError::not_a_ledger(path, "the file is empty"),
            _ => LedgerError::not_a_ledger(path, "its first line is not that of one"),
        });
    };
    let terms = format::terms(json).map_err(|reason| damaged(&reason))?;
    let Some((slots, entries)) = bytes[first.len()..].split_at_checked(2 * SLOT) else {
        return Err(damaged("it ends in its second or third line"));
    };
    let (one, other) = slots.split_at(SLOT);
    let length = (first.len() + slots.len()) as u64;
    let mut contents = FileContents {
        ledger: Ledger::checked(terms)?,
        start,
        first_line: first.len() as u64,
        state: State { entries: 0, length, chain: start },
        slots: [one, other].map(|slot| State::read(slot, start)),
        is_torn: false,
    };
    contents.take_entries(path, entries, least)?;
    Ok(contents)
}

/// The refusal of the damaged file at `path`.
fn damaged(path: &Path, reason: &str) -> LedgerError {
    LedgerError::Damaged { path: shown(path), reason: shown(reason) }
}

/// The lines in `bytes`, each with its line feed. The last one may have none.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

impl FileContents {
    /// Reads entries into the ledger until a line's checksum does not follow. Every entry up to
    /// there counts, also behind those that a slot counts: its line is on the disk. One line behind
    /// them, a torn write, sets `is_torn`: an error if more follows, or if a slot is torn as well.
    /// An error too if entries that a slot or `least` counts are missing.
    fn take_entries(
        &mut self,
        path: &Path,
        entries: &[u8],
        least: Option<&Head>,
    ) -> Result<(), LedgerError> {
        let at_line = |number, reason: &str| damaged(path, &format!("line {number}: {reason}"));
        let rolled_back =
            |expected: &Head| LedgerError::RolledBack { path: shown(path), expected: *expected };
        let newest = self.slots.iter().flatten().map(|slot| slot.entries).max();
        let Some(newest) = newest else {
            let reason = "lines 2 and 3 say nothing of how many entries there are";
            return Err(damaged(path, reason));
        };
        let mut last = None;
        let mut number = 3_u64;
        let mut rest = lines(entries);
        loop {
            let state = self.state;
            let is_other = |slot: &State| slot.entries == state.entries && *slot != state;
            if self.slots.iter().flatten().any(is_other) {
                let reason = "its entries are not those that line 2 or 3 counts";
                return Err(at_line(number, reason));
            }
            if let Some(least) = least
                && least.entries == state.entries
                && least.chain != state.chain
            {
                return Err(rolled_back(least));
            }
            number += 1;
            let Some(line) = rest.next() else { break };
            let Some((json, chain)) = format::unsealed(state.chain, line) else {
                self.is_torn = true;
                break;
            };
            let entry = format::entry(json, &self.ledger, &mut last);
            let entry = entry.map_err(|reason| at_line(number, &reason))?;
            if !self.ledger.push(entry) {
                return Err(at_line(number, "a name that occurred before"));
            }
            self.state = state.after(line, chain);
        }
        // More lines than a slot counts were written before that slot was.
        let missing = newest.saturating_sub(self.state.entries);
        if missing > 0 {
            let reason = format!("entries are missing from here: {missing}");
            return Err(at_line(number, &reason));
        }
        if let Some(least) = least.filter(|least| least.entries > self.state.entries) {
            return Err(rolled_back(least));
        }
        if !self.ledger.is_within_limit() {
            return Err(at_line(number, "its entries exceed its limit"));
        }
        // A slot is written when its lines are on the disk: no crash tears both. One line is
        // written at a time: no crash leaves a line behind a torn one.
        if self.is_torn && (self.slots.contains(&None) || rest.next().is_some()) {
            return Err(at_line(number, "not an entry"));
        }
        Ok(())
    }
}
