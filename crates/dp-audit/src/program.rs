//! A deployment reached through a program of the user, which runs once for each collection.

use std::collections::VecDeque;
use std::io::{self, Read, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use dp_exact::{ParameterError, shown};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::conformance::{Collected, Deployment};
use crate::neighbours::OwnedMeasurement;
use crate::process_group::ProcessGroup;
use crate::submissions::Submissions;

/// The longest accepted time limit of one run of a program.
const LONGEST: Duration = Duration::from_secs(86_400);

/// Largest number of bytes of a program's answer.
const MAX_BYTES: u64 = 1 << 24;

/// Time limit for reading the standard error of a program that has ended.
const SOON: Duration = Duration::from_millis(100);

/// What a program reads from its standard input: one JSON object.
///
/// ```
/// use dp_audit::{CollectionRequest, OwnedMeasurement};
///
/// let request = CollectionRequest {
///     batch: "audit 7".to_owned(),
///     attempts: 1,
///     measurements: vec![OwnedMeasurement::Bit(true), OwnedMeasurement::Bit(false)],
/// };
/// let text = r#"{"batch":"audit 7","attempts":1,"measurements":[true,false]}"#;
/// assert_eq!(serde_json::to_string(&request)?, text);
/// assert_eq!(serde_json::from_str::<CollectionRequest>(text)?, request);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionRequest {
    /// The name of the batch, which no other collection of this audit has.
    pub batch: String,
    /// Number of attempts to collect the batch: 2 as by a collector that lost the first answer.
    pub attempts: u32,
    /// One measurement of each client: `true` or `false`, an integer, a bucket from 0, or a list of
    /// bits or integers.
    pub measurements: Vec<OwnedMeasurement>,
}

/// What a program prints for each attempt that gave an answer: one JSON object on a line, such as
/// `{"attempt":1,"reports":2,"released":[2.0]}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionAnswer {
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// Number of aggregated reports.
    pub reports: u64,
    /// The released estimate of each total.
    pub released: Vec<f64>,
}

/// Why a program gave no usable answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The program does not start.
    #[error("{program} does not start: {source}")]
    NotStarted {
        /// The name of the program.
        program: String,
        /// The reason that the operating system gives.
        source: io::Error,
    },
    /// The program did not close its standard output, or did not end, in time. It was ended.
    #[error("the program did not end within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// The program failed.
    #[error("the program failed with {status}{}", after(.said))]
    Failed {
        /// The exit status of the program, in words.
        status: String,
        /// The last line of the program's standard error; empty if there is none.
        said: String,
    },
    /// The answer is too long.
    #[error("the answer is longer than {most} bytes")]
    TooLong {
        /// The largest accepted length in bytes.
        most: u64,
    },
    /// A line of the output is no answer.
    #[error(
        "line {line} of the answer is {text}: expected an object with attempt, reports and released ({source})"
    )]
    NotAnAnswer {
        /// The number of the line, from 1.
        line: usize,
        /// The beginning of the line that is no answer.
        text: String,
        /// Why the line is no answer.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The answer does not fit the request.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

/// A deployment to which a program submits known measurements, and from which it collects.
///
/// The program is started for each collection. It reads a [`CollectionRequest`] from its standard
/// input, submits the measurements, collects, prints a [`CollectionAnswer`] on a line for each
/// attempt that gave one, and ends with status 0. Every other pair of collections asks for two
/// attempts. A program that cannot ask again prints the first answer alone.
///
/// There is no shell: the words of the command are the program and its arguments.
#[derive(Debug)]
pub struct Program {
    command: String,
    /// The longest time of one run of the program.
    time_limit: Duration,
    submissions: Submissions,
    /// The text with which the name of every batch begins.
    name: String,
    /// Number of runs of the program so far.
    collections: u64,
    /// Answers of the last run that are not returned yet.
    answers: VecDeque<Collected>,
}

impl Program {
    /// A program with its submissions and a time limit for each collection. Batches are called
    /// `name` and a number: a deployment that remembers its batches can be audited again under
    /// another name.
    ///
    /// # Errors
    /// If the command is empty, or the time limit is 0 or above a day.
    pub fn new(
        command: &str,
        submissions: Submissions,
        time_limit: Duration,
        name: &str,
    ) -> Result<Self, Error> {
        if time_limit.is_zero() || time_limit > LONGEST {
            let accepted = "more than 0 s and at most a day";
            let value = format!("{} s", time_limit.as_secs_f64());
            return Err(ParameterError::new("time_limit", value, accepted).into());
        }
        if command.trim().is_empty() {
            let accepted = "a program and its arguments";
            return Err(ParameterError::new("command", shown(command), accepted).into());
        }
        Ok(Self {
            command: command.to_owned(),
            time_limit,
            submissions,
            name: name.to_owned(),
            collections: 0,
            answers: VecDeque::new(),
        })
    }

    /// Runs the program for batch `number`. Returns an answer for each attempt that gave one.
    fn ask(&self, number: u64) -> Result<Vec<Collected>, Error> {
        let (measurements, truths) = self.submissions.of_collection(number)?;
        let request = CollectionRequest {
            batch: format!("{} {number}", self.name),
            attempts: if (number / 2).is_multiple_of(2) { 1 } else { 2 },
            measurements,
        };
        let mut input =
            serde_json::to_vec(&request).map_err(|error| Error::Run(error.to_string()))?;
        input.push(b'\n');
        let answers = self.run(input).and_then(|output| answers(&request, &truths, &output));
        answers.map_err(|source| Error::Program { batch: request.batch, source: Box::new(source) })
    }

    /// The program's standard output for `input` as standard input. `Err` beyond the time limit,
    /// beyond [`MAX_BYTES`], and for a status other than 0.
    fn run(&self, input: Vec<u8>) -> Result<Vec<u8>, ProgramError> {
        let deadline = Instant::now() + self.time_limit;
        let mut words = self.command.split_whitespace();
        let program = words.next().unwrap_or_default();
        let not_started = |source| ProgramError::NotStarted { program: shown(program), source };
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // Dropping the group ends the program and all that it started.
        let mut group = ProcessGroup::start(&mut command).map_err(not_started)?;
        let child = group.child();
        if let Some(mut stdin) = child.stdin.take() {
            // A program that fails before it reads everything shows its reason elsewhere.
            thread::spawn(move || stdin.write_all(&input));
        }
        let output = child.stdout.take().map(read_all);
        let said = child.stderr.take().map(read_all);
        let timed_out = || ProgramError::TimedOut(self.time_limit);
        let left = deadline.saturating_duration_since(Instant::now());
        let output = output.and_then(|output| output.recv_timeout(left).ok());
        let output = output.ok_or_else(timed_out)?;
        if output.len() as u64 > MAX_BYTES {
            return Err(ProgramError::TooLong { most: MAX_BYTES });
        }
        let status = group.wait_until(deadline).map_err(not_started)?;
        let status = status.ok_or_else(timed_out)?;
        if status.success() {
            return Ok(output);
        }
        let said = said.and_then(|said| said.recv_timeout(SOON).ok());
        let said = String::from_utf8_lossy(&said.unwrap_or_default()).into_owned();
        let last = said.lines().rfind(|line| !line.trim().is_empty());
        let said = last.map(shown).unwrap_or_default();
        Err(ProgramError::Failed { status: status.to_string(), said })
    }
}

/// Reads a stream in a new thread, up to [`MAX_BYTES`] + 1 bytes. The receiver gets the bytes at
/// the end of the stream.
fn read_all(stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // After an error the bytes so far are sent; after the time limit nobody receives them.
        let _ = stream.take(MAX_BYTES + 1).read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

impl Deployment for Program {
    fn collect(&mut self) -> Result<Collected, Error> {
        if self.answers.is_empty() {
            self.answers = self.ask(self.collections)?.into();
            self.collections += 1;
        }
        let next = self.answers.pop_front();
        next.ok_or_else(|| Error::Run("no attempt gave an answer".to_owned()))
    }
}

/// The answers to `request` in a program's output. `truths` are the true totals of its
/// measurements. `Err` for a line that is no answer, for an attempt that was not asked for, and for
/// output without any line.
fn answers(
    request: &CollectionRequest,
    truths: &[i64],
    output: &[u8],
) -> Result<Vec<Collected>, ProgramError> {
    let submitted = request.measurements.len() as u64;
    let mut collections: Vec<Collected> = Vec::new();
    for (line, text) in (1..).zip(String::from_utf8_lossy(output).lines()) {
        let CollectionAnswer { attempt, reports, released } =
            serde_json::from_str(text).map_err(|source| ProgramError::NotAnAnswer {
                line,
                text: shown(text),
                source: source.into(),
            })?;
        let least = collections.last().map_or(1, |last| last.attempt + 1);
        if !(least..=request.attempts).contains(&attempt) {
            let accepted = format!("an integer from {least} to {}", request.attempts);
            return Err(ParameterError::new("attempt", attempt, accepted).into());
        }
        let (batch, truths) = (request.batch.clone(), truths.to_vec());
        collections.push(Collected { batch, attempt, reports, submitted, truths, released });
    }
    if collections.is_empty() {
        let accepted = "one line at least for an attempt that gave one";
        return Err(ParameterError::new("answers", 0, accepted).into());
    }
    Ok(collections)
}

/// The text `: ` and the words of `said`; an empty text if `said` is empty.
fn after(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": {said}") }
}
