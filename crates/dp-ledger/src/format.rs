//! The file: format version 3.
//!
//! ```text
//! {"format":"dp-ledger","version":3,"terms":{"limit":…,"adjacency":…,"trust_model":…,"rule":…}} CHAIN
//! slot ENTRIES LENGTH CHAIN CHECK
//! slot ENTRIES LENGTH CHAIN CHECK
//! {"name":…,"shares":…,"release":{"budget":…,…,"charge":…}} CHAIN
//! …
//! ```
//!
//! Every CHAIN is 32 hexadecimal digits: the first 16 octets of SHA-256 over the one before and the
//! line's JSON, as octets. So an altered line does not agree with its own CHAIN, nor any after it.
//! That the last lines are missing no line can tell: the two slots, of fixed size, keep how many
//! entries were confirmed, the file's length, and the last CHAIN ([`crate::slots`]).
//!
//! The first CHAIN of a version depends on its number.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use dp_calibration::{Adjacency, Budget, TrustModel};
use dp_exact::ParameterError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::chain::{CHAIN_DIGITS, Chain};
use crate::charge::Charge;
use crate::entry::Booking;
use crate::name::Name;
use crate::{Cost, Entry, LedgerError, Mechanism, Release, SharesDigest, Terms};

/// The version of the file's format.
pub const VERSION: u64 = 3;

/// The longest line of a ledger's file, in bytes: 16 KiB. Two fractions of 4096 bits in a budget and
/// two in a mechanism fit.
pub const MAX_LINE: u64 = 1 << 14;

/// The largest file that is read or written, in bytes: 1 GiB, some two million entries.
pub const MAX_FILE: u64 = 1 << 30;

/// How the first line begins.
pub(crate) const MAGIC: &[u8] = b"{\"format\":\"dp-ledger\",";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FirstLine<'a> {
    #[serde(borrow)]
    format: Cow<'a, str>,
    version: u64,
    terms: Cow<'a, Terms>,
}

#[derive(Serialize)]
struct WrittenEntry<'a, C> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<&'a SharesDigest>,
    release: WrittenBooking<'a, C>,
}

/// A client's own cost in words, as [`Cost`] is written.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum WrittenOwn<'a> {
    Concentrated { rho: &'a str, delta: &'static str },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FoundEntry<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(default)]
    shares: Option<SharesDigest>,
    #[serde(borrow)]
    release: &'a RawValue,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenBooking<'a, C = Cost> {
    budget: Cow<'a, Budget>,
    adjacency: Adjacency,
    trust_model: TrustModel,
    mechanism: Cow<'a, Mechanism>,
    minimum_batch: u64,
    charge: C,
}

/// The first line, with its end.
pub(crate) fn first_line(terms: &Terms) -> Result<(Vec<u8>, Chain), LedgerError> {
    let format = Cow::Borrowed("dp-ledger");
    let terms = Cow::Borrowed(terms);
    let line = FirstLine {
        format,
        version: VERSION,
        terms,
    };
    sealed(Chain::start(VERSION), &line)
}

/// Reads JSON whose objects have named fields: an array of their values is none.
pub(crate) fn read<'a, T: Deserialize<'a>>(json: &'a [u8]) -> serde_json::Result<T> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let value = T::deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

#[derive(Deserialize)]
struct Version {
    version: u64,
}

/// The version that a whole first line names, if its checksum is that of the version.
pub(crate) fn version_of(line: &[u8]) -> Option<u64> {
    let json = line.get(..line.len().checked_sub(CHAIN_DIGITS + 2)?)?;
    let Version { version } = read(json).ok()?;
    unsealed(Chain::start(version), line).map(|_| version)
}

/// The terms in a first line whose checksum agrees.
pub(crate) fn terms(json: &[u8]) -> Result<Terms, String> {
    let line = || "line 1".to_owned();
    let Version { version } = read(json).map_err(|_| line())?;
    if version != VERSION {
        return Err(format!(
            "it is of format version {version}, and this program reads {VERSION}"
        ));
    }
    let first: FirstLine = read(json).map_err(|_| line())?;
    Ok(first.terms.into_owned())
}

/// The line of an entry, with its end.
pub(crate) fn entry_line(before: Chain, entry: &Entry) -> Result<(Vec<u8>, Chain), LedgerError> {
    line_of(before, entry, entry.charge()?)
}

/// The line of an entry that cost `rho`, in words of the same length whatever it is.
pub(crate) fn own_line(
    before: Chain,
    entry: &Entry,
    rho: &str,
) -> Result<(Vec<u8>, Chain), LedgerError> {
    line_of(before, entry, WrittenOwn::Concentrated { rho, delta: "0" })
}

fn line_of(
    before: Chain,
    entry: &Entry,
    charge: impl Serialize,
) -> Result<(Vec<u8>, Chain), LedgerError> {
    let release = entry.release();
    let booking = WrittenBooking {
        budget: Cow::Borrowed(&release.budget),
        adjacency: release.adjacency,
        trust_model: release.trust_model,
        mechanism: Cow::Borrowed(&release.mechanism),
        minimum_batch: release.minimum_batch,
        charge,
    };
    let entry = WrittenEntry {
        name: entry.name(),
        shares: entry.shares(),
        release: booking,
    };
    sealed(before, &entry)
}

fn sealed(before: Chain, value: &impl Serialize) -> Result<(Vec<u8>, Chain), LedgerError> {
    let refused = |size: &dyn std::fmt::Display| {
        let accepted = "a line of at most 16384 bytes";
        ParameterError::new("entry", size, accepted)
    };
    let mut line = serde_json::to_vec(value).map_err(|error| refused(&error))?;
    let chain = before.extended(&line);
    line.extend_from_slice(format!(" {chain}\n").as_bytes());
    if line.len() as u64 > MAX_LINE {
        return Err(refused(&line.len()).into());
    }
    Ok((line, chain))
}

/// The JSON of a whole line with its end, if its checksum agrees.
pub(crate) fn unsealed(before: Chain, line: &[u8]) -> Option<(&[u8], Chain)> {
    let line = line.strip_suffix(b"\n")?;
    let (json, digits) = line.split_at(line.len().checked_sub(CHAIN_DIGITS)?);
    let json = json.strip_suffix(b" ")?;
    let chain = before.extended(json);
    (Chain::parse(digits) == Some(chain)).then_some((json, chain))
}

/// Reads entries. Releases that are written alike are read once.
#[derive(Debug, Default)]
pub(crate) struct EntryReader {
    known: HashMap<Box<str>, Arc<Booking>>,
}

/// How many releases are remembered.
const REMEMBERED: usize = 1 << 12;

impl EntryReader {
    /// The entry in a line whose checksum agrees, in a ledger with this limit.
    pub(crate) fn entry(&mut self, json: &[u8], limit: &Charge) -> Result<Entry, String> {
        let found: FoundEntry = read(json).map_err(|error| error.to_string())?;
        Ok(Entry {
            name: Name::new(&found.name).map_err(|error| error.to_string())?,
            booking: self.booking(found.release.get(), limit)?,
            shares: found.shares,
        })
    }

    fn booking(&mut self, text: &str, limit: &Charge) -> Result<Arc<Booking>, String> {
        if let Some(known) = self.known.get(text) {
            return Ok(Arc::clone(known));
        }
        let found: WrittenBooking = read(text.as_bytes()).map_err(|error| error.to_string())?;
        let charge = Charge::of_cost(&found.charge).map_err(|error| error.to_string())?;
        if !charge.is_of_the_kind_of(limit) {
            return Err(format!("{}: expected {}", found.charge, limit.accepted()));
        }
        let release = Release {
            budget: found.budget.into_owned(),
            adjacency: found.adjacency,
            trust_model: found.trust_model,
            mechanism: found.mechanism.into_owned(),
            minimum_batch: found.minimum_batch,
        };
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        let booking = Arc::new(Booking { release, charge });
        self.known.insert(text.into(), Arc::clone(&booking));
        Ok(booking)
    }
}
