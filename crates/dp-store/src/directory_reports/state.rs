//! How far each log is confirmed, kept outside of the logs, in two files that are written alternately.
//!
//! ```text
//! struct { uint64 window; uint64 length; opaque head[32]; } End;
//! struct { opaque digest[32]; uint64 number; uint64 first; End ends<..>; } State;
//! ```
//!
//! The digest is SHA-256 over the id of the store and the rest. Of the two files the one with the higher
//! number counts; if it is damaged the other does. That one says less, which loses nothing: a log is
//! read to its end, beyond what is confirmed, and what is whole there counts as well.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use dp_prio3::replay::Window;
use sha2::{Digest as _, Sha256};

use super::marker::StoreId;
use super::{altered, named};
use crate::regular;

/// Where a log ends: its bytes, and the last value of its chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) length: u64,
    pub(super) head: [u8; 32],
}

/// What a state says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Confirmed {
    pub(super) first: Window,
    pub(super) ends: BTreeMap<Window, End>,
}

impl Confirmed {
    pub(super) fn windows(&self) -> BTreeSet<Window> {
        self.ends.keys().copied().collect()
    }
}

/// The number of the state that was written last.
pub(super) struct State {
    number: u64,
}

impl State {
    /// The first state, in both places.
    pub(super) fn create(directory: &Path, id: &StoreId) -> io::Result<()> {
        let nothing = Confirmed {
            first: Window(0),
            ends: BTreeMap::new(),
        };
        let mut state = Self { number: 0 };
        for _ in 0..2 {
            state.write(directory, id, &nothing)?;
        }
        Ok(())
    }

    pub(super) fn open(directory: &Path, id: &StoreId) -> io::Result<(Self, Confirmed)> {
        let mut newest: Option<(u64, Confirmed)> = None;
        for place in 0..2 {
            let path = name(directory, place);
            let content = regular::read(&path)
                .map_err(|error| named(&path, error.kind(), &error.to_string()))?;
            if let Some(found) = decode(&content, id)
                && newest.as_ref().is_none_or(|(number, _)| *number < found.0)
            {
                newest = Some(found);
            }
        }
        match newest {
            Some((number, confirmed)) => Ok((Self { number }, confirmed)),
            None => Err(altered(directory, "both states of the store are damaged")),
        }
    }

    /// Writes the next state in place of the older one. When this returns it is on the disk.
    pub(super) fn write(
        &mut self,
        directory: &Path,
        id: &StoreId,
        confirmed: &Confirmed,
    ) -> io::Result<()> {
        let number = self.number + 1;
        let options = &mut regular::private();
        let place = name(directory, number % 2);
        let mut file = options.create(true).truncate(true).open(place)?;
        file.write_all(&encode(number, confirmed, id))?;
        file.sync_all()?;
        self.number = number;
        Ok(())
    }
}

fn name(directory: &Path, place: u64) -> PathBuf {
    directory.join(format!("state.{place}"))
}

/// Whether a file of this name is a state.
pub(super) fn is_name(name: &str) -> bool {
    ["state.0", "state.1"].contains(&name)
}

fn digest(id: &StoreId, content: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"dp-store state 1");
    hash.update(id);
    hash.update(content);
    hash.finalize().into()
}

fn encode(number: u64, confirmed: &Confirmed, id: &StoreId) -> Vec<u8> {
    let mut content = [number.to_be_bytes(), confirmed.first.0.to_be_bytes()].concat();
    for (window, end) in &confirmed.ends {
        content.extend(window.0.to_be_bytes());
        content.extend(end.length.to_be_bytes());
        content.extend(end.head);
    }
    [&digest(id, &content)[..], &content].concat()
}

fn decode(bytes: &[u8], id: &StoreId) -> Option<(u64, Confirmed)> {
    let (written, content) = bytes.split_first_chunk::<32>()?;
    if *written != digest(id, content) {
        return None;
    }
    let (number, rest) = content.split_first_chunk()?;
    let (first, rest) = rest.split_first_chunk()?;
    let (ends, excess) = rest.as_chunks::<48>();
    if !excess.is_empty() {
        return None;
    }
    let end = |bytes: &[u8; 48]| {
        let (window, rest) = bytes.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (head, _) = rest.split_first_chunk()?;
        let length = u64::from_be_bytes(*length);
        let end = End {
            length,
            head: *head,
        };
        Some((Window(u64::from_be_bytes(*window)), end))
    };
    let confirmed = Confirmed {
        first: Window(u64::from_be_bytes(*first)),
        ends: ends.iter().map(end).collect::<Option<_>>()?,
    };
    Some((u64::from_be_bytes(*number), confirmed))
}
