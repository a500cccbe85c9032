//! The lines of a file, one at a time, in bounded memory.

use std::io::{self, BufRead as _, BufReader, Read};

/// The longest line, in bytes without its end: 1 MiB.
pub const MAX_LINE: usize = 1 << 20;

/// Bytes that are read at once.
const BUFFER: usize = 1 << 16;

/// The bytes EF BB BF, with which some programs begin a file in UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Why there is no further line.
#[derive(Debug)]
pub(super) enum LineError {
    /// The bytes cannot be read.
    Read(io::Error),
    /// They are not a line of text.
    Refused(String),
}

/// A reader of lines that end with LF or CRLF; the last one may end with the file.
pub(super) struct Lines<'a> {
    bytes: BufReader<Box<dyn Read + 'a>>,
    line: Vec<u8>,
    number: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bytes: impl Read + 'a) -> Self {
        Self {
            bytes: BufReader::with_capacity(BUFFER, Box::new(bytes)),
            line: Vec::new(),
            number: 0,
        }
    }

    /// Which line was read last, from 1.
    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// The next line without its end. Of a line that is too long, no more is read.
    pub(super) fn next(&mut self) -> Result<Option<&str>, LineError> {
        self.number += 1;
        self.line.clear();
        // One byte more than the longest line with its end.
        let limit = u64::try_from(MAX_LINE).unwrap_or(u64::MAX) + 3;
        let mut bytes = self.bytes.by_ref().take(limit);
        bytes
            .read_until(b'\n', &mut self.line)
            .map_err(LineError::Read)?;
        if self.line.is_empty() {
            return Ok(None);
        }
        let line = match self.line.strip_suffix(b"\n") {
            Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
            None => &self.line,
        };
        let text = text(line).map_err(LineError::Refused)?;
        let is_marked = self.number == 1 && text.starts_with(BYTE_ORDER_MARK);
        let text = text
            .strip_prefix(BYTE_ORDER_MARK)
            .filter(|_| is_marked)
            .unwrap_or(text);
        if text.is_empty() {
            return Err(LineError::Refused("it is blank".to_owned()));
        }
        Ok(Some(text))
    }
}

fn text(line: &[u8]) -> Result<&str, String> {
    if let Some(control) = line.iter().find(|byte| byte.is_ascii_control()) {
        return Err(refused_control(char::from(*control)));
    }
    if line.len() > MAX_LINE {
        return Err(format!("it is longer than {MAX_LINE} bytes"));
    }
    let text = str::from_utf8(line).map_err(|error| {
        let place = error.valid_up_to() + 1;
        format!("byte {place} is not UTF-8")
    })?;
    match text.chars().find(|character| character.is_control()) {
        Some(control) if !text.is_ascii() => Err(refused_control(control)),
        _ => Ok(text),
    }
}

fn refused_control(control: char) -> String {
    if control == '\r' {
        return "a carriage return that no line feed follows: expected lines that end with LF or \
                CRLF"
            .to_owned();
    }
    let code = u32::from(control);
    format!("the control character U+{code:04X}: expected text without any, quoted or not")
}
