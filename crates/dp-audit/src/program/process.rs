//! One run of a program, with a limit to its time and its output.

use std::io::{self, Read, Write as _};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use dp_exact::shown;

use super::ProgramError;
use crate::group::ProcessGroup;

/// The longest answer, in bytes.
const MOST_BYTES: u64 = 1 << 24;

/// So many of the last bytes of standard error are kept at least, of which the last line is told.
const SAID: usize = 1 << 16;

/// So long an ended program's last line is waited for.
const SOON: Duration = Duration::from_millis(100);

/// What is run.
#[derive(Debug)]
pub(super) struct Process {
    program: String,
    arguments: Vec<String>,
    time_limit: Duration,
}

impl Process {
    /// The words of the command, if there are any.
    pub(super) fn new(command: &str, time_limit: Duration) -> Option<Self> {
        let mut words = command.split_whitespace().map(str::to_owned);
        Some(Self {
            program: words.next()?,
            arguments: words.collect(),
            time_limit,
        })
    }

    /// What it prints when it reads this.
    pub(super) fn run(&self, input: Vec<u8>) -> Result<Vec<u8>, ProgramError> {
        let deadline = Instant::now() + self.time_limit;
        let mut group = self.started()?;
        let child = group.child();
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read it all has its reasons, and shows them.
            thread::spawn(move || stdin.write_all(&input));
        }
        let output = child
            .stdout
            .take()
            .map(|output| read(output, MOST_BYTES + 1));
        let said = child.stderr.take().map(read_end);
        let ended = output
            .ok_or(ProgramError::TimedOut(self.time_limit))
            .and_then(|output| self.ended(&mut group, &output, deadline));
        // With what the program started.
        drop(group);
        let (status, output) = ended?;
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

    fn started(&self) -> Result<ProcessGroup, ProgramError> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        ProcessGroup::start(&mut command).map_err(|source| self.not_started(source))
    }

    fn not_started(&self, source: io::Error) -> ProgramError {
        let program = shown(&self.program);
        ProgramError::NotStarted { program, source }
    }

    /// Its status and its output, when both are there.
    fn ended(
        &self,
        group: &mut ProcessGroup,
        output: &Receiver<Vec<u8>>,
        deadline: Instant,
    ) -> Result<(ExitStatus, Vec<u8>), ProgramError> {
        let left = || deadline.saturating_duration_since(Instant::now());
        let output = match output.recv_timeout(left()) {
            Ok(output) => output,
            Err(RecvTimeoutError::Timeout) => return Err(ProgramError::TimedOut(self.time_limit)),
            Err(RecvTimeoutError::Disconnected) => Vec::new(),
        };
        if output.len() as u64 > MOST_BYTES {
            return Err(ProgramError::TooLong { most: MOST_BYTES });
        }
        let status = group.wait_until(deadline);
        match status.map_err(|source| self.not_started(source))? {
            Some(status) => Ok((status, output)),
            None => Err(ProgramError::TimedOut(self.time_limit)),
        }
    }
}

/// Reads so much in a thread of its own, and throws away the rest, so that the program is not held up.
fn read(mut stream: impl Read + Send + 'static, most: u64) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read until it broke off is what there is.
        let _ = stream.by_ref().take(most).read_to_end(&mut bytes);
        let is_full = bytes.len() as u64 >= most;
        // Nobody listens any more if the time is over.
        let _ = sender.send(bytes);
        if is_full {
            let _ = io::copy(&mut stream, &mut io::sink());
        }
    });
    receiver
}

/// Reads all in a thread of its own, and keeps the end.
fn read_end(mut stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        loop {
            // What was read until it broke off is what there is.
            let read = stream.by_ref().take(SAID as u64).read_to_end(&mut bytes);
            if !read.is_ok_and(|count| count == SAID) {
                break;
            }
            bytes.drain(..bytes.len() - SAID);
        }
        // Nobody listens any more if the time is over.
        let _ = sender.send(bytes);
    });
    receiver
}
