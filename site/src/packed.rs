//! A program as text in a page: LZMA, written in 85 characters. `page/worker/unpack.js` reads it.
//!
//! gzip, which browsers unpack by themselves, makes it a third larger, and base64 another 7 %.

use std::io::Write as _;

use anyhow::Result;
use lzma_rust2::{LzmaOptions, LzmaWriter};

/// Five of these characters are four bytes, the most significant first. None of them has a meaning in HTML.
const ALPHABET: &[u8; 85] =
    b"!#%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}";

/// The bytes, packed.
pub(crate) fn packed(bytes: &[u8]) -> Result<String> {
    Ok(text(&compressed(bytes)?))
}

fn compressed(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut options = LzmaOptions::with_preset(9);
    // Instructions have no alignment, and what one is depends most on the one before.
    (options.lc, options.lp, options.pb) = (4, 0, 0);
    options.nice_len = 273;
    let mut writer = LzmaWriter::new_no_header(Vec::new(), &options, false)?;
    writer.write_all(bytes)?;
    Ok(writer.finish()?)
}

fn text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() / 4 * 5 + 5);
    for four in bytes.chunks(4) {
        let mut word = [0; 4];
        word[..four.len()].copy_from_slice(four);
        let word = u32::from_be_bytes(word);
        for power in [85_u32.pow(4), 85_u32.pow(3), 85_u32.pow(2), 85, 1] {
            text.push(char::from(ALPHABET[(word / power % 85) as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_bytes_are_five_characters_and_a_rest_is_filled_with_zeros() {
        assert_eq!(text(&[0, 0, 0, 0]), "!!!!!");
        assert_eq!(text(&[0, 0, 0, 85]), "!!!#!");
        assert_eq!(text(&[255, 255, 255, 255]).len(), 5);
        assert_eq!(text(&[0, 0, 1]), text(&[0, 0, 1, 0]));
    }

    #[test]
    fn what_repeats_takes_no_room() -> Result<()> {
        let repeated: Vec<u8> = (0..100_000).map(|number: u32| number.to_le_bytes()[0]).collect();
        assert!(packed(&repeated)?.len() < 1000);
        Ok(())
    }
}
