//! A deployment reached through a program of the user, which runs once for each collection.

use std::io::{self, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use dp_exact::{ParameterError, parse_integer, shown};

use crate::Error;
use crate::submissions::{CollectionAnswer, CollectionRequest};

/// The longest accepted time limit of one run of a program.
const LONGEST: Duration = Duration::from_secs(86_400);

/// Largest number of bytes of a program's answer.
const MAX_BYTES: u64 = 1 << 24;

/// Time between two checks whether the program has ended.
const TICK: Duration = Duration::from_millis(5);

/// Time limit for reading the standard error of a program that has ended.
const SOON: Duration = Duration::from_millis(100);

/// A deployment to which a program submits known measurements, and from which it collects.
///
/// The program is started for each collection. It reads a [`CollectionRequest`] from its standard
/// input, submits the measurements, collects, prints a [`CollectionAnswer`] on a line for each
/// attempt that gave one, none if the batch is refused, and ends with status 0. Every other pair of collections asks for two
/// attempts. A program that cannot ask again prints the first answer alone.
///
/// There is no shell: the words of the command are the program and its arguments.
#[derive(Debug)]
pub struct Program {
    command: String,
    /// The longest time of one run of the program.
    time_limit: Duration,
}

impl Program {
    /// A program with a time limit for each collection.
    ///
    /// # Errors
    /// If the command is empty, or the time limit is 0 or above a day.
    pub fn new(command: &str, time_limit: Duration) -> Result<Self, Error> {
        if time_limit.is_zero() || time_limit > LONGEST {
            let accepted = "more than 0 s and at most a day";
            let value = format!("{} s", time_limit.as_secs_f64());
            return Err(ParameterError::new("time_limit", value, accepted).into());
        }
        if command.trim().is_empty() {
            let accepted = "a program and its arguments";
            return Err(ParameterError::new("command", shown(command), accepted).into());
        }
        Ok(Self { command: command.to_owned(), time_limit })
    }

    /// The answers of the program to a request; none if it ends with status 0 and prints nothing.
    ///
    /// # Errors
    /// If the program ends otherwise, or prints what is no answer to the request.
    pub fn answers(&self, request: &CollectionRequest) -> Result<Vec<CollectionAnswer>, Error> {
        let mut input =
            serde_json::to_vec(request).map_err(|error| Error::Run(error.to_string()))?;
        input.push(b'\n');
        let refused = |reason| Error::Run(format!("{}: {reason}", request.batch));
        let output = self.run(input).map_err(refused)?;
        answers(request, &output).map_err(|error| refused(error.to_string()))
    }

    /// The program's standard output for `input` as standard input. `Err`, in words, beyond the
    /// time limit, beyond [`MAX_BYTES`], and for a status other than 0.
    fn run(&self, input: Vec<u8>) -> Result<Vec<u8>, String> {
        let deadline = Instant::now() + self.time_limit;
        let mut words = self.command.split_whitespace();
        let program = words.next().expect("a command that is not blank");
        let not_started = |error| format!("{} does not start: {error}", shown(program));
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // Dropping the group ends the program and all that it started.
        let mut group = ProcessGroup::start(&mut command).map_err(not_started)?;
        let child = &mut group.0;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that fails before it reads everything shows its reason elsewhere.
            thread::spawn(move || stdin.write_all(&input));
        }
        let output = child.stdout.take().map(read_all);
        let said = child.stderr.take().map(read_all);
        let limit = self.time_limit.as_secs_f64();
        let timed_out = || format!("the program did not end within {limit} s");
        let left = deadline.saturating_duration_since(Instant::now());
        let output = output.and_then(|output| output.recv_timeout(left).ok());
        let output = output.ok_or_else(timed_out)?;
        if output.len() as u64 > MAX_BYTES {
            return Err(format!("the answer is longer: expected at most {MAX_BYTES} bytes"));
        }
        let status = group.wait_until(deadline).map_err(not_started)?;
        let status = status.ok_or_else(timed_out)?;
        if status.success() {
            return Ok(output);
        }
        let said = said.and_then(|said| said.recv_timeout(SOON).ok());
        let said = String::from_utf8_lossy(&said.unwrap_or_default()).into_owned();
        let last = said.lines().rfind(|line| !line.trim().is_empty());
        let said = last.map_or_else(|| "it said nothing".to_owned(), shown);
        Err(format!("the program failed with {status}: {said}"))
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

/// The answers to `request` in a program's output. `Err` for a line that is no answer, and for an
/// attempt that was not asked for.
fn answers(
    request: &CollectionRequest,
    output: &[u8],
) -> Result<Vec<CollectionAnswer>, ParameterError> {
    let mut answers: Vec<CollectionAnswer> = Vec::new();
    for (line, text) in (1..).zip(String::from_utf8_lossy(output).lines()) {
        let answer: CollectionAnswer = serde_json::from_str(text).map_err(|error| {
            let accepted = format!("an object with attempt, reports and released ({error})");
            ParameterError::new(format!("line {line} of the answer"), text, accepted)
        })?;
        let least = answers.last().map_or(1, |last| last.attempt + 1);
        if least > request.attempts {
            let accepted = format!("no answer behind attempt {}", request.attempts);
            return Err(ParameterError::new("attempt", answer.attempt, accepted));
        }
        parse_integer("attempt", &answer.attempt.to_string(), least..=request.attempts)?;
        answers.push(answer);
    }
    Ok(answers)
}

/// A program in its own process group. Dropping the value ends the program and, on Unix, all
/// programs that it started, except those with their own group or session.
#[derive(Debug)]
struct ProcessGroup(Child);

impl ProcessGroup {
    /// Starts the program.
    fn start(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        command.spawn().map(Self)
    }

    /// The exit status; `None` if the program is still running at the `deadline`.
    fn wait_until(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.0.try_wait()? {
                None if !left.is_zero() => thread::sleep(TICK.min(left)),
                status => return Ok(status),
            }
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // If all programs have ended, the number of the group is free but not yet reused.
        #[cfg(unix)]
        if let Some(group) =
            i32::try_from(self.0.id()).ok().and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_started_ends_with_the_group() {
        for (script, is_ended) in
            [("sleep 600 & echo started; wait", false), ("sleep 600 & echo started; exit 3", true)]
        {
            let mut command = Command::new("sh");
            command.args(["-c", script]).stdout(Stdio::piped());
            let mut group = ProcessGroup::start(&mut command).expect("it starts");
            let mut output = group.0.stdout.take().expect("a pipe");
            let mut said = [0; 8];
            output.read_exact(&mut said).expect("it says so");
            if is_ended {
                let soon = Instant::now() + Duration::from_secs(60);
                let status = group.wait_until(soon).expect("asked").expect("ended");
                assert_eq!(status.code(), Some(3));
            }
            drop(group);
            // The pipe ends once every program that holds it has ended.
            assert_eq!(output.read_to_end(&mut Vec::new()).expect("an end"), 0);
        }
    }
}
