//! The digest of the shares that were released under a name.

use std::fmt::{self, Display, Formatter};

use dp_exact::{ParameterError, hexadecimal, parse_hexadecimal};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A digest of the aggregate shares of one release, whatever their order:
///
/// ```text
/// SHA-256( "dp-ledger shares 1\n" ‖ Σ_shares len(share) ‖ share )
/// ```
///
/// over the encoded shares in ascending order, with lengths as eight octets, the most significant
/// first. The lengths make the text decodable, so that two sets of shares with one digest are a
/// collision of SHA-256. Fresh noise on the same batch gives other shares, and another digest.
///
/// ```
/// use dp_ledger::SharesDigest;
///
/// let digest = SharesDigest::of([&b"leader"[..], b"helper"]);
/// assert_eq!(digest, SharesDigest::of([&b"helper"[..], b"leader"]));
/// assert_ne!(digest, SharesDigest::of([&b"helperleader"[..]]));
/// # assert_eq!(digest.to_string().try_into(), Ok(digest));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SharesDigest([u8; 32]);

impl SharesDigest {
    /// The digest of encoded shares.
    pub fn of<S: AsRef<[u8]>>(shares: impl IntoIterator<Item = S>) -> Self {
        let mut shares: Vec<S> = shares.into_iter().collect();
        shares.sort_unstable_by(|one, other| one.as_ref().cmp(other.as_ref()));
        let mut hash = Sha256::new();
        hash.update(b"dp-ledger shares 1\n");
        for share in &shares {
            let share = share.as_ref();
            hash.update((share.len() as u64).to_be_bytes());
            hash.update(share);
        }
        Self(hash.finalize().into())
    }
}

impl Display for SharesDigest {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.pad(&hexadecimal(&self.0))
    }
}

impl TryFrom<String> for SharesDigest {
    type Error = ParameterError;

    /// Reads the digits that [`Display`] prints.
    fn try_from(text: String) -> Result<Self, ParameterError> {
        let accepted = "64 hexadecimal digits in lower case";
        let digest = parse_hexadecimal(text.as_bytes()).map(Self);
        digest.ok_or_else(|| ParameterError::new("shares", text, accepted))
    }
}

impl From<SharesDigest> for String {
    fn from(digest: SharesDigest) -> Self {
        digest.to_string()
    }
}
