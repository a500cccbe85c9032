//! The lines of a file, one at a time, in bounded memory.

use std::io::{self, BufRead as _, BufReader, Read};

/// The longest line, in bytes without its end: 1 MiB.
pub const MAX_LINE: usize = 1 << 20;

/// Bytes that are read at once.
const BUFFER: usize = 1 << 16;

/// The bytes EF BB BF, with which some programs begin a file in UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// How files begin that are no text in UTF-8, and what to do about it.
const FOREIGN: [(&[u8], &str); 5] = [
    (
        b"\xff\xfe",
        "the byte order mark of UTF-16: save the file as UTF-8",
    ),
    (
        b"\xfe\xff",
        "the byte order mark of UTF-16: save the file as UTF-8",
    ),
    (
        b"\0\0\xfe\xff",
        "the byte order mark of UTF-32: save the file as UTF-8",
    ),
    (
        b"PK\x03\x04",
        "the mark of a zip archive or a spreadsheet: save it as CSV",
    ),
    (b"\x1f\x8b", "the mark of a gzip file: unpack it"),
];

/// Why there is no further line.
#[derive(Debug)]
pub(super) enum LineError {
    /// The bytes cannot be read.
    Read(io::Error),
    /// They are not a line of text.
    Refused(String),
    /// They are not UTF-8 after so many of them.
    Encoding(usize),
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

    /// The beginning of the line that was read last, as far as it is text.
    pub(super) fn begin(&self, bytes: usize) -> &str {
        let begin = self.line.get(..bytes).unwrap_or_default();
        str::from_utf8(begin).unwrap_or_default()
    }

    /// The next line without its end; it may have tabs or not. Of a line that is too long, no more is
    /// read.
    pub(super) fn next(&mut self, may_have_tabs: bool) -> Result<Option<&str>, LineError> {
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
        if self.number == 1 {
            check_begin(&self.line).map_err(LineError::Refused)?;
        }
        let line = match self.line.strip_suffix(b"\n") {
            Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
            None => &self.line,
        };
        let text = text(line, may_have_tabs)?;
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

/// Refuses a file that begins as another kind does.
fn check_begin(line: &[u8]) -> Result<(), String> {
    let mut known = FOREIGN.iter();
    let known = known.find(|(begin, _)| line.starts_with(begin));
    known.map_or(Ok(()), |(_, what)| Err(format!("it begins with {what}")))
}

fn text(line: &[u8], may_have_tabs: bool) -> Result<&str, LineError> {
    let refused = |control| LineError::Refused(refused_control(control));
    let is_refused = |byte: &u8| byte.is_ascii_control() && !(may_have_tabs && *byte == b'\t');
    if let Some(control) = line.iter().copied().find(is_refused) {
        return Err(refused(char::from(control)));
    }
    if line.len() > MAX_LINE {
        let reason = format!("it is longer than {MAX_LINE} bytes");
        return Err(LineError::Refused(reason));
    }
    let text = str::from_utf8(line).map_err(|error| LineError::Encoding(error.valid_up_to()))?;
    if text.is_ascii() {
        return Ok(text);
    }
    let is_refused = |c: &char| c.is_control() && *c != '\t';
    match text.chars().find(is_refused) {
        Some(control) => Err(refused(control)),
        None => Ok(text),
    }
}

/// What is said of a control character.
pub(super) fn refused_control(control: char) -> String {
    match control {
        '\r' => "a carriage return that no line feed follows: expected lines that end with LF or \
                 CRLF"
            .to_owned(),
        '\0' => "the control character U+0000: expected text in UTF-8, not UTF-16 or other data"
            .to_owned(),
        _ => {
            let code = u32::from(control);
            format!("the control character U+{code:04X}: expected text without any, quoted or not")
        }
    }
}
