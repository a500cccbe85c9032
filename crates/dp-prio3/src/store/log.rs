//! The spent reports of each time window of a store: a log for each, and its confirmed length.
//!
//! ```text
//! struct { uint32 count; opaque reports[16 * count]; opaque link[32]; } Block;
//! struct { uint64 window; uint64 length; opaque head[32]; } End;
//! struct { opaque digest[32]; uint64 first; End ends<..>; } Confirmed;
//! ```
//!
//! A log has blocks. The link of a block is SHA-256 over the link before and the rest of the block;
//! before the first block it is SHA-256 over the id of the store and the window. So a block is
//! valid only in its position. The confirmed ends are in a file of their own that is replaced as a
//! whole; its digest is SHA-256 over the id of the store and the rest. A log is read to its end:
//! whole blocks beyond the confirmed end count as well.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::{altered, named};
use crate::replay::TimeWindow;

/// The most reports in a block.
pub(super) const BLOCK: usize = 1 << 16;

/// The name of the file with the confirmed ends.
pub(super) const CONFIRMED: &str = "confirmed";

/// A random number that is hashed into every block of a store: files of two stores do not mix.
pub(super) type StoreId = [u8; 16];

/// The end of a log: its length in bytes, and the last link of its chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// In bytes.
    length: u64,
    /// The link of the last block.
    head: [u8; 32],
}

/// The first open time window, and the confirmed end of each log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Confirmed {
    pub(super) first: TimeWindow,
    pub(super) ends: BTreeMap<TimeWindow, End>,
}

impl Confirmed {
    /// Reads the file of the store `id` in `directory`. An error if it is altered.
    pub(super) fn read(directory: &Path, id: &StoreId) -> io::Result<Self> {
        let path = directory.join(CONFIRMED);
        let content = super::read(&path);
        let content = content.map_err(|error| named(&path, error.kind(), &error.to_string()))?;
        Self::decode(&content, id).ok_or_else(|| altered(&path, "it is damaged"))
    }

    /// Replaces the file, durably.
    pub(super) fn write(&self, directory: &Path, id: &StoreId) -> io::Result<()> {
        let bytes = self.encode(id);
        dp_files::replace(&directory.join(CONFIRMED), |file| file.write_all(&bytes))
    }

    /// The bytes of the file: the digest and what it covers.
    fn encode(&self, id: &StoreId) -> Vec<u8> {
        let mut content = self.first.0.to_be_bytes().to_vec();
        for (window, end) in &self.ends {
            content.extend(window.0.to_be_bytes());
            content.extend(end.length.to_be_bytes());
            content.extend(end.head);
        }
        [&digest(id, &content)[..], &content].concat()
    }

    /// The content of a file; `None` if its digest is not that of the store `id`.
    fn decode(bytes: &[u8], id: &StoreId) -> Option<Self> {
        let (written, content) = bytes.split_first_chunk::<32>()?;
        if *written != digest(id, content) {
            return None;
        }
        let (first, rest) = content.split_first_chunk()?;
        let (ends, excess) = rest.as_chunks::<48>();
        if !excess.is_empty() {
            return None;
        }
        let end = |bytes: &[u8; 48]| {
            let (window, rest) = bytes.split_first_chunk()?;
            let (length, rest) = rest.split_first_chunk()?;
            let head = *rest.first_chunk()?;
            let length = u64::from_be_bytes(*length);
            Some((TimeWindow(u64::from_be_bytes(*window)), End { length, head }))
        };
        Some(Self {
            first: TimeWindow(u64::from_be_bytes(*first)),
            ends: ends.iter().map(end).collect::<Option<_>>()?,
        })
    }
}

/// The digest of what follows it in the file with the confirmed ends.
fn digest(id: &StoreId, content: &[u8]) -> [u8; 32] {
    let hash = Sha256::new_with_prefix(b"dp-prio3 confirmed 1").chain_update(id);
    hash.chain_update(content).finalize().into()
}

/// The beginning of a log's name; the number of its window follows.
const PREFIX: &str = "window.";

/// The log of one time window, open for writing.
pub(super) struct Log {
    file: File,
    /// The end of the blocks that were written.
    end: End,
    /// Whether its name may not be on the disk yet.
    is_new: bool,
    /// Whether anything was written since the last sync.
    is_changed: bool,
}

impl Log {
    /// A new log without blocks, whose owner alone may read it. An error if there is one.
    pub(super) fn create(directory: &Path, id: &StoreId, window: TimeWindow) -> io::Result<Self> {
        let options = &mut dp_files::private();
        let file = options.create_new(true).open(name(directory, window))?;
        Ok(Self { file, end: beginning(id, window), is_new: true, is_changed: false })
    }

    /// Reads the log of a window, hands its reports to `take`, and checks that the confirmed end is
    /// one of its blocks' ends. Changes nothing.
    pub(super) fn read(
        directory: &Path,
        id: &StoreId,
        window: TimeWindow,
        confirmed: Option<&End>,
        mut take: impl FnMut(&[u8; 16]) -> bool,
    ) -> io::Result<Self> {
        let path = name(directory, window);
        let file = dp_files::open_regular(&path, File::options().read(true).write(true));
        let file = file.map_err(|error| altered(&path, &error.to_string()))?;
        let mut reader = BufReader::with_capacity(1 << 20, &file);
        let mut end = beginning(id, window);
        let mut found = confirmed.is_none_or(|confirmed| *confirmed == end);
        let mut block = Vec::new();
        while let Some(next) = read_block(&mut reader, &end, &mut block)? {
            let (reports, _) = block.as_chunks();
            for report in reports {
                take(report);
            }
            end = next;
            found |= confirmed.is_some_and(|confirmed| *confirmed == end);
        }
        if !found {
            return Err(altered(&path, "confirmed reports are missing or altered"));
        }
        Ok(Self { file, end, is_new: true, is_changed: true })
    }

    /// Removes the bytes behind the last whole block, which a crash left unconfirmed.
    pub(super) fn cut(&mut self) -> io::Result<()> {
        if self.file.metadata()?.len() > self.end.length {
            self.file.set_len(self.end.length)?;
        }
        self.file.seek(SeekFrom::Start(self.end.length)).map(drop)
    }

    /// Writes reports behind the others; they are on the disk after [`Self::sync`].
    pub(super) fn append(&mut self, reports: &[[u8; 16]]) -> io::Result<()> {
        for reports in reports.chunks(BLOCK) {
            let count = u32::try_from(reports.len()).map_err(io::Error::other)?;
            let mut block = count.to_be_bytes().to_vec();
            block.extend_from_slice(reports.as_flattened());
            let link = link(&self.end.head, &block);
            block.extend(link);
            self.is_changed = true;
            self.file.write_all(&block)?;
            self.end = End { length: self.end.length + block.len() as u64, head: link };
        }
        Ok(())
    }

    /// Waits until everything is on the disk. Returns whether anything was written.
    pub(super) fn sync(&mut self) -> io::Result<bool> {
        if self.is_changed {
            self.file.sync_data()?;
        }
        self.is_new = false;
        Ok(std::mem::take(&mut self.is_changed))
    }

    /// Whether the log's name may not be on the disk yet.
    pub(super) const fn is_new(&self) -> bool {
        self.is_new
    }

    /// The end of the blocks that were written.
    pub(super) const fn end(&self) -> End {
        self.end
    }
}

/// The end of a window's log that has no blocks.
fn beginning(id: &StoreId, window: TimeWindow) -> End {
    let hash = Sha256::new_with_prefix(b"dp-prio3 window 1").chain_update(id);
    End { length: 0, head: hash.chain_update(window.0.to_be_bytes()).finalize().into() }
}

/// The link of a block, where `before` is the link of the block before, and `block` all of it but the link.
fn link(before: &[u8; 32], block: &[u8]) -> [u8; 32] {
    let hash = Sha256::new_with_prefix(before).chain_update(block);
    hash.finalize().into()
}

/// Reads the reports of the block after `end` into `reports`. Returns the end of that block; `None` if there
/// is no whole block with the right link.
fn read_block(reader: &mut impl Read, end: &End, reports: &mut Vec<u8>) -> io::Result<Option<End>> {
    let mut count = [0; 4];
    if !fill(reader, &mut count)? {
        return Ok(None);
    }
    let length = usize::try_from(u32::from_be_bytes(count)).map_err(io::Error::other)?;
    // No block has this length: allocate nothing for it.
    if length == 0 || length > BLOCK {
        return Ok(None);
    }
    reports.resize(16 * length, 0);
    let mut written = [0; 32];
    if !fill(reader, reports)? || !fill(reader, &mut written)? {
        return Ok(None);
    }
    let hash = Sha256::new_with_prefix(end.head).chain_update(count).chain_update(&*reports);
    let head: [u8; 32] = hash.finalize().into();
    let length = end.length + 4 + reports.len() as u64 + 32;
    Ok((head == written).then_some(End { length, head }))
}

/// Fills `bytes`. Returns whether there were enough.
fn fill(reader: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The path of a window's log.
fn name(directory: &Path, window: TimeWindow) -> PathBuf {
    directory.join(format!("{PREFIX}{window}"))
}

/// The windows that have a log.
pub(super) fn windows(directory: &Path) -> io::Result<BTreeSet<TimeWindow>> {
    let mut windows = BTreeSet::new();
    for entry in fs::read_dir(directory)? {
        windows.extend(entry?.file_name().to_str().and_then(window_of));
    }
    Ok(windows)
}

/// The window whose log has this file name; `None` if it is not exactly the name of one.
pub(super) fn window_of(name: &str) -> Option<TimeWindow> {
    let digits = name.strip_prefix(PREFIX)?;
    let number: u64 = digits.parse().ok()?;
    (number.to_string() == digits).then_some(TimeWindow(number))
}

/// Removes the logs of all windows before `first`.
pub(super) fn remove_before(directory: &Path, first: TimeWindow) -> io::Result<()> {
    for window in windows(directory)?.range(..first) {
        fs::remove_file(name(directory, *window))?;
    }
    Ok(())
}
