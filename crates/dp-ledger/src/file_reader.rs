//! Reading a ledger's file, from its first line to its last, once.

use std::io::{BufRead, ErrorKind, Read as _};
use std::path::Path;

use dp_exact::{ParameterError, shown};

use crate::format::{
    self, Chain, EntryReader, Head, MAGIC, MAX_FILE, MAX_LINE, SLOT, State, VERSION,
};
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
    /// Whether bytes follow the entries that count: they were never confirmed.
    pub(crate) is_torn: bool,
}

/// Reads the ledger in `file`, which must not be older than `least`.
pub(crate) fn read(
    path: &Path,
    file: impl BufRead,
    least: Option<&Head>,
) -> Result<FileContents, LedgerError> {
    let mut reader = FileReader { path, file, line: Vec::new(), number: 0 };
    let mut contents = reader.beginning()?;
    reader.entries(&mut contents, least)?;
    Ok(contents)
}

/// A ledger's file that is being read.
struct FileReader<'a, F> {
    path: &'a Path,
    file: F,
    /// The last line that was read, with its line feed.
    line: Vec<u8>,
    /// The number of that line, from 1.
    number: u64,
}

impl<F: BufRead> FileReader<'_, F> {
    /// Reads the first line and the slots, into a ledger without entries.
    fn beginning(&mut self) -> Result<FileContents, LedgerError> {
        self.next_line()?;
        let Some((json, start)) = format::unsealed(Chain::start(), &self.line) else {
            return Err(self.no_beginning());
        };
        let terms = format::terms(json).map_err(|reason| self.damaged(reason))?;
        let ledger = Ledger::checked(terms)?;
        let mut bytes = [0; 2 * SLOT];
        match self.file.read_exact(&mut bytes) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                return Err(self.damaged("it ends in its second or third line"));
            }
            other => other.map_err(|error| LedgerError::file(self.path, error))?,
        }
        self.number += 2;
        let first_line = self.line.len() as u64;
        let state = State { entries: 0, length: first_line + bytes.len() as u64, chain: start };
        let (first, second) = bytes.split_at(SLOT);
        Ok(FileContents {
            ledger,
            start,
            first_line,
            state,
            slots: [first, second].map(|slot| State::read(slot, start)),
            is_torn: false,
        })
    }

    /// Reads all entries that count into `contents`. Refuses a damaged file, and one that is older than
    /// `least`.
    fn entries(
        &mut self,
        contents: &mut FileContents,
        least: Option<&Head>,
    ) -> Result<(), LedgerError> {
        let slots = contents.slots;
        let Some(newest) = slots.iter().flatten().max_by_key(|slot| slot.entries) else {
            return Err(self.damaged("lines 2 and 3 say nothing of how many entries there are"));
        };
        let are_whole = slots.iter().all(Option::is_some);
        let mut reader = EntryReader::default();
        loop {
            let state = contents.state;
            self.check(&slots, &state, least)?;
            self.next_line()?;
            if are_whole && state.entries == newest.entries {
                break;
            }
            let Some((json, chain)) = format::unsealed(state.chain, &self.line) else {
                break;
            };
            let entry = reader.entry(json, &contents.ledger);
            let entry = entry.map_err(|reason| self.damaged(self.at_line(&reason)))?;
            if !contents.ledger.push(entry) {
                return Err(self.damaged(self.at_line("a name that occurred before")));
            }
            contents.state = state.after(&self.line, chain);
        }
        let entries = contents.state.entries;
        let missing = newest.entries.saturating_sub(entries);
        if missing > 0 {
            let reason = self.at_line(&format!("{missing} of its entries are missing from here"));
            return Err(self.damaged(reason));
        }
        if let Some(least) = least.filter(|least| least.entries > entries) {
            return Err(self.rolled_back(least));
        }
        contents.is_torn = !self.line.is_empty();
        // A slot is written when its lines are on the disk: no crash tears both.
        if contents.is_torn && !are_whole {
            return Err(self.damaged(self.at_line("not an entry")));
        }
        Ok(())
    }

    /// Refuses a `state` that contradicts one of `slots` or `least`: an equal number of entries,
    /// but another checksum.
    fn check(
        &self,
        slots: &[Option<State>],
        state: &State,
        least: Option<&Head>,
    ) -> Result<(), LedgerError> {
        let is_other = |slot: &State| slot.entries == state.entries && slot != state;
        if slots.iter().flatten().any(is_other) {
            let reason = "its entries are not those that line 2 or 3 counts";
            return Err(self.damaged(self.at_line(reason)));
        }
        match least {
            Some(least) if least.entries == state.entries && least.chain != state.chain => {
                Err(self.rolled_back(least))
            }
            _ => Ok(()),
        }
    }

    /// Reads the next line with its line feed into `self.line`, and counts it. Reads at most
    /// [`MAX_LINE`] + 1 bytes. At the end of the file the line is empty or has no line feed.
    fn next_line(&mut self) -> Result<(), LedgerError> {
        self.line.clear();
        self.number += 1;
        let mut line = self.file.by_ref().take(MAX_LINE + 1);
        let read = line.read_until(b'\n', &mut self.line);
        read.map_err(|error| LedgerError::file(self.path, error))?;
        Ok(())
    }

    /// The refusal of a file whose first line does not begin a ledger.
    fn no_beginning(&self) -> LedgerError {
        match format::version_of(&self.line) {
            Some(version) if version != VERSION => {
                LedgerError::OtherFormat { path: shown(self.path), version }
            }
            _ if self.line.starts_with(MAGIC) => self.damaged("line 1 is altered or cut"),
            _ if self.line.is_empty() => LedgerError::not_a_ledger(self.path, "the file is empty"),
            _ => LedgerError::not_a_ledger(self.path, "its first line is not that of one"),
        }
    }

    /// `reason` with the number of the current line before it.
    fn at_line(&self, reason: &str) -> String {
        format!("line {}: {reason}", self.number)
    }

    /// The refusal of a damaged file.
    fn damaged(&self, reason: impl Into<String>) -> LedgerError {
        LedgerError::Damaged { path: shown(self.path), reason: shown(reason.into()) }
    }

    /// The refusal of a file that does not have the state `expected` in its past.
    fn rolled_back(&self, expected: &Head) -> LedgerError {
        LedgerError::RolledBack { path: shown(self.path), expected: *expected }
    }
}

/// Refuses a state in which the file is longer than [`MAX_FILE`].
pub(crate) fn check_length(state: &State) -> Result<(), LedgerError> {
    if state.length <= MAX_FILE {
        return Ok(());
    }
    let accepted = "entries of together at most 1 GiB";
    Err(ParameterError::new("entries", state.entries, accepted).into())
}
