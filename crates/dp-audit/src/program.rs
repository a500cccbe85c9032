//! Deployments that a program of their own speaks to: it is run once for each collection.

use std::collections::VecDeque;
use std::io::{self, Read, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use dp_exact::{ParameterError, shown};

use crate::Error;
use crate::conformance::Collected;
use crate::deployment::Deployment;
use crate::group::ProcessGroup;
use crate::request::{CollectionAnswer, CollectionRequest};
use crate::submissions::Submissions;

/// The longest time that a program has.
const LONGEST: Duration = Duration::from_secs(86_400);

/// The most bytes of an answer.
const MOST_BYTES: u64 = 1 << 24;

/// How long the last line of a program that has ended is waited for.
const SOON: Duration = Duration::from_millis(100);

/// Why a program gave no answer that can be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// It does not start.
    #[error("{program} does not start: {source}")]
    NotStarted {
        /// Its name.
        program: String,
        /// What the operating system says.
        source: io::Error,
    },
    /// Its standard output was not closed in time, or it did not end. It was ended.
    #[error("the program did not end within {}", seconds(.0))]
    TimedOut(Duration),
    /// It failed.
    #[error("the program failed with {status}{}", after(.said))]
    Failed {
        /// Its exit status.
        status: String,
        /// The last line that it wrote to standard error.
        said: String,
    },
    /// It wrote too much.
    #[error("the answer is longer than {most} bytes")]
    TooLong {
        /// The most that is read.
        most: u64,
    },
    /// A line is no answer.
    #[error(
        "line {line} of the answer is {text}: expected an object with attempt, reports and released ({source})"
    )]
    NotAnAnswer {
        /// Which one, from 1.
        line: usize,
        /// Its beginning.
        text: String,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// It answered with something else than what was asked for.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

/// A deployment to which a program submits known measurements, and from which it collects.
///
/// For each collection the program is started. It reads a [`CollectionRequest`] from its standard input, submits the measurements,
/// collects, prints an [`CollectionAnswer`] on a line of its own for each attempt that gave one, and ends with status 0. Every
/// other pair of collections asks for two attempts: a program that cannot ask again prints the first answer alone.
///
/// There is no shell: the words of the command are the program and its arguments, parted by spaces.
#[derive(Debug)]
pub struct Program {
    command: String,
    time_limit: Duration,
    submissions: Submissions,
    /// A part of the batches' names.
    name: String,
    collections: u64,
    answers: VecDeque<Collected>,
}

impl Program {
    /// A program to which these measurements are given. It has so long for each collection. Batches are called `name` and
    /// a number, so that a deployment which remembers its batches can be audited again under another name.
    ///
    /// # Errors
    /// If the command has no word, or the time is none.
    pub fn new(
        command: &str,
        submissions: Submissions,
        time_limit: Duration,
        name: &str,
    ) -> Result<Self, Error> {
        if time_limit.is_zero() || time_limit > LONGEST {
            let accepted = "more than 0 s and at most a day";
            let value = seconds(&time_limit);
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

    /// Runs the program for one batch.
    fn asked(&self, number: u64) -> Result<Vec<Collected>, Error> {
        let (measurements, truths) = self.submissions.of_collection(number)?;
        let request = CollectionRequest {
            batch: format!("{} {number}", self.name),
            attempts: if (number / 2).is_multiple_of(2) { 1 } else { 2 },
            measurements,
        };
        let of_batch = |source: ProgramError| Error::Program {
            batch: request.batch.clone(),
            source: Box::new(source),
        };
        let mut input =
            serde_json::to_vec(&request).map_err(|error| Error::Run(error.to_string()))?;
        input.push(b'\n');
        let output = self.run(input).map_err(of_batch)?;
        answers(&request, &truths, &output).map_err(of_batch)
    }

    /// What the program prints when it reads this.
    fn run(&self, input: Vec<u8>) -> Result<Vec<u8>, ProgramError> {
        let deadline = Instant::now() + self.time_limit;
        let mut words = self.command.split_whitespace();
        let program = words.next().unwrap_or_default();
        let not_started = |source| ProgramError::NotStarted { program: shown(program), source };
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // It ends with what it started when this ends.
        let mut group = ProcessGroup::start(&mut command).map_err(not_started)?;
        let child = group.child();
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read it all has its reasons, and shows them.
            thread::spawn(move || stdin.write_all(&input));
        }
        let output = child.stdout.take().map(read);
        let said = child.stderr.take().map(read);
        let timed_out = || ProgramError::TimedOut(self.time_limit);
        let left = deadline.saturating_duration_since(Instant::now());
        let output = output.and_then(|output| output.recv_timeout(left).ok());
        let output = output.ok_or_else(timed_out)?;
        if output.len() as u64 > MOST_BYTES {
            return Err(ProgramError::TooLong { most: MOST_BYTES });
        }
        let status = group.wait_until(deadline).map_err(not_started)?;
        let status = status.ok_or_else(timed_out)?;
        if status.success() {
            return Ok(output);
        }
        let said = said.and_then(|said| said.recv_timeout(SOON).ok());
        let said = String::from_utf8_lossy(&said.unwrap_or_default()).into_owned();
        let last = said.lines().rfind(|line| !line.trim().is_empty());
        Err(ProgramError::Failed {
            status: status.to_string(),
            said: last.map(shown).unwrap_or_default(),
        })
    }
}

/// Reads a stream in a thread of its own, up to one byte more than an answer has.
fn read(stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read until it broke off is what there is, and nobody listens any more if the time is over.
        let _ = stream.take(MOST_BYTES + 1).read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

impl Deployment for Program {
    fn collect(&mut self) -> Result<Collected, Error> {
        if self.answers.is_empty() {
            self.answers = self.asked(self.collections)?.into();
            self.collections += 1;
        }
        let next = self.answers.pop_front();
        next.ok_or_else(|| Error::Run("no attempt gave an answer".to_owned()))
    }
}

/// The answers to a request.
fn answers(
    request: &CollectionRequest,
    truths: &[i64],
    output: &[u8],
) -> Result<Vec<Collected>, ProgramError> {
    let text = String::from_utf8_lossy(output);
    let mut collections: Vec<Collected> = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let answer: CollectionAnswer = serde_json::from_str(text).map_err(|source| {
            ProgramError::NotAnAnswer { line, text: shown(text), source: source.into() }
        })?;
        let least = collections.last().map_or(1, |last| last.attempt + 1);
        if !(least..=request.attempts).contains(&answer.attempt) {
            let accepted = format!("an integer from {least} to {}", request.attempts);
            return Err(ParameterError::new("attempt", answer.attempt, accepted).into());
        }
        let submitted = request.measurements.len() as u64;
        if answer.reports > submitted {
            let accepted = format!("at most {submitted}, as many as there are measurements");
            return Err(ParameterError::new("reports", answer.reports, accepted).into());
        }
        if answer.released.len() != truths.len() {
            let accepted = format!("{} numbers", truths.len());
            return Err(ParameterError::new("released", answer.released.len(), accepted).into());
        }
        collections.push(Collected {
            batch: request.batch.clone(),
            attempt: answer.attempt,
            reports: answer.reports,
            submitted,
            truths: truths.to_vec(),
            released: answer.released,
        });
    }
    if collections.is_empty() {
        let accepted = "one line at least for an attempt that gave one";
        return Err(ParameterError::new("answers", 0, accepted).into());
    }
    Ok(collections)
}

fn seconds(time: &Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

/// What a program said, if it did.
fn after(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": {said}") }
}
