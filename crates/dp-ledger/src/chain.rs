//! The checksums: each line carries one that depends on all lines before it.
//!
//! Of SHA-256 the first 16 octets are kept. They guard against damage, not against forgery: whoever
//! can write the file can compute them as well.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use dp_exact::{ParameterError, hexadecimal};
use sha2::{Digest as _, Sha256};

/// Hexadecimal digits of a [`Chain`].
pub(crate) const CHAIN_DIGITS: usize = 32;

/// A checksum of everything up to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain([u8; 16]);

impl Chain {
    /// Before the first line of a file of this version of the format.
    pub(crate) fn start(version: u64) -> Self {
        Self::truncated(Sha256::new_with_prefix(format!("dp-ledger {version}\n")))
    }

    /// After a further line.
    pub(crate) fn extended(self, line: &[u8]) -> Self {
        Self::truncated(Sha256::new_with_prefix(self.0).chain_update(line))
    }

    /// The checksum of a text that is not a line, such as a slot.
    pub(crate) fn beside(self, text: &[u8]) -> Self {
        let hash = Sha256::new_with_prefix(b"slot").chain_update(self.0);
        Self::truncated(hash.chain_update(text))
    }

    fn truncated(hash: Sha256) -> Self {
        let mut first = [0; 16];
        first.copy_from_slice(&hash.finalize()[..16]);
        Self(first)
    }

    /// Reads [`Chain`]'s digits, and nothing else.
    pub(crate) fn parse(digits: &[u8]) -> Option<Self> {
        parse_hexadecimal(digits).map(Self)
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
    pub(crate) entries: u64,
    pub(crate) chain: Chain,
}

impl Head {
    /// How many entries the ledger had.
    #[must_use]
    pub const fn entries(&self) -> u64 {
        self.entries
    }
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
            let chain = Chain::parse(chain.as_bytes())?;
            Some(Self { entries, chain })
        });
        let accepted = "a number of entries, a colon and 32 hexadecimal digits, as show prints it";
        parts.ok_or_else(|| ParameterError::new("head", text, accepted))
    }
}

/// Bytes from twice as many digits in lower case: one text for each value, so that no altered digit
/// goes unnoticed.
pub(crate) fn parse_hexadecimal<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    Some(bytes)
}
