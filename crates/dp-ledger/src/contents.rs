//! Reading a ledger's file, from its first line to its last, once.

use std::io::{BufRead, Read as _};
use std::path::Path;

use dp_calibration::Budget;
use dp_exact::shown;

use crate::chain::Chain;
use crate::format::{self, EntryReader, MAGIC, MAX_FILE, MAX_LINE, VERSION};
use crate::slots::{SLOT, Slots, State};
use crate::{Head, Ledger, LedgerError};

/// A ledger as it was found in its file.
#[derive(Debug)]
pub(crate) struct Contents {
    pub(crate) ledger: Ledger,
    /// The checksum of the first line, and its bytes.
    pub(crate) start: Chain,
    pub(crate) first_line: u64,
    /// After all whole entries, and after all but the last.
    pub(crate) state: State,
    pub(crate) before: State,
    /// What the slots say.
    pub(crate) slots: Slots,
    /// Whether something follows that is no whole entry: the trace of one that was never confirmed.
    pub(crate) is_torn: bool,
}

/// Reads the ledger in `file`, which must not be older than `least`.
pub(crate) fn read(
    path: &Path,
    file: impl BufRead,
    least: Option<&Head>,
) -> Result<Contents, LedgerError> {
    let mut reader = Reader {
        path,
        file,
        line: Vec::new(),
        number: 0,
    };
    let mut contents = reader.beginning()?;
    reader.entries(&mut contents, least)?;
    Ok(contents)
}

struct Reader<'a, F> {
    path: &'a Path,
    file: F,
    /// The last line that was read, and its number from 1.
    line: Vec<u8>,
    number: u64,
}

impl<F: BufRead> Reader<'_, F> {
    /// The first line and the slots.
    fn beginning(&mut self) -> Result<Contents, LedgerError> {
        self.next_line()?;
        let Some((json, start)) = format::unsealed(Chain::start(VERSION), &self.line) else {
            return Err(self.no_beginning());
        };
        let terms = format::terms(json).map_err(|reason| self.damaged(reason))?;
        let ledger = Ledger::checked(terms)?;
        let mut bytes = [0; 2 * SLOT];
        match self.file.read_exact(&mut bytes) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                return Err(self.damaged("it ends in its second or third line"));
            }
            other => other.map_err(|error| LedgerError::file(self.path, error))?,
        }
        self.number += 2;
        let first_line = self.line.len() as u64;
        let state = State {
            entries: 0,
            length: first_line + bytes.len() as u64,
            chain: start,
        };
        Ok(Contents {
            ledger,
            start,
            first_line,
            state,
            before: state,
            slots: Slots::read(&bytes, start),
            is_torn: false,
        })
    }

    /// All that follows.
    fn entries(
        &mut self,
        contents: &mut Contents,
        least: Option<&Head>,
    ) -> Result<(), LedgerError> {
        let Some(confirmed) = contents.slots.newest() else {
            return Err(self.damaged("lines 2 and 3 say nothing of how many entries there are"));
        };
        let limit = contents.ledger.limit().clone();
        contents.ledger.reserve(confirmed.entries);
        let mut reader = EntryReader::default();
        loop {
            let state = contents.state;
            self.check(&contents.slots, &state, least)?;
            self.next_line()?;
            let Some((json, chain)) = format::unsealed(state.chain, &self.line) else {
                break;
            };
            let entry = reader.entry(json, &limit);
            let entry = entry.map_err(|reason| self.damaged(self.at_line(&reason)))?;
            if !contents.ledger.push(entry) {
                return Err(self.damaged(self.at_line("a name that occurred before")));
            }
            contents.before = state;
            contents.state = State {
                entries: state.entries + 1,
                length: state.length + self.line.len() as u64,
                chain,
            };
        }
        let missing = confirmed.entries.saturating_sub(contents.state.entries);
        if missing > 0 {
            let reason = self.at_line(&format!("{missing} of its entries are missing from here"));
            return Err(self.damaged(reason));
        }
        if let Some(least) = least
            && least.entries > contents.state.entries
        {
            return Err(self.rolled_back(least));
        }
        contents.is_torn = !self.line.is_empty();
        self.check_rest(contents)
    }

    /// Whether the state is the one that the slots and the caller know.
    fn check(&self, slots: &Slots, state: &State, least: Option<&Head>) -> Result<(), LedgerError> {
        if !slots.agree_with(state) {
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

    /// What follows the whole entries may be one line that a crash cut short. No crash leaves a
    /// torn slot as well: a slot is written when the line before is on the disk.
    fn check_rest(&mut self, contents: &Contents) -> Result<(), LedgerError> {
        if !contents.is_torn {
            return Ok(());
        }
        let rest = self.file.fill_buf();
        let rest = rest.map_err(|error| LedgerError::file(self.path, error))?;
        if rest.is_empty() && self.line.len() as u64 <= MAX_LINE && contents.slots.are_whole() {
            return Ok(());
        }
        Err(self.damaged(self.at_line("not an entry")))
    }

    /// Reads a line with its end, or what there is of it: nothing at the end of the file, and at
    /// most one byte more than a line may have.
    fn next_line(&mut self) -> Result<(), LedgerError> {
        self.line.clear();
        self.number += 1;
        let mut line = self.file.by_ref().take(MAX_LINE + 1);
        let read = line.read_until(b'\n', &mut self.line);
        read.map_err(|error| LedgerError::file(self.path, error))?;
        Ok(())
    }

    /// Why the first line is not one.
    fn no_beginning(&self) -> LedgerError {
        let path = self.path;
        // Version 1 began with the limit alone.
        let is_first = || serde_json::from_slice::<Budget>(&self.line).is_ok();
        let version = format::version_of(&self.line).or_else(|| is_first().then_some(1));
        if let Some(version) = version {
            let path = shown(path);
            return LedgerError::OtherFormat { path, version };
        }
        if self.line.starts_with(MAGIC) {
            return self.damaged("line 1 is altered or cut");
        }
        let reason = if self.line.is_empty() {
            "the file is empty"
        } else {
            "its first line is not that of one"
        };
        LedgerError::not_a_ledger(path, reason)
    }

    fn at_line(&self, reason: &str) -> String {
        format!("line {}: {reason}", self.number)
    }

    fn damaged(&self, reason: impl Into<String>) -> LedgerError {
        LedgerError::Damaged {
            path: shown(self.path),
            reason: shown(reason.into()),
        }
    }

    fn rolled_back(&self, expected: &Head) -> LedgerError {
        LedgerError::RolledBack {
            path: shown(self.path),
            expected: *expected,
        }
    }
}

/// The bytes of a file with these entries, and its state.
pub(crate) fn image(ledger: &Ledger) -> Result<(Vec<u8>, Chain, State), LedgerError> {
    let (mut bytes, start) = format::first_line(ledger.terms())?;
    let slots = bytes.len();
    bytes.resize(slots + 2 * SLOT, 0);
    let mut state = State {
        entries: 0,
        length: bytes.len() as u64,
        chain: start,
    };
    let mut kept = [state; 2];
    for entry in ledger.entries() {
        let (line, chain) = format::entry_line(state.chain, entry)?;
        bytes.extend_from_slice(&line);
        if bytes.len() as u64 > MAX_FILE {
            return Err(too_large(ledger.entries().len()));
        }
        state = State {
            entries: state.entries + 1,
            length: bytes.len() as u64,
            chain,
        };
        kept[state.index()] = state;
    }
    for (index, state) in kept.iter().enumerate() {
        let place = slots + index * SLOT;
        bytes[place..place + SLOT].copy_from_slice(&state.written(start));
    }
    Ok((bytes, start, state))
}

/// The file would outgrow [`MAX_FILE`].
pub(crate) fn too_large(entries: usize) -> LedgerError {
    let accepted = "entries of together at most 1 GiB";
    dp_exact::ParameterError::new("entries", entries, accepted).into()
}

#[cfg(test)]
mod tests;
