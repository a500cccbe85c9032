//! A ledger as its file shows it, without the right to spend from it.

use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::contents::{self, Contents};
use crate::format::MAX_FILE;
use crate::{Head, Ledger, LedgerError, place};

/// How often, and how long apart, a file is read that another process is writing.
const ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(5);

/// What a ledger's file says at some moment.
///
/// It is read without a lock and without the right to write, also while a [`Journal`](crate::Journal)
/// is open on it. It holds every entry that was confirmed before, and may hold one that is being
/// confirmed; on Unix that one is on the disk as well when it is shown.
pub struct Snapshot {
    ledger: Ledger,
    head: Head,
}

impl Snapshot {
    /// Reads the ledger at `path`.
    ///
    /// # Errors
    /// If there is no such file, it is no regular file, larger than
    /// [`MAX_FILE`](crate::MAX_FILE), no ledger or damaged.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        Self::read_with(path.as_ref(), None)
    }

    /// The same, provided that the ledger is at this state or continues it.
    ///
    /// # Errors
    /// As [`Snapshot::read`], and [`LedgerError::RolledBack`].
    pub fn read_at_least(path: impl AsRef<Path>, head: &Head) -> Result<Self, LedgerError> {
        Self::read_with(path.as_ref(), Some(head))
    }

    /// The ledger in the bytes of a file, such as a copy that is kept in another place. Errors call
    /// them `name`.
    ///
    /// # Errors
    /// If they are more than [`MAX_FILE`](crate::MAX_FILE), no ledger or damaged.
    pub fn parse(name: impl AsRef<Path>, bytes: &[u8]) -> Result<Self, LedgerError> {
        let name = name.as_ref();
        if bytes.len() as u64 > MAX_FILE {
            return Err(LedgerError::not_a_ledger(name, "it is larger than 1 GiB"));
        }
        contents::read(name, bytes, None).map(Self::of)
    }

    /// The ledger; it can be looked at and not spent from.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The state of the file.
    #[must_use]
    pub const fn head(&self) -> Head {
        self.head
    }

    /// Who reads a slot while it is written, and the end of the file while the next line is, sees
    /// what no crash leaves. That is tried again as long as the file changes.
    fn read_with(path: &Path, least: Option<&Head>) -> Result<Self, LedgerError> {
        let mut attempt = 1;
        loop {
            let file = place::open(path, false)?;
            let stamp = || {
                file.metadata()
                    .and_then(|file| Ok((file.len(), file.modified()?)))
            };
            let before = stamp();
            let reader = BufReader::with_capacity(1 << 16, &file);
            match contents::read(path, reader, least) {
                Err(error @ LedgerError::Damaged { .. }) => {
                    thread::sleep(PAUSE);
                    let is_still = matches!(
                        (before, stamp()),
                        (Ok(before), Ok(after)) if before == after
                    );
                    if is_still || attempt == ATTEMPTS {
                        return Err(error);
                    }
                    attempt += 1;
                }
                other => {
                    let contents = other?;
                    confirm(&file, path, &contents)?;
                    return Ok(Self::of(contents));
                }
            }
        }
    }

    fn of(contents: Contents) -> Self {
        let (entries, chain) = (contents.state.entries, contents.state.chain);
        Self {
            ledger: contents.ledger,
            head: Head { entries, chain },
        }
    }
}

impl fmt::Debug for Snapshot {
    /// Of the ledger what [`Ledger`] shows: a checksum tells what was spent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("ledger", &self.ledger)
            .finish_non_exhaustive()
    }
}

/// Waits for the disk where a last entry is whole and no slot counts it yet: it is being confirmed by
/// another process, or was when that was stopped. What is shown then outlives a crash, as for every
/// other entry. Only Unix lets a reader wait.
fn confirm(file: &File, path: &Path, contents: &Contents) -> Result<(), LedgerError> {
    let counted = contents.slots.newest().map(|state| state.entries);
    if cfg!(unix) && counted < Some(contents.state.entries) {
        file.sync_all()
            .map_err(|error| LedgerError::file(path, error))?;
    }
    Ok(())
}
