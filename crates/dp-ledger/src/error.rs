//! Why a ledger or its file is not used.

use std::io;
use std::path::Path;

use dp_calibration::{Adjacency, Error, TrustModel};
use dp_exact::{ParameterError, shown};
use dp_files::Forked;

use crate::{Cost, Head, VERSION};

/// Why a ledger does not take an entry, or its file is not used. One line each; what is quoted of a
/// path is escaped and cut.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum LedgerError {
    /// There is not enough left; nothing was spent.
    #[error("{name} does not fit: {wanted}; left is {left} of {limit}")]
    Overspend { name: String, wanted: Box<Cost>, left: String, limit: Box<Cost> },
    /// A release of this name was recorded with another guarantee.
    #[error("{name} was recorded before with another guarantee, which cost {spent}")]
    Conflict { name: String, spent: Box<Cost> },
    /// A release of this name was recorded with other shares.
    #[error("{name} was recorded before for other shares: a name stands for one release")]
    OtherShares { name: String },
    /// The ledger takes a number of equal releases, and this release is not equal to them.
    #[error(
        "{name} is a release of {found}: the ledger was created for {expected}, with its noise"
    )]
    NotScheduled { name: String, expected: String, found: String },
    /// The guarantee is about another neighbour relation, and no theorem turns it into one of the
    /// ledger's.
    #[error("{name} guarantees privacy under {guaranteed}: the ledger is for {expected}")]
    Adjacency { name: String, guaranteed: Adjacency, expected: Adjacency },
    /// The guarantee trusts somebody whom the ledger does not trust.
    #[error("{name} guarantees privacy under {guaranteed}: the ledger is for {expected}")]
    TrustModel { name: String, guaranteed: TrustModel, expected: TrustModel },
    /// The mechanism is noise of aggregators, and the trust model has no honest one: everybody whom
    /// it does not trust together knows all of the noise.
    #[error(
        "{name} is noise of aggregators, which guarantees nothing under {guaranteed}: expected a trust model \
         with an honest aggregator, such as OAOC, or noise of clients"
    )]
    NoHonestAggregator { name: String, guaranteed: TrustModel },
    /// The budget is of another kind than the rule adds up, or cannot be converted.
    #[error(transparent)]
    Kind(#[from] Error),
    /// A name, an amount or a description is out of its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The file cannot be read or written; nothing is confirmed.
    #[error("{path}: {source}")]
    File { path: String, source: io::Error },
    /// There is something under this path already; a ledger is not begun there.
    #[error("{path}: exists already: a ledger begins in a file that does not")]
    Exists { path: String },
    /// The path leads to something else than a ledger. It was not touched.
    #[error("{path}: not a ledger: {reason}")]
    NotALedger { path: String, reason: String },
    /// The ledger is of a version of the format that is not read. It was not touched.
    #[error("{path}: a ledger of format version {version}: expected version 3 or {VERSION}")]
    OtherFormat { path: String, version: u64 },
    /// The ledger was altered or cut after it was written. It was not touched.
    #[error(
        "{path}: damaged: {reason}: take the last good copy, and record in it what it lacks before any release"
    )]
    Damaged { path: String, reason: String },
    /// The process was forked from the one that opened or began the ledger, which alone may spend
    /// from it.
    #[error(transparent)]
    Forked(#[from] Forked),
    /// Another process has the ledger open.
    #[error("{path}: in use by another process, which `fuser` or `lsof` names")]
    InUse { path: String },
    /// The file was deleted, replaced or written by others while it was open. Nothing is confirmed.
    #[error("{path}: {reason} while it was open: nothing is confirmed, open it again")]
    Changed { path: String, reason: &'static str },
    /// The ledger is older than the state that its caller remembers, or another one.
    #[error("{path}: does not continue the state {expected}: an older copy, or another ledger")]
    RolledBack { path: String, expected: Head },
}

impl LedgerError {
    /// The operating system's error about the file at `path`.
    pub(crate) fn file(path: &Path, source: io::Error) -> Self {
        let path = shown(path);
        Self::File { path, source }
    }

    /// The refusal of a file at `path` that is no ledger.
    pub(crate) fn not_a_ledger(path: &Path, reason: impl Into<String>) -> Self {
        Self::NotALedger { path: shown(path), reason: reason.into() }
    }

    /// The refusal to write to a ledger at `path` that is not as it was left.
    pub(crate) fn changed(path: &Path, reason: &'static str) -> Self {
        let path = shown(path);
        Self::Changed { path, reason }
    }
}
