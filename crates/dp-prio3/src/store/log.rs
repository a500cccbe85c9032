//! The spent reports of each time window of a store: a log for each, and its confirmed length.
//!
//! ```text
//! struct { opaque reports[16 * count]; } Log;
//! struct { uint64 window; uint64 length; opaque digest[32]; } End;
//! struct { opaque digest[32]; uint64 first; End ends<..>; } Confirmed;
//! ```
//!
//! The digest of an end is SHA-256 over a fixed text, the id of the store, the window and the first
//! `length` bytes of the window's log. The ends are in a file that is replaced as a whole; its
//! digest is SHA-256 over another fixed text, the id of the store and the rest. Bytes behind an end
//! were never confirmed, and are removed when the store is opened.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::{altered, named};
use crate::replay::TimeWindow;

/// The name of the file with the confirmed end of each log.
const CONFIRMED: &str = "confirmed";

/// The beginning of a log's file name; the decimal number of its window follows.
const PREFIX: &str = "window.";

/// A random number of each store, hashed into all its digests, so that files of two stores do not
/// mix.
pub(super) type StoreId = [u8; 16];

/// The end of a log: its length, and a digest of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// The length of the log in bytes.
    length: u64,
    /// SHA-256 over the id of the store, the window and the log up to its end.
    digest: [u8; 32],
}

/// The first open time window, and the confirmed end of each log. Up to that end a log must be
/// unchanged on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Confirmed {
    pub(super) first: TimeWindow,
    pub(super) ends: BTreeMap<TimeWindow, End>,
}

impl Confirmed {
    /// Reads the confirmed ends of the store `id` in `directory`. `Err` if the file is missing or
    /// altered.
    pub(super) fn read(directory: &Path, id: &StoreId) -> io::Result<Self> {
        let path = directory.join(CONFIRMED);
        let content = super::read(&path);
        let content = content.map_err(|error| named(&path, error.kind(), &error.to_string()))?;
        Self::decode(&content, id).ok_or_else(|| altered(&path, "it is damaged"))
    }

    /// Replaces the file of confirmed ends in `directory`; the new file is durable on return.
    pub(super) fn write(&self, directory: &Path, id: &StoreId) -> io::Result<()> {
        let mut content = self.first.0.to_be_bytes().to_vec();
        for (window, end) in &self.ends {
            content.extend(window.0.to_be_bytes());
            content.extend(end.length.to_be_bytes());
            content.extend(end.digest);
        }
        dp_files::replace(&directory.join(CONFIRMED), |file| {
            file.write_all(&digest(id, &content))?;
            file.write_all(&content)
        })
    }

    /// Decodes the content of the file of confirmed ends; `None` if it is cut off, or its digest is
    /// of other content or of another store.
    fn decode(bytes: &[u8], id: &StoreId) -> Option<Self> {
        let (written, content) = bytes.split_first_chunk::<32>()?;
        if *written != digest(id, content) {
            return None;
        }
        let (first, ends) = content.split_first_chunk()?;
        let end = |bytes: &[u8; 48]| {
            let (window, rest) = bytes.split_first_chunk()?;
            let (length, rest) = rest.split_first_chunk()?;
            let (length, digest) = (u64::from_be_bytes(*length), *rest.first_chunk()?);
            Some((TimeWindow(u64::from_be_bytes(*window)), End { length, digest }))
        };
        Some(Self {
            first: TimeWindow(u64::from_be_bytes(*first)),
            ends: ends.as_chunks().0.iter().map(end).collect::<Option<_>>()?,
        })
    }

    /// Removes every log in `directory` whose window has no confirmed end, such as an expired one.
    pub(super) fn remove_other_logs(&self, directory: &Path) -> io::Result<()> {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let name = entry.file_name();
            let window = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse().ok());
            if window.is_some_and(|window| !self.ends.contains_key(&TimeWindow(window))) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

/// The digest in front of `content` in the file of confirmed ends.
fn digest(id: &StoreId, content: &[u8]) -> [u8; 32] {
    let hash = Sha256::new_with_prefix(b"dp-prio3 confirmed 2").chain_update(id);
    hash.chain_update(content).finalize().into()
}

/// The spent reports of one time window, in memory and in its log, which is open for writing.
pub(super) struct Log {
    pub(super) reports: HashSet<[u8; 16]>,
    file: File,
    /// The running SHA-256 over the store's id, the window and everything written to the log.
    hash: Sha256,
    /// Whether anything was written since the last sync.
    is_changed: bool,
}

impl Log {
    /// A new log without reports, which the owner alone may read. `Err` if the window has a log
    /// already.
    pub(super) fn create(directory: &Path, id: &StoreId, window: TimeWindow) -> io::Result<Self> {
        let file = dp_files::private().create_new(true).open(path(directory, window))?;
        Ok(Self { reports: HashSet::new(), file, hash: beginning(id, window), is_changed: false })
    }

    /// Reads the log of a window up to its confirmed end. `Err` if the file is missing, shorter, or
    /// another digest comes out. Changes nothing.
    pub(super) fn read(
        directory: &Path,
        id: &StoreId,
        window: TimeWindow,
        confirmed: &End,
    ) -> io::Result<Self> {
        let path = path(directory, window);
        let file = dp_files::open_regular(&path, File::options().read(true).write(true));
        let file = file.map_err(|error| altered(&path, &error.to_string()))?;
        let (mut hash, mut reports) = (beginning(id, window), HashSet::new());
        let mut reader = BufReader::with_capacity(1 << 20, &file);
        let mut report = [0; 16];
        for _ in 0..confirmed.length / 16 {
            match reader.read_exact(&mut report) {
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => break,
                read => read?,
            }
            hash.update(report);
            reports.insert(report);
        }
        let log = Self { reports, file, hash, is_changed: false };
        match log.end() == *confirmed {
            true => Ok(log),
            false => Err(altered(&path, "confirmed reports are missing or altered")),
        }
    }

    /// Cuts the file after the reports that were read, and moves its cursor there, where further
    /// reports are written.
    pub(super) fn cut(&mut self) -> io::Result<()> {
        let length = self.end().length;
        self.file.set_len(length)?;
        self.file.seek(SeekFrom::Start(length)).map(drop)
    }

    /// Writes a report to the end of the log unless it is there; it is durable after
    /// [`Self::sync`]. Returns whether it is new. After an error the log must not be used.
    pub(super) fn insert(&mut self, report: [u8; 16]) -> io::Result<bool> {
        if !self.reports.insert(report) {
            return Ok(false);
        }
        self.is_changed = true;
        self.file.write_all(&report)?;
        self.hash.update(report);
        Ok(true)
    }

    /// Makes everything written durable. Returns whether anything was written since the last call.
    pub(super) fn sync(&mut self) -> io::Result<bool> {
        if self.is_changed {
            self.file.sync_data()?;
        }
        Ok(std::mem::take(&mut self.is_changed))
    }

    /// The end of the log, counting everything that was written.
    pub(super) fn end(&self) -> End {
        let length = 16 * self.reports.len() as u64;
        End { length, digest: self.hash.clone().finalize().into() }
    }
}

/// The running hash of a window's log before its first report.
fn beginning(id: &StoreId, window: TimeWindow) -> Sha256 {
    let hash = Sha256::new_with_prefix(b"dp-prio3 window 2").chain_update(id);
    hash.chain_update(window.0.to_be_bytes())
}

/// The path of the log of `window`.
fn path(directory: &Path, window: TimeWindow) -> PathBuf {
    directory.join(format!("{PREFIX}{}", window.0))
}
