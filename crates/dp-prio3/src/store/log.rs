//! The spent reports of each time window of a store: a log for each, and its confirmed length.
//!
//! ```text
//! struct { opaque tag[16]; uint64 first; opaque zero[8]; opaque digest[16]; } Mark;
//! struct { opaque reports[16 * count]; Mark mark; } Part;
//! struct { Part parts<..>; } Log;
//! struct { uint64 window; uint64 length; opaque digest[32]; } End;
//! struct { opaque digest[32]; uint64 first; End ends<..>; } Confirmed;
//! ```
//!
//! The digest of an end is SHA-256 over a fixed text, the id of the store, the window and the first
//! `length` bytes of the window's log. The ends are in a file that is replaced as a whole; its
//! digest is SHA-256 over another fixed text, the id of the store and the rest.
//!
//! A mark says that all before it was written. Its digest is the beginning of that of an end behind
//! its zeros; its tag is the beginning of SHA-256 over a third fixed text, the id and the window, so
//! that no report looks like a mark. Where the file of ends is older than a log, as a copy that was
//! put back, the parts behind the end count as well, and so does the first open window of the last
//! mark. Bytes behind the last mark were never confirmed, and are removed when the store is opened.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Seek as _, SeekFrom, Write as _};
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
        let mut others = windows(directory)?;
        others.retain(|window| !self.ends.contains_key(window));
        others.into_iter().try_for_each(|window| fs::remove_file(path(directory, window)))
    }

    /// Reads the logs of the windows with a confirmed end, and of those from the first open one on
    /// that have a mark. `Err` if a confirmed report is missing or altered. Changes nothing.
    pub(super) fn read_logs(
        &self,
        directory: &Path,
        id: &StoreId,
    ) -> io::Result<BTreeMap<TimeWindow, Log>> {
        let open = windows(directory)?.into_iter().filter(|window| *window >= self.first);
        let mut logs = BTreeMap::new();
        for window in open.chain(self.ends.keys().copied()) {
            if let Entry::Vacant(place) = logs.entry(window) {
                place.insert(Log::read(directory, id, window, self.ends.get(&window))?);
            }
        }
        logs.retain(|_, log: &mut Log| log.length > 0);
        Ok(logs)
    }
}

/// The windows that have a log in `directory`.
fn windows(directory: &Path) -> io::Result<Vec<TimeWindow>> {
    let mut windows = Vec::new();
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        // Other files, such as with leading zeros, are no logs.
        let window = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse().ok());
        let window = window.map(TimeWindow);
        windows.extend(window.filter(|window| path(directory, *window).file_name() == Some(&name)));
    }
    Ok(windows)
}

/// The digest in front of `content` in the file of confirmed ends.
fn digest(id: &StoreId, content: &[u8]) -> [u8; 32] {
    let hash = Sha256::new_with_prefix(b"dp-prio3 confirmed 2").chain_update(id);
    hash.chain_update(content).finalize().into()
}

/// The spent reports of one time window, in memory and in its log, which is open for writing.
pub(super) struct Log {
    pub(super) reports: HashSet<[u8; 16]>,
    /// The first open window by the last mark; 0 without one.
    pub(super) first: TimeWindow,
    file: File,
    /// The beginning of every mark.
    tag: [u8; 16],
    /// The running SHA-256 over the store's id, the window and everything written to the log.
    hash: Sha256,
    /// The length of the log in bytes, counting everything that was written.
    length: u64,
    /// Whether anything was written since the last sync.
    is_changed: bool,
}

impl Log {
    /// A new log without reports, which the owner alone may read. `Err` if the window has a log
    /// already.
    pub(super) fn create(directory: &Path, id: &StoreId, window: TimeWindow) -> io::Result<Self> {
        let file = dp_files::private().create_new(true).open(path(directory, window))?;
        Ok(Self::empty(file, id, window))
    }

    /// A log without content, in this file.
    fn empty(file: File, id: &StoreId, window: TimeWindow) -> Self {
        let hash = |text| {
            let hash = Sha256::new_with_prefix(text).chain_update(id);
            hash.chain_update(window.0.to_be_bytes())
        };
        let (reports, first) = (HashSet::new(), TimeWindow(0));
        let tag = beginning(&hash(b"dp-prio3 mark 2 \0"));
        let hash = hash(b"dp-prio3 window 2");
        Self { reports, first, file, tag, hash, length: 0, is_changed: false }
    }

    /// Reads the log of a window up to its confirmed end, if there is one, and on to the last mark
    /// behind it. `Err` if the file is missing, shorter than its end, or another digest comes out.
    /// Changes nothing.
    fn read(
        directory: &Path,
        id: &StoreId,
        window: TimeWindow,
        confirmed: Option<&End>,
    ) -> io::Result<Self> {
        let path = path(directory, window);
        let file = dp_files::open_regular(&path, File::options().read(true).write(true));
        let file = file.map_err(|error| altered(&path, &error.to_string()))?;
        let mut reader = BufReader::with_capacity(1 << 20, file.try_clone()?);
        let mut log = Self::empty(file, id, window);
        let mut is_whole = confirmed.is_none();
        // What was read behind the last end or mark: its hash, its length, its reports.
        let (mut hash, mut length, mut reports) = (log.hash.clone(), 0, Vec::new());
        while let Some(record) = next(&mut reader)? {
            let mut is_end = false;
            if record == log.tag {
                let (Some(first), Some(digest)) = (next(&mut reader)?, next(&mut reader)?) else {
                    break;
                };
                hash.update([record, first].concat());
                if digest != beginning(&hash) {
                    break;
                }
                hash.update(digest);
                length += 48;
                let (first, _) = first.split_first_chunk().expect("8 of 16 bytes");
                (is_end, log.first) = (true, TimeWindow(u64::from_be_bytes(*first)));
            } else {
                hash.update(record);
                length += 16;
                reports.push(record);
            }
            if let Some(end) = confirmed.filter(|end| end.length == length) {
                is_whole = end.digest[..] == hash.clone().finalize()[..];
                is_end = true;
            }
            if is_end {
                log.reports.extend(reports.drain(..));
                (log.hash, log.length) = (hash.clone(), length);
            }
        }
        match is_whole {
            true => Ok(log),
            false => Err(altered(&path, "confirmed reports are missing or altered")),
        }
    }

    /// Cuts the file after the reports that were read, and moves its cursor there, where further
    /// reports are written.
    pub(super) fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length)).map(drop)
    }

    /// Writes a report to the end of the log unless it is there; it is durable after
    /// [`Self::sync`]. Returns whether it is new. After an error the log must not be used.
    pub(super) fn insert(&mut self, report: [u8; 16]) -> io::Result<bool> {
        if !self.reports.insert(report) {
            return Ok(false);
        }
        self.is_changed = true;
        self.write(report)?;
        Ok(true)
    }

    /// Writes a record to the end of the log.
    fn write(&mut self, record: [u8; 16]) -> io::Result<()> {
        self.file.write_all(&record)?;
        self.hash.update(record);
        self.length += 16;
        Ok(())
    }

    /// Marks the end of everything written, with the first open window, and makes it durable.
    pub(super) fn mark(&mut self, first: TimeWindow) -> io::Result<()> {
        let mut number = [0; 16];
        number[..8].copy_from_slice(&first.0.to_be_bytes());
        self.write(self.tag)?;
        self.write(number)?;
        self.write(beginning(&self.hash))?;
        self.file.sync_data()?;
        (self.first, self.is_changed) = (first, false);
        Ok(())
    }

    /// Marks everything written and makes it durable, if anything was written since the last call.
    /// Returns whether it was.
    pub(super) fn sync(&mut self, first: TimeWindow) -> io::Result<bool> {
        let is_changed = self.is_changed;
        if is_changed {
            self.mark(first)?;
        }
        Ok(is_changed)
    }

    /// The end of the log, counting everything that was written.
    pub(super) fn end(&self) -> End {
        End { length: self.length, digest: self.hash.clone().finalize().into() }
    }
}

/// The next record of a log; `None` at the end, also in the middle of a record.
fn next(reader: &mut impl io::Read) -> io::Result<Option<[u8; 16]>> {
    let mut record = [0; 16];
    match reader.read_exact(&mut record) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        read => read.map(|()| Some(record)),
    }
}

/// The first 16 bytes of the digest of what the hash has read.
fn beginning(hash: &Sha256) -> [u8; 16] {
    let digest = hash.clone().finalize();
    *digest.first_chunk().expect("16 of 32 bytes")
}

/// The path of the log of `window`.
fn path(directory: &Path, window: TimeWindow) -> PathBuf {
    directory.join(format!("{PREFIX}{}", window.0))
}
