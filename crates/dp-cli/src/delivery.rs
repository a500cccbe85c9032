//! Where an answer goes: to standard output, and to a file if one was asked for.
//!
//! Nothing else in this crate writes. An answer that was computed is not lost because one of its two
//! readers has gone: the other one still gets it, and the exit status tells.

use std::fmt::{self, Display, Formatter};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use dp_files::{FileError, OutputFile, Overwrite};
use dp_report::Report;
use dp_report::model::Origin;
use serde::Serialize;

use crate::json::{self, Inputs};
use crate::replaced::Replacing;
use crate::reports::Reports;

/// An answer on its way.
#[derive(Debug)]
pub struct Delivery {
    json: Destination,
    html: Destination,
    markdown: Destination,
    /// What is said of the reports themselves.
    origin: Origin,
    rows: Destination,
    certificate: Destination,
    lost: Option<io::Error>,
    lost_file: Option<FileError>,
}

/// Where a document goes.
#[derive(Debug)]
enum Destination {
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
    /// Of text, and of a document of this format if a path is given: `-` stands for standard output, which the
    /// document takes from the text.
    ///
    /// # Errors
    /// If the file cannot be written, or must not be replaced: then there is nothing to compute.
    pub fn prepare(
        json: Option<&Path>,
        format: impl Into<String>,
        replacing: &Replacing,
    ) -> Result<Self, FileError> {
        Ok(Self {
            json: Destination::of(json, replacing.json(format.into()))?,
            html: Destination::NotWanted,
            markdown: Destination::NotWanted,
            rows: Destination::NotWanted,
            certificate: Destination::NotWanted,
            origin: Origin::default(),
            lost: None,
            lost_file: None,
        })
    }

    /// Adds reports for people, of this kind.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare).
    pub(crate) fn and_reports(
        self,
        reports: &Reports,
        kind: &'static str,
        replacing: &Replacing,
    ) -> Result<Self, FileError> {
        let html = replacing.files(move |file| dp_report::html::kind(file) == Some(kind));
        let markdown = replacing.files(move |file| dp_report::markdown::kind(file) == Some(kind));
        Ok(Self {
            html: Destination::of(reports.html.as_deref(), html)?,
            markdown: Destination::of(reports.markdown.as_deref(), markdown)?,
            origin: reports.origin(),
            ..self
        })
    }

    /// Adds the rows of a sweep.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare).
    pub(crate) fn and_rows(
        self,
        path: Option<&Path>,
        replacing: &Replacing,
    ) -> Result<Self, FileError> {
        let rows = Destination::of(path, replacing.files(dp_simulation::sweep::is_own))?;
        Ok(Self { rows, ..self })
    }

    /// Adds a certificate.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare).
    pub(crate) fn and_certificate(
        self,
        path: Option<&Path>,
        replacing: &Replacing,
    ) -> Result<Self, FileError> {
        let overwrite = replacing.json(dp_certificate::FORMAT.to_owned());
        let certificate = Destination::of(path, overwrite)?;
        Ok(Self {
            certificate,
            ..self
        })
    }

    fn destinations(&self) -> [&Destination; 5] {
        [
            &self.json,
            &self.html,
            &self.markdown,
            &self.rows,
            &self.certificate,
        ]
    }

    /// Delivers the certificate, after all of the text, with numbers and texts as the checker reads them. What is
    /// lost of it is told at the end.
    pub(crate) fn certificate(&mut self, certificate: &impl Serialize) {
        let to = std::mem::replace(&mut self.certificate, Destination::NotWanted);
        self.keep(to.take(|writer| {
            serde_json::to_writer_pretty(&mut *writer, certificate)?;
            writer.write_all(b"\n")
        }));
    }

    /// Delivers the rows, after all of the text. What is lost of them is told at the end.
    pub(crate) fn rows(&mut self, rows: impl Fn(&mut dyn Write) -> io::Result<()>) {
        let to = std::mem::replace(&mut self.rows, Destination::NotWanted);
        self.keep(to.take(rows));
    }

    /// Keeps the first of what was lost of each kind.
    fn keep(&mut self, delivered: Result<(), Lost>) {
        match delivered {
            Ok(()) => {}
            Err(Lost::Stdout(error)) => self.lost = self.lost.take().or(Some(error)),
            Err(Lost::File(error)) => self.lost_file = self.lost_file.take().or(Some(error)),
        }
    }

    /// Prints a part of the text, unless its reader has gone.
    ///
    /// # Errors
    /// If the reader has gone and nobody else waits for the answer.
    pub fn print(&mut self, text: impl Display) -> Result<(), Undelivered> {
        if self.lost.is_some() || self.is_on_stdout() {
            return Ok(());
        }
        let is_file = |to: &&Destination| matches!(to, Destination::File(_));
        match write(text) {
            Ok(()) => Ok(()),
            Err(error) if self.destinations().iter().any(is_file) => {
                self.lost = Some(error);
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Prints what has to be said in any case: to standard error where a document is printed.
    ///
    /// # Errors
    /// As of [`print`](Self::print).
    pub(crate) fn tell(&mut self, text: impl Display) -> Result<(), Undelivered> {
        if self.is_on_stdout() {
            // Nobody may be left to be told.
            let _ = write!(io::stderr().lock(), "{text}");
            return Ok(());
        }
        self.print(text)
    }

    /// Whether a document is printed.
    fn is_on_stdout(&self) -> bool {
        let is_stdout = |to: &&Destination| matches!(to, Destination::Stdout);
        self.destinations().iter().any(is_stdout)
    }

    /// Delivers the document, after all of the text.
    ///
    /// # Errors
    /// If the text or the document did not arrive.
    pub fn finish(self, document: &impl Serialize) -> Result<(), Undelivered> {
        let mut undelivered = Undelivered {
            stdout: self.lost,
            file: self.lost_file,
        };
        undelivered.note(self.json.take(|writer| json::write(writer, document)));
        undelivered.result()
    }

    /// Delivers the document and the reports, after all of the text. The report is made if somebody reads it.
    ///
    /// # Errors
    /// If the text, the document or a report did not arrive.
    pub(crate) fn finish_with(
        self,
        document: &impl Serialize,
        report: impl FnOnce() -> Report,
    ) -> Result<(), Undelivered> {
        let mut undelivered = Undelivered {
            stdout: self.lost,
            file: self.lost_file,
        };
        undelivered.note(self.json.take(|writer| json::write(writer, document)));
        if self.html.is_wanted() || self.markdown.is_wanted() {
            let report = Report {
                origin: self.origin,
                ..report()
            };
            let html = |writer: &mut dyn Write| {
                writer.write_all(dp_report::html::document(&report).as_bytes())
            };
            undelivered.note(self.html.take(html));
            let markdown = |writer: &mut dyn Write| {
                writer.write_all(dp_report::markdown::document(&report).as_bytes())
            };
            undelivered.note(self.markdown.take(markdown));
        }
        undelivered.result()
    }
}

/// What was not taken.
enum Lost {
    Stdout(io::Error),
    File(FileError),
}

impl Destination {
    fn of(path: Option<&Path>, overwrite: Overwrite) -> Result<Self, FileError> {
        Ok(match path {
            None => Self::NotWanted,
            Some(path) if path.as_os_str() == "-" => Self::Stdout,
            Some(path) => Self::File(OutputFile::prepare(path, overwrite)?),
        })
    }

    const fn is_wanted(&self) -> bool {
        !matches!(self, Self::NotWanted)
    }

    fn take(self, document: impl Fn(&mut dyn Write) -> io::Result<()>) -> Result<(), Lost> {
        match self {
            Self::NotWanted => Ok(()),
            Self::Stdout => {
                let mut stdout = BufWriter::new(io::stdout().lock());
                let written = document(&mut stdout).and_then(|()| stdout.flush());
                written.map_err(Lost::Stdout)
            }
            Self::File(file) => file.write(|writer| document(writer)).map_err(Lost::File),
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

impl Undelivered {
    /// Keeps the first of what was lost of each kind.
    fn note(&mut self, delivered: Result<(), Lost>) {
        match delivered {
            Ok(()) => {}
            Err(Lost::Stdout(error)) => self.stdout = self.stdout.take().or(Some(error)),
            Err(Lost::File(error)) => self.file = self.file.take().or(Some(error)),
        }
    }

    fn result(self) -> Result<(), Self> {
        match (&self.stdout, &self.file) {
            (None, None) => Ok(()),
            _ => Err(self),
        }
    }

    /// Whether a reader of a pipe took what it wanted and went, as `head` does, and that is all.
    pub(crate) fn is_closed_pipe(&self) -> bool {
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
