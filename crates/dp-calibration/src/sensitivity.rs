//! How far one client can move an aggregate.

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

/// The largest norms of x − y over the contributions x and y of one client in neighbouring
/// batches. Exact integers, in the unit of the aggregate.
///
/// The L2 norm is kept squared, so that √2 stays exact. The three maxima need not be reached by
/// the same pair.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sensitivity {
    /// max ‖x − y‖₁
    #[serde(with = "decimal")]
    pub l1: BigUint,
    /// max ‖x − y‖₂²
    #[serde(with = "decimal")]
    pub l2_squared: BigUint,
    /// max ‖x − y‖_∞
    #[serde(with = "decimal")]
    pub linf: BigUint,
}

/// Integers as decimal strings.
mod decimal {
    use num_bigint::BigUint;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Digits of the largest sensitivity of a query: 2·max²·length with 128 and 64 bits.
    const MAX_DIGITS: usize = 120;

    pub(super) fn serialize<S: Serializer>(
        value: &BigUint,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BigUint, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.len() > MAX_DIGITS || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(D::Error::custom(
                "a sensitivity is an integer of at most 120 digits",
            ));
        }
        text.parse().map_err(D::Error::custom)
    }
}
