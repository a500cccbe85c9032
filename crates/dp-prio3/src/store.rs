//! Stores on the disk for an aggregator that restarts (feature `store`).
//!
//! [`DirectoryReleases`] keeps every released aggregate share, so that a batch is released once,
//! with one noise ([`Aggregator::released`](crate::Aggregator::released)). [`DirectoryReports`]
//! keeps the seen reports, so that each counts once.
//!
//! ```
//! use std::sync::Arc;
//!
//! use dp_prio3::store::{DirectoryReleases, DirectoryReports};
//! use dp_prio3::{Aggregator, AggregatorNoise, Budget, Policy, Stores, Vdaf, VerifyKey};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path();
//! let histogram = Vdaf::Histogram { aggregators: 2, length: 5, chunk_length: None };
//! let budget = Budget::Pure { epsilon: "1".parse()? };
//! let policy = Policy::with_noise(histogram, AggregatorNoise::DiscreteLaplace { budget })?;
//! // Reports of 8 days at a time. After a restart `open` both.
//! let seen = Arc::new(DirectoryReports::create(path.join("seen"), 8)?);
//! let releases = Arc::new(DirectoryReleases::create(path.join("releases"))?);
//! let stores = Stores::new(seen, releases);
//! let leader = Aggregator::new(policy, 0, VerifyKey::random()?, b"a task", stores)?;
//! // After a restart the reports of a day are refused, and its released share is still there.
//! assert_eq!(leader.released(&"2026-07-01".parse()?)?, None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **After a restart** open the stores, do not create them: an empty store takes every report
//! again. Go on with the same verification key: reports spent after the last `sync` may be
//! forgotten, and another key would show the other aggregators a second view of such a report
//! (`docs/binding.md`, Corollary 3). **After a disk error** check the disk before the store is
//! opened again: some systems report a failed write once.
//!
//! Embedded databases cut their journal at the first entry that they cannot decode; a store of
//! spent reports must stop instead. Implement [`SeenReports`](crate::replay::SeenReports) on one
//! only so.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

mod log;
mod releases;
mod reports;

pub use releases::DirectoryReleases;
pub use reports::DirectoryReports;

/// The content of a regular file. `Err` for others: a pipe would block for ever, a device might
/// never end.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let file = dp_files::open_regular(path, File::options().read(true))?;
    { file }.read_to_end(&mut content)?;
    Ok(content)
}

/// Adds the path to an error of the operating system; other errors have a path already.
fn at(path: &Path, error: io::Error) -> io::Error {
    if error.raw_os_error().is_none() {
        return error;
    }
    named(path, error.kind(), &error.to_string())
}

/// An error of this kind with the text "path: what".
fn named(path: &Path, kind: io::ErrorKind, what: &str) -> io::Error {
    io::Error::new(kind, format!("{}: {what}", path.display()))
}

/// The error that the file at `path` was altered, with `what` as the reason.
fn altered(path: &Path, what: &str) -> io::Error {
    named(path, io::ErrorKind::InvalidData, what)
}
