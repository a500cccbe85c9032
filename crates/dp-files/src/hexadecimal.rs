//! Bytes as hexadecimal digits.

use std::fmt::Write as _;

/// The bytes in lower-case hexadecimal digits.
///
/// ```
/// assert_eq!(dp_files::hexadecimal(&[0, 10, 255]), "000aff");
/// ```
#[must_use]
pub fn hexadecimal(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// The `N` bytes that 2·`N` lower-case hexadecimal digits stand for; `None` for any other text.
#[must_use]
pub fn parse_hexadecimal<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let text = str::from_utf8(digits).ok()?;
    let mut bytes = [0; N];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    (hexadecimal(&bytes) == text).then_some(bytes)
}
