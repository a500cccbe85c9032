//! A program as text in a page: LZMA in 91 characters; `page/worker/unpack.js` decodes it.
//!
//! gzip, which browsers decode themselves, is a third larger, and base64 adds another 8 %.

use std::io::Write as _;

use anyhow::Result;
use lzma_rust2::{LzmaOptions, LzmaWriter};

/// Number of characters: two of them hold thirteen bits. They are printable and have no meaning in
/// HTML or scripts: `&`, `<` and the backslash are left out.
const CHARACTERS: u32 = 91;

/// The bytes, compressed and written as text.
pub(crate) fn packed(bytes: &[u8]) -> Result<String> {
    Ok(text(&compressed(bytes)?))
}

/// LZMA without a header; the decoder knows the options.
fn compressed(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut options = LzmaOptions::with_preset(9);
    // Instructions have no alignment, and depend most on the byte before.
    (options.lc, options.lp, options.pb) = (4, 0, 0);
    options.nice_len = 273;
    let mut writer = LzmaWriter::new_no_header(Vec::new(), &options, false)?;
    writer.write_all(bytes)?;
    Ok(writer.finish()?)
}

/// The bits in order, the most significant bit of a byte first; zeros fill up the last characters.
fn text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() / 13 * 16 + 4);
    let (mut bits, mut count) = (0, 0);
    for byte in bytes.iter().chain(&[0]) {
        bits = bits << 8 | u32::from(*byte);
        count += 8;
        if count >= 13 {
            count -= 13;
            let pair = bits >> count & 0x1fff;
            text.extend([character(pair / CHARACTERS), character(pair % CHARACTERS)]);
        }
    }
    let last = bits << (13 - count) & 0x1fff;
    text.extend([character(last / CHARACTERS), character(last % CHARACTERS)]);
    text
}

/// The character of a number below 91.
fn character(digit: u32) -> char {
    let skipped = [b'&', b'<', b'\\'];
    let mut code = digit + u32::from(b'!');
    for skip in skipped.map(u32::from) {
        code += u32::from(code >= skip);
    }
    char::from_u32(code).unwrap_or('!')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ninety_one_characters_have_no_meaning_in_html() {
        let all: String = (0..CHARACTERS).map(character).collect();
        assert_eq!(all.chars().count(), 91);
        assert!(all.starts_with("!\"#$%'(") && all.ends_with("xyz{|}~"));
        assert!(!all.contains(['&', '<', '\\']));
    }

    #[test]
    fn thirteen_bits_are_two_characters() {
        assert_eq!(text(&[0; 13]).len(), 18);
        assert!(text(&[0; 13]).chars().all(|one| one == '!'));
        // 0000000000001 is the digits 0 and 1.
        assert_eq!(&text(&[0, 8])[..2], "!\"");
        assert_eq!(&text(&[255, 248])[..2], "~\"");
    }

    #[test]
    fn what_repeats_takes_no_room() -> Result<()> {
        let repeated: Vec<u8> = (0..100_000).map(|number: u32| number.to_le_bytes()[0]).collect();
        assert!(packed(&repeated)?.len() < 1000);
        Ok(())
    }
}
