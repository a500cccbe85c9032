//! 32 bytes as hexadecimal digits in JSON, for `#[serde(with = "hexadecimal")]`.

use dp_exact::parse_hexadecimal;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(bytes: &[u8; 32], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&dp_exact::hexadecimal(bytes))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<[u8; 32], D::Error> {
    let bytes = parse_hexadecimal(String::deserialize(from)?.as_bytes());
    bytes.ok_or_else(|| D::Error::custom("other than the expected hexadecimal digits"))
}
