//! A ledger as its file shows it, without the right to spend from it.

use std::io::BufReader;
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::contents;
use crate::{Head, Ledger, LedgerError, place};

/// How often, and how long apart, a file is read that another process is writing.
const ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(5);

/// What a ledger's file says at some moment.
///
/// It is read without a lock and without the right to write, also while a [`Journal`](crate::Journal)
/// is open on it. It holds every entry that was confirmed before, and may hold one that is being
/// confirmed.
#[derive(Debug)]
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
                    let (entries, chain) = (contents.state.entries, contents.state.chain);
                    return Ok(Self {
                        ledger: contents.ledger,
                        head: Head { entries, chain },
                    });
                }
            }
        }
    }
}
