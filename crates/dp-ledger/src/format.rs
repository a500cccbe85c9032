//! The file: format version 3, and version 4 of a ledger with a schedule.
//!
//! ```text
//! {"format":"dp-ledger","version":…,"terms":{"limit":…,"adjacency":…,"trust_model":…,"rule":…}} CHAIN
//! slot ENTRIES LENGTH CHAIN CHECK
//! slot ENTRIES LENGTH CHAIN CHECK
//! {"name":…,"shares":…,"release":{"budget":…,…,"charge":…}} CHAIN
//! …
//! ```
//!
//! Every CHAIN is 32 hexadecimal digits: the first 16 octets of SHA-256 over the one before and the
//! line's JSON, as octets; before the first line stands the version. The checksums guard against
//! damage, not against a program that computes them.
//!
//! Two slots of fixed size keep how many entries are confirmed, the file's length, and the last
//! CHAIN. They are written alternately, each once the lines that it counts are on the disk, so that
//! one of them is whole at any moment. Neither may count a line that is missing. All sound lines
//! are taken, also those that neither counts: they are on the disk. What no crash leaves is
//! refused: a line behind a torn one, or a torn line beside a torn slot.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::sync::Arc;

use dp_calibration::check_name;
use dp_exact::{ParameterError, hexadecimal, parse_hexadecimal};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest as _, Sha256};

use crate::ledger::ChargedRelease;
use crate::{Cost, Entry, Ledger, LedgerError, Release, Rule, SharesDigest, Terms};

/// The newest version of the file's format.
pub const VERSION: u64 = 4;

/// The version of the file's format for terms that it can express: an earlier program reads it.
const VERSION_WITHOUT_SCHEDULE: u64 = 3;

/// The longest line of a ledger's file, in bytes: 32 KiB. Two fractions of 4096 bits in a budget,
/// two in a mechanism and three in a cost fit.
pub const MAX_LINE: u64 = 1 << 15;

/// The largest file that is read or written, in bytes: 1 GiB, some two million entries.
pub const MAX_FILE: u64 = 1 << 30;

/// The first bytes of the first line.
pub(crate) const MAGIC: &[u8] = b"{\"format\":\"dp-ledger\",";

/// Hexadecimal digits of a [`Chain`].
const CHAIN_DIGITS: usize = 32;

/// The bytes of a slot, its end included.
pub(crate) const SLOT: usize = 4 + 4 + 2 * 20 + 2 * CHAIN_DIGITS + 1;

/// Whether a file that begins like this is a ledger, of any version, also one to which somebody has
/// added white space: a program that writes other files must not replace it.
///
/// ```
/// assert!(dp_ledger::is_ledger(b"{\"format\":\"dp-ledger\",\"version\":3,"));
/// assert!(!dp_ledger::is_ledger(b"{\"format\":\"dp-cli plan\","));
/// ```
#[must_use]
pub fn is_ledger(beginning: &[u8]) -> bool {
    let text = beginning.iter().filter(|byte| !byte.is_ascii_whitespace());
    text.take(MAGIC.len()).eq(MAGIC)
}

/// A checksum of everything up to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain([u8; 16]);

impl Chain {
    /// The checksum before the first line of a file of this format version.
    pub(crate) fn start(version: u64) -> Self {
        Self::truncated(Sha256::new_with_prefix(format!("dp-ledger {version}\n")))
    }

    /// The checksum after one more line with the JSON `line`.
    pub(crate) fn extended(self, line: &[u8]) -> Self {
        Self::truncated(Sha256::new_with_prefix(self.0).chain_update(line))
    }

    /// The checksum of a slot's `text`; `self` is the checksum of the first line.
    fn beside(self, text: &[u8]) -> Self {
        let hash = Sha256::new_with_prefix(b"slot").chain_update(self.0);
        Self::truncated(hash.chain_update(text))
    }

    /// The first 16 bytes of a hash.
    fn truncated(hash: Sha256) -> Self {
        let mut first = [0; 16];
        first.copy_from_slice(&hash.finalize()[..16]);
        Self(first)
    }
}

impl Display for Chain {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hexadecimal(&self.0))
    }
}

/// A state of a ledger's file: the number of its entries, and the checksum of all of them.
///
/// A caller that keeps the last one in another place notices when the whole file is taken back to
/// an older copy, which nothing inside the file can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The number of entries.
    pub entries: u64,
    pub(crate) chain: Chain,
}

impl Display for Head {
    /// The number of entries, a colon, and 32 hexadecimal digits.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.entries, self.chain)
    }
}

impl FromStr for Head {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let parts = text.split_once(':').and_then(|(entries, chain)| {
            let entries: u64 = entries.parse().ok()?;
            let chain = Chain(parse_hexadecimal(chain.as_bytes())?);
            Some(Self { entries, chain })
        });
        let accepted = "a number of entries, a colon and 32 hexadecimal digits, as show prints it";
        parts.ok_or_else(|| ParameterError::new("head", text, accepted))
    }
}

/// The state of a ledger's file after one of its entries, or after none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// The number of entries.
    pub(crate) entries: u64,
    /// The length of the file in bytes, up to the end of the last line.
    pub(crate) length: u64,
    /// The checksum of the last line.
    pub(crate) chain: Chain,
}

impl State {
    /// The part of this state that a caller may keep elsewhere.
    pub(crate) const fn head(&self) -> Head {
        Head { entries: self.entries, chain: self.chain }
    }

    /// The state after one more entry is appended. `line` is its line with the line feed, and
    /// `chain` is the checksum in that line.
    pub(crate) const fn after(&self, line: &[u8], chain: Chain) -> Self {
        Self { entries: self.entries + 1, length: self.length + line.len() as u64, chain }
    }

    /// The bytes of line 2 or 3 of the file if it records this state. `start` is the checksum of
    /// the first line.
    pub(crate) fn slot(&self, start: Chain) -> Vec<u8> {
        let (entries, length, chain) = (self.entries, self.length, self.chain);
        let text = format!("slot {entries:020} {length:020} {chain} ");
        let check = start.beside(text.as_bytes());
        format!("{text}{check}\n").into_bytes()
    }

    /// The state in a slot, if it is whole.
    pub(crate) fn read(slot: &[u8], start: Chain) -> Option<Self> {
        let text = std::str::from_utf8(slot).ok()?;
        let mut words = text.strip_prefix("slot ")?.split(' ');
        let state = Self {
            entries: words.next()?.parse().ok()?,
            length: words.next()?.parse().ok()?,
            chain: Chain(parse_hexadecimal(words.next()?.as_bytes())?),
        };
        // One text for each state: anything else is altered.
        (state.slot(start) == slot).then_some(state)
    }
}

/// The JSON of the first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FirstLine<'a> {
    #[serde(borrow)]
    format: Cow<'a, str>,
    version: u64,
    terms: Cow<'a, Terms>,
}

/// The JSON of an entry's line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryLine<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shares: Option<SharesDigest>,
    /// A [`WrittenRelease`].
    #[serde(borrow)]
    release: &'a RawValue,
}

/// The JSON of a release and its cost, inside an entry's line.
#[derive(Serialize, Deserialize)]
struct WrittenRelease<'a> {
    #[serde(flatten)]
    release: Cow<'a, Release>,
    charge: Cost,
}

/// The first line of a ledger for `terms`, with its checksum and line feed; and that checksum, with
/// which the chain of all later lines begins.
pub(crate) fn first_line(terms: &Terms) -> Result<(Vec<u8>, Chain), LedgerError> {
    let version = match terms.rule {
        Rule::Scheduled { .. } => VERSION,
        _ => VERSION_WITHOUT_SCHEDULE,
    };
    let (format, terms) = (Cow::Borrowed("dp-ledger"), Cow::Borrowed(terms));
    sealed(Chain::start(version), &FirstLine { format, version, terms })
}

/// Whether a file of this format version is read.
pub(crate) const fn is_read(version: u64) -> bool {
    matches!(version, VERSION_WITHOUT_SCHEDULE | VERSION)
}

/// The format version that a first line names; `None` if it names none.
pub(crate) fn version_of(line: &[u8]) -> Option<u64> {
    let digits = line.strip_prefix(MAGIC)?.strip_prefix(b"\"version\":")?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
}

/// The terms in the JSON of a first line whose checksum agrees; `Err` names the line if it holds
/// none.
pub(crate) fn terms(json: &[u8]) -> Result<Terms, String> {
    let first = serde_json::from_slice::<FirstLine<'_>>(json);
    let first = first.map_err(|_| "line 1".to_owned())?;
    Ok(first.terms.into_owned())
}

/// The line of an entry with its checksum and line feed, and the checksum by itself. `before` is
/// the checksum of the previous line. `Err` for a line of more than [`MAX_LINE`] bytes.
pub(crate) fn entry_line(
    before: Chain,
    entry: &Entry,
    terms: &Terms,
) -> Result<(Vec<u8>, Chain), LedgerError> {
    let release = Cow::Borrowed(entry.release());
    let charge = terms.exact_cost(entry.booking.amounts.clone());
    let release = to_raw_value(&WrittenRelease { release, charge });
    let line = EntryLine {
        name: Cow::Borrowed(entry.name()),
        shares: entry.shares().copied(),
        release: &release.map_err(|error| refused(&error))?,
    };
    sealed(before, &line)
}

/// `value` as JSON with its checksum and a line feed, and the checksum by itself. Refuses more than
/// [`MAX_LINE`] bytes.
fn sealed(before: Chain, value: &impl Serialize) -> Result<(Vec<u8>, Chain), LedgerError> {
    let mut line = serde_json::to_vec(value).map_err(|error| refused(&error))?;
    let chain = before.extended(&line);
    line.extend_from_slice(format!(" {chain}\n").as_bytes());
    if line.len() as u64 > MAX_LINE {
        return Err(refused(&line.len()));
    }
    Ok((line, chain))
}

/// The refusal of a line, by its length or the reason why it is none.
fn refused(found: &dyn Display) -> LedgerError {
    ParameterError::new("entry", found, "a line of at most 32768 bytes").into()
}

/// The JSON of a `line` that ends in its checksum and a line feed, and the checksum. `None` unless
/// the checksum follows from `before`, the checksum of the previous line.
pub(crate) fn unsealed(before: Chain, line: &[u8]) -> Option<(&[u8], Chain)> {
    let line = line.strip_suffix(b"\n")?;
    let (json, digits) = line.split_at(line.len().checked_sub(CHAIN_DIGITS)?);
    let json = json.strip_suffix(b" ")?;
    let chain = before.extended(json);
    (parse_hexadecimal(digits) == Some(chain.0)).then_some((json, chain))
}

/// The entry in the JSON of a line of this ledger's file; else why it is none, in words. `last` is
/// the release that was parsed before, with its JSON: consecutive entries with one text share it.
pub(crate) fn entry(
    json: &[u8],
    ledger: &Ledger,
    last: &mut Option<(String, Arc<ChargedRelease>)>,
) -> Result<Entry, String> {
    let found: EntryLine<'_> = serde_json::from_slice(json).map_err(in_words)?;
    check_name("name", &found.name).map_err(in_words)?;
    let text = found.release.get();
    let booking = match last {
        Some((last, booking)) if last == text => Arc::clone(booking),
        _ => {
            let booking = Arc::new(charged_release(text, ledger)?);
            *last = Some((text.to_owned(), Arc::clone(&booking)));
            booking
        }
    };
    Ok(Entry { name: found.name.into(), booking, shares: found.shares })
}

/// The release and its cost in the JSON `text`; else why it holds none, in words.
fn charged_release(text: &str, ledger: &Ledger) -> Result<ChargedRelease, String> {
    let found: WrittenRelease<'_> = serde_json::from_str(text).map_err(in_words)?;
    let (release, terms) = (found.release.into_owned(), ledger.terms());
    let amounts = terms.recorded(found.charge, &release.budget).map_err(in_words)?;
    Ok(ChargedRelease::new(terms, release, amounts))
}

/// The text of an error.
fn in_words(error: impl Display) -> String {
    error.to_string()
}
