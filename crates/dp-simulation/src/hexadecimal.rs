//! Bytes as hexadecimal digits in JSON, for `#[serde(with = "hexadecimal")]`.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(
    bytes: &impl AsRef<[u8]>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&dp_exact::hexadecimal(bytes.as_ref()))
}

pub(crate) fn deserialize<'de, T: TryFrom<Vec<u8>>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    let pairs = text.as_bytes().chunks(2);
    let byte = |pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    let bytes =
        pairs.map(byte).collect::<Option<Vec<u8>>>().and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or_else(|| D::Error::custom("other than the expected hexadecimal digits"))
}
