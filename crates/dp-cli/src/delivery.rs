//! Where an answer goes: to standard output, and to a file if one was asked for.
//!
//! Nothing else in this crate writes. An answer that was computed is not lost because one of its two
//! readers has gone: the other one still gets it, and the exit status tells.

use std::fmt::{self, Display, Formatter};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use dp_files::{FileError, OutputFile, Overwrite};
use serde::Serialize;

use crate::json::{self, Inputs, OWN};

/// An answer on its way.
#[derive(Debug)]
pub struct Delivery {
    document: Document,
    lost: Option<io::Error>,
}

/// What becomes of the document for programs.
#[derive(Debug)]
enum Document {
    NotWanted,
    /// In place of the text.
    Stdout,
    File(OutputFile),
}

/// What of an answer did not reach its reader.
#[derive(Debug)]
pub struct Undelivered {
    stdout: Option<io::Error>,
    file: Option<FileError>,
}

/// Rows of a document.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Rows<'a, R> {
    /// What the rows are about: `dp-` and a name.
    pub format: &'static str,
    /// It changes when a field goes or changes its meaning.
    pub schema_version: u32,
    /// What was asked for.
    pub inputs: &'a Inputs,
    /// The rows.
    pub rows: &'a [R],
}

impl Delivery {
    /// Of text, and of a document if a path is given: `-` stands for standard output, which the
    /// document takes from the text. A file that this program did not write is replaced by force.
    ///
    /// # Errors
    /// If the file cannot be written: then there is nothing to compute.
    pub fn prepare(json: Option<&Path>, force: bool) -> Result<Self, FileError> {
        let overwrite = if force {
            Overwrite::Any
        } else {
            Overwrite::Own(is_own)
        };
        let document = match json {
            None => Document::NotWanted,
            Some(path) if path.as_os_str() == "-" => Document::Stdout,
            Some(path) => Document::File(OutputFile::prepare(path, overwrite)?),
        };
        let lost = None;
        Ok(Self { document, lost })
    }

    /// Prints a part of the text, unless its reader has gone.
    ///
    /// # Errors
    /// If the reader has gone and nobody else waits for the answer.
    pub fn print(&mut self, text: impl Display) -> Result<(), Undelivered> {
        if self.lost.is_some() || matches!(self.document, Document::Stdout) {
            return Ok(());
        }
        match (write(text), &self.document) {
            (Ok(()), _) => Ok(()),
            (Err(error), Document::File(_)) => {
                self.lost = Some(error);
                Ok(())
            }
            (Err(error), _) => Err(error.into()),
        }
    }

    /// Delivers the document, after all of the text.
    ///
    /// # Errors
    /// If the text or the document did not arrive.
    pub fn finish(self, document: &impl Serialize) -> Result<(), Undelivered> {
        let mut undelivered = Undelivered {
            stdout: self.lost,
            file: None,
        };
        match self.document {
            Document::NotWanted => {}
            Document::Stdout => {
                let mut stdout = BufWriter::new(io::stdout().lock());
                let written = json::write(&mut stdout, document).and_then(|()| stdout.flush());
                undelivered.stdout = written.err();
            }
            Document::File(file) => {
                let written = file.write(|writer| json::write(writer, document));
                undelivered.file = written.err();
            }
        }
        match undelivered {
            Undelivered {
                stdout: None,
                file: None,
            } => Ok(()),
            _ => Err(undelivered),
        }
    }
}

/// Prints a text.
///
/// # Errors
/// If not all of it was taken.
pub fn print(text: impl Display) -> Result<(), Undelivered> {
    Ok(write(text)?)
}

fn write(text: impl Display) -> io::Result<()> {
    let mut stdout = BufWriter::new(io::stdout().lock());
    write!(stdout, "{text}")?;
    stdout.flush()
}

fn is_own(beginning: &[u8]) -> bool {
    let text = beginning.iter().filter(|byte| !byte.is_ascii_whitespace());
    text.take(OWN.len()).eq(OWN)
}

impl Undelivered {
    /// Whether a reader of a pipe took what it wanted and went, as `head` does, and that is all.
    #[must_use]
    pub fn is_closed_pipe(&self) -> bool {
        self.file.is_none() && self.stdout.as_ref().is_some_and(is_closed_pipe)
    }
}

fn is_closed_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

impl From<io::Error> for Undelivered {
    fn from(error: io::Error) -> Self {
        let (stdout, file) = (Some(error), None);
        Self { stdout, file }
    }
}

impl Display for Undelivered {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match (&self.stdout, &self.file) {
            (Some(stdout), Some(file)) if !is_closed_pipe(stdout) => {
                write!(formatter, "standard output: {stdout}; {file}")
            }
            (_, Some(file)) => file.fmt(formatter),
            (Some(stdout), None) => write!(formatter, "standard output: {stdout}"),
            (None, None) => Ok(()),
        }
    }
}

impl std::error::Error for Undelivered {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_of_this_program_is_known_by_its_beginning() {
        let rows = Rows {
            format: "dp-measure timing",
            schema_version: 1,
            inputs: &Inputs::default(),
            rows: &[1, 2],
        };
        for text in [serde_json::to_vec(&rows), serde_json::to_vec_pretty(&rows)] {
            assert!(is_own(&text.expect("JSON")));
        }
        for other in [
            "",
            "{",
            "{\"format\":\"",
            "[{\"format\":\"dp-\"}]",
            "thesis",
        ] {
            assert!(!is_own(other.as_bytes()), "{other}");
        }
    }
}
