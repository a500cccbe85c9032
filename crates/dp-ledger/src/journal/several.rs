//! Many entries at once: the file with all of them takes the place of the one without.

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};

use super::{Journal, place_of_slot, write};
use crate::format::{self, MAX_FILE};
use crate::slots::State;
use crate::{Entry, LedgerError, Release, contents, place};

impl Journal {
    /// Pays for `times` releases under the names `name 1`, `name 2` and so on, as
    /// [`Ledger::spend_times`](crate::Ledger::spend_times) does: **all of them or none**, whatever stops the process
    /// or the machine. When this returns, they are on the disk. Two or more new entries are written into a copy of
    /// the file, which then takes its place in one step: the folder has to be writable, the process must be allowed to
    /// give the file's owner and permissions to the new one, and the file must have no second hard link. A file that is
    /// mounted elsewhere by itself would keep what was spent before: mount its folder.
    ///
    /// # Errors
    /// As [`Ledger::spend_times`](crate::Ledger::spend_times) and [`Journal::spend`].
    pub fn spend_times(
        &mut self,
        name: &str,
        times: u64,
        release: &Release,
    ) -> Result<u64, LedgerError> {
        let mut entries = self.ledger.prepared_times(name, times, release)?;
        let new = entries.len() as u64;
        if new < 2 {
            self.write_entry(entries.pop())?;
        } else {
            self.check_unchanged()?;
            self.replace(entries)?;
        }
        Ok(new)
    }

    /// Confirms all entries at once.
    fn replace(&mut self, entries: Vec<Entry>) -> Result<(), LedgerError> {
        let mut states = [self.state; 2];
        let fill = |copy: &File| {
            states = self.copied(copy, &entries)?;
            Ok(())
        };
        // Once the copy is moved to its place and that is not known to be on the disk, nothing is certain.
        let replaced = place::replace(&self.file, &self.path, fill);
        self.has_failed = replaced.is_err();
        self.file = replaced?;
        self.state = states[1];
        self.ledger.reserve(entries.len() as u64);
        for entry in entries {
            self.record(entry);
        }
        Ok(())
    }

    /// Writes what is confirmed and the new entries into a new file; the states before and after the last of
    /// them.
    fn copied(&self, copy: &File, entries: &[Entry]) -> Result<[State; 2], LedgerError> {
        let failed = |error| LedgerError::file(&self.path, error);
        let mut confirmed = &self.file;
        confirmed.seek(SeekFrom::Start(0)).map_err(failed)?;
        let mut writer = BufWriter::with_capacity(1 << 16, copy);
        let length = io::copy(&mut confirmed.take(self.state.length), &mut writer);
        if length.map_err(failed)? != self.state.length {
            return Err(LedgerError::changed(&self.path, "the file was cut short"));
        }
        let mut states = [self.state; 2];
        for entry in entries {
            let last = states[1];
            let (line, chain) = format::entry_line(last.chain, entry)?;
            let next = State {
                entries: last.entries + 1,
                length: last.length + line.len() as u64,
                chain,
            };
            if next.length > MAX_FILE {
                return Err(contents::too_large(
                    self.ledger.entries().len() + entries.len(),
                ));
            }
            writer.write_all(&line).map_err(failed)?;
            states = [last, next];
        }
        writer.flush().map_err(failed)?;
        for state in &states {
            let place = place_of_slot(self.first_line, state.index());
            write(copy, &self.path, place, &state.written(self.start))?;
        }
        Ok(states)
    }
}
