//! Bytes, such as those of a digest, as hexadecimal digits.

use alloc::string::String;
use core::fmt::Write as _;

/// Two hexadecimal digits, in lower case, for each byte.
///
/// ```
/// assert_eq!(dp_exact::hexadecimal(&[0, 10, 255]), "000aff");
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
