//! The delivery of an answer to standard output and to files. No other file writes there.
//!
//! If one reader has gone, the others still get the answer, and the exit status is 1. Only
//! `--force` replaces a file of another command.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use dp_calibration::Refusal;
use dp_exact::{hexadecimal, shown};
use dp_files::{OutputFile, Reason, first_mixed, lead_to_one_file, read_limited};
use dp_report::Report;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::failure::{Failure, Undelivered};
use crate::json::{self, Inputs, JsonDocument};
use crate::text::check_stdout;
use crate::values::LEAVE_OUT;

/// A comment of HTML, Markdown and of TOML and YAML.
pub(crate) const MARKUP: [&str; 2] = ["<!--", " -->"];
pub(crate) const HASH: [&str; 2] = ["#", ""];

/// The options that every command with a document has.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct OutputOptions {
    /// Also write the answer to this file, as JSON; - or no FILE prints it in place of the text
    #[arg(long, global = true, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub(crate) json: Option<PathBuf>,
    /// Replace files that this command did not write, or that were edited since
    #[arg(long, global = true)]
    pub(crate) force: bool,
}

/// The option that writes a report for people.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Report")]
pub(crate) struct ReportOptions {
    /// Also write a report to this file, as HTML; - or no FILE prints it in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    html: Option<PathBuf>,
}

/// The last line of a file that may be edited by hand: a comment with the kind of the file and the
/// digest of all lines above. It shows that nobody has edited them.
#[derive(Clone, Copy, Debug)]
struct Seal {
    kind: &'static str,
    /// The words that begin and end a comment.
    comment: [&'static str; 2],
}

/// The most bytes of a file that is looked at as a whole.
const LONGEST_SEALED: u64 = 1 << 26;

impl Seal {
    /// The line below these lines.
    fn line(self, above: &[u8]) -> String {
        let [begin, end] = self.comment;
        let digest = hexadecimal(&Sha256::digest(above));
        format!("{begin} dp-cli {}, not edited: {digest}{end}\n", self.kind)
    }

    /// Whether the file at `path` ends with the seal of its other lines.
    fn is_intact(self, path: &Path) -> bool {
        read_limited(path, LONGEST_SEALED).is_ok_and(|file| {
            let lines = file.strip_suffix(b"\n").unwrap_or(&file);
            let end = lines.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            let (above, last) = file.split_at(end);
            last == self.line(above).as_bytes()
        })
    }
}

type IsOwn = dyn Fn(&[u8]) -> bool + Send + Sync;

pub(crate) struct Output<'a> {
    option: &'static str,
    /// The file, or `-` for standard output; `None` if the option was not given.
    path: Option<&'a Path>,
    /// Whether an existing file may be replaced, from its first 1024 bytes.
    is_own: Box<IsOwn>,
    seal: Option<Seal>,
}

impl<'a> Output<'a> {
    /// The output of `option`, whose value is `path`, `-` for standard output. `is_own` recognizes,
    /// by its first bytes, an existing file that may be replaced.
    pub(crate) fn new(
        option: &'static str,
        path: Option<&'a PathBuf>,
        is_own: impl Fn(&[u8]) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { option, path: path.map(PathBuf::as_path), is_own: Box::new(is_own), seal: None }
    }

    /// The output of `option`, a text that people may edit, in a language whose comments are in
    /// `comment`. It may replace a file of the same `kind` that nobody has edited.
    pub(crate) fn sealed(
        option: &'static str,
        path: Option<&'a PathBuf>,
        kind: &'static str,
        comment: [&'static str; 2],
    ) -> Self {
        let (seal, place) = (Seal { kind, comment }, path.cloned());
        let is_own = move |_: &[u8]| place.as_ref().is_some_and(|path| seal.is_intact(path));
        Self { seal: Some(seal), ..Self::new(option, path, is_own) }
    }

    /// A JSON document; it may replace a file whose first field is this `format`.
    pub(crate) fn json(option: &'static str, path: Option<&'a PathBuf>, format: &str) -> Self {
        let first = format!("{{\n  \"format\": \"{format}\",");
        Self::new(option, path, move |beginning| beginning.starts_with(first.as_bytes()))
    }
}

impl OutputOptions {
    /// Prepares the text, the document of `--json` and `further` outputs of the command with these
    /// `inputs`. The document may replace a file of the same `format`; `Err` as
    /// [`Delivery::prepare`].
    pub(crate) fn prepare<'a>(
        &'a self,
        format: &str,
        inputs: &Inputs,
        further: impl IntoIterator<Item = Output<'a>>,
    ) -> Result<Delivery, Failure> {
        let mut outputs = vec![Output::json("json", self.json.as_ref(), format)];
        outputs.extend(further);
        Delivery::prepare(self.force, inputs, outputs)
    }
}

impl ReportOptions {
    /// The output of `--html`, which may replace a report of this `kind`.
    pub(crate) fn output(&self, kind: &'static str) -> Output<'_> {
        Output::sealed("html", self.html.as_ref(), kind, MARKUP)
    }
}

/// The first of these outputs whose option is given, by its name; `None` if none is.
pub(crate) fn given(outputs: &[Output<'_>]) -> Option<&'static str> {
    outputs.iter().find(|output| output.path.is_some()).map(|output| output.option)
}

#[derive(Debug)]
pub(crate) struct Delivery {
    /// Name, file and seal of each given option until it is written; no file is standard output.
    outputs: Vec<(&'static str, Option<OutputFile>, Option<Seal>)>,
    lost: Undelivered,
}

impl Delivery {
    /// Prepares the text and `outputs`. Refuses two outputs in one file or stream, unless that is
    /// standard output and the answer is captured; an output in a file of `inputs`; `--force`
    /// without an output; and existing files that are not the command's own, with `--force` only
    /// ledgers.
    pub(crate) fn prepare(
        is_forced: bool,
        inputs: &Inputs,
        outputs: Vec<Output<'_>>,
    ) -> Result<Self, Failure> {
        let is_printed = |path: &Path| path.as_os_str() == "-";
        if is_forced && given(&outputs).is_none() {
            let context = "without an option that writes a file";
            return Err(Refusal::contradiction("force", true, context, LEAVE_OUT).into());
        }
        let contradiction = |option, path: &Path, context: String, change| {
            Failure::from(Refusal::contradiction(option, path.display(), context, change))
        };
        // What is captured comes to no place.
        let is_placed = |path: &Path| !is_printed(path) || !is_captured();
        let given: Vec<(&str, &Path)> =
            outputs.iter().filter_map(|output| Some((output.option, output.path?))).collect();
        let placed: Vec<_> = given.iter().filter(|(_, path)| is_placed(path)).collect();
        let paths = placed.iter().map(|(_, path)| (!is_printed(path)).then_some(*path));
        if let Some([first, second]) = first_mixed(&paths.collect::<Vec<_>>()) {
            let ((first, _), (option, path)) = (placed[first], placed[second]);
            let context = format!("with --{first}, which goes there as well");
            return Err(contradiction(option, path, context, "name a file for each"));
        }
        let is_output = |option: &str| outputs.iter().any(|output| output.option == option);
        for (option, path) in given.into_iter().filter(|(_, path)| !is_printed(path)) {
            let is_same = |input: &Path| !is_printed(input) && lead_to_one_file(path, input);
            let mut inputs = inputs.files();
            let same = inputs.find(|(option, input)| !is_output(option) && is_same(input));
            if let Some((input, file)) = same {
                let context = format!("with {input} {}, the same file", shown(file));
                return Err(contradiction(option, path, context, "name another file"));
            }
        }
        let mut prepared = Vec::new();
        for Output { option, path, is_own, seal } in outputs {
            let Some(path) = path else { continue };
            if is_printed(path) {
                prepared.push((option, None, None));
                continue;
            }
            // Nothing can restore a ledger.
            let may_replace = move |beginning: &[u8]| {
                is_own(beginning) || (is_forced && !dp_ledger::is_ledger(beginning))
            };
            let file = OutputFile::prepare(path, may_replace);
            let file = file.map_err(|error| match error.reason() {
                Reason::Foreign if is_forced => {
                    Failure::Usage(format!("{error}, but a ledger: choose another name"))
                }
                Reason::Foreign => {
                    let change = "or was edited: choose another name, or replace it with --force";
                    Failure::Usage(format!("{error}, {change}"))
                }
                _ => error.into(),
            })?;
            prepared.push((option, Some(file), seal));
        }
        Ok(Self { outputs: prepared, lost: Undelivered::default() })
    }

    /// Prints a part of the text, unless an earlier part failed or a document is printed in its
    /// place. `Err` if this part fails and no other output is left; else [`Self::finish`] returns
    /// the error.
    pub(crate) fn print(&mut self, text: impl Display) -> Result<(), Undelivered> {
        if self.lost.stdout.is_some() || self.is_on_stdout() {
            return Ok(());
        }
        match write("text", &|writer| write!(writer, "{text}")) {
            Err(error) if self.outputs.is_empty() => Err(error.into()),
            written => {
                self.lost.stdout = written.err();
                Ok(())
            }
        }
    }

    /// Whether an output that is still to be written is printed in place of the text; `false` while
    /// the answer is captured, which has all parts.
    fn is_on_stdout(&self) -> bool {
        !is_captured() && self.outputs.iter().any(|(_, file, _)| file.is_none())
    }

    /// Whether this option names an output that is still to be written.
    pub(crate) fn has(&self, option: &str) -> bool {
        self.outputs.iter().any(|(own, ..)| *own == option)
    }

    /// Writes the output of `option`, if it was given and is not written yet, and marks it as
    /// written. The caller has printed all text before. The first error of standard output and the
    /// first of a file are kept, for [`Self::finish`] to return.
    pub(crate) fn write(
        &mut self,
        option: &str,
        content: impl Fn(&mut dyn Write) -> io::Result<()>,
    ) {
        let Some(index) = self.outputs.iter().position(|(own, ..)| *own == option) else {
            return;
        };
        let (option, file, seal) = self.outputs.remove(index);
        match file {
            None => {
                let written = write(option, &content);
                self.lost.stdout = self.lost.stdout.take().or(written.err());
            }
            Some(file) => {
                let written = file.write(|writer| match seal {
                    None => content(writer),
                    Some(seal) => {
                        let mut lines = Vec::new();
                        content(&mut lines)?;
                        writer.write_all(&lines)?;
                        writer.write_all(seal.line(&lines).as_bytes())
                    }
                });
                self.lost.file = self.lost.file.take().or(written.err());
            }
        }
    }

    /// Writes the report of `--html`, if given, after all of the text, with the day; `report` is
    /// called only then. Errors are kept as in [`Self::write`].
    pub(crate) fn report(&mut self, report: impl FnOnce() -> Report) {
        if self.has("html") {
            let page = dp_report::html::document(&Report { date: Some(today()), ..report() });
            self.write("html", |writer| writer.write_all(page.as_bytes()));
        }
    }

    /// Writes the document of `--json`, if given, with its format, its version, the options and the
    /// fields of the answer. The caller has printed all text before. `Err` if any part of the
    /// answer was lost, now or earlier.
    pub(crate) fn finish(
        self,
        format: &str,
        schema_version: impl Into<Option<u32>>,
        inputs: &Inputs,
        answer: impl Serialize,
    ) -> Result<(), Undelivered> {
        let schema_version = schema_version.into();
        self.finish_with(&JsonDocument { format, schema_version, inputs, answer })
    }

    /// Writes `document` as it is to the output of `--json`, if given. The caller has printed all
    /// text before. `Err` if any part of the answer was lost, now or earlier.
    pub(crate) fn finish_with(mut self, document: &impl Serialize) -> Result<(), Undelivered> {
        self.write("json", |writer| json::write(writer, document));
        match self.lost {
            Undelivered { stdout: None, file: None } => Ok(()),
            lost => Err(lost),
        }
    }
}

/// Prints a text.
///
/// # Errors
/// If not all of it was taken.
pub fn print(text: impl Display) -> Result<(), Undelivered> {
    Ok(write("text", &|writer| write!(writer, "{text}"))?)
}

/// The parts of an answer by name: `text` for people, and the file of every option that names `-`,
/// such as `json` and `html`.
pub type Answer = BTreeMap<&'static str, Vec<u8>>;

thread_local! {
    /// The delivered parts of the command of this thread; `None` if it prints its answer.
    static CAPTURED: RefCell<Option<Answer>> = const { RefCell::new(None) };
}

/// Runs a function, and returns its result with all parts that it would have printed on this
/// thread.
pub(crate) fn captured<T>(run: impl FnOnce() -> T) -> (T, Answer) {
    CAPTURED.set(Some(Answer::new()));
    let result = run();
    (result, CAPTURED.take().expect("captured since the line above"))
}

/// Whether the answer of this thread is captured instead of printed.
pub(crate) fn is_captured() -> bool {
    CAPTURED.with_borrow(Option::is_some)
}

/// Writes what `content` writes as a part of the answer: to standard output, or where the answer is
/// captured, behind the earlier content of this part.
fn write(part: &'static str, content: &dyn Fn(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let captured = CAPTURED.with_borrow_mut(|captured| {
        captured.as_mut().map(|parts| content(parts.entry(part).or_default()))
    });
    captured.unwrap_or_else(|| {
        check_stdout()?;
        let mut stdout = BufWriter::new(io::stdout().lock());
        content(&mut stdout)?;
        stdout.flush()
    })
}

/// The day in UTC as YYYY-MM-DD: of the environment variable `SOURCE_DATE_EPOCH` if it is a number
/// of seconds since 1970, which makes reports reproducible, else today.
fn today() -> String {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH);
    // A clock before 1970 shows the first day of that year.
    let seconds = given.unwrap_or_else(|| now().map_or(0, |since| since.as_secs()));
    // Years begin in March here: a leap day is the last one of its year. 400 years have 146 097
    // days.
    let days = seconds / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let later = month / 10;
    let month = month + 3 - 12 * later;
    format!("{:04}-{month:02}-{day:02}", 400 * era + year + later)
}
