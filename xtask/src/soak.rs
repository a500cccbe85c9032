//! `soak`: what the tests do with one seed, with fresh ones until time is up.

mod stages;

#[cfg(test)]
mod tests;

use std::fmt::{self, Display, Formatter};
use std::io;
use std::time::{Duration, Instant};

use clap::Args;
use dp_cli::{Failure, print};
use dp_exact::ParameterError;
use dp_samplers::os_rng;
use dp_samplers::rand_core::Rng;

use stages::{Outcome, Stage, stages};

/// Lines of a failed stage that are shown.
const SHOWN: usize = 80;

/// The longest run, a week.
const MOST_MINUTES: u64 = 10_080;

/// Run properties, enumerations, certificates, audits, command lines and fuzz targets with fresh seeds until time is
/// up; a failure is an error, with the line that repeats it, and so is what does not end
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// After so many minutes nothing further begins
    #[arg(long, default_value = "10", allow_hyphen_values = true)]
    minutes: String,
    /// The seed of the first round; the next round has the next number [default: a fresh one]
    #[arg(long, value_name = "SEED", allow_hyphen_values = true)]
    seed: Option<String>,
    /// A stage has so many minutes, with what it has to compile; then it is ended, and has failed
    #[arg(long, value_name = "MINUTES", default_value = "30", allow_hyphen_values = true)]
    stage_minutes: String,
    /// Only stages whose name begins so
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
}

/// What went wrong.
#[derive(Debug)]
enum Error {
    /// A stage failed: the line that repeats it.
    Failed(String),
    /// A stage did not end in time: that, and the line that repeats it.
    TimedOut(Duration, String),
    /// A stage ran no test.
    Idle(String),
    /// No stage has such a name.
    Unknown(String),
    /// A stage cannot be started: the line, and why.
    NotStarted(String, io::Error),
    /// This program has no output.
    Closed,
}

impl Display for Error {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(line) => write!(formatter, "failed; repeat it with: {line}"),
            Self::TimedOut(limit, line) => {
                let seconds = limit.as_secs();
                write!(formatter, "did not end within {seconds} s; repeat it with: {line}")
            }
            Self::Idle(line) => write!(formatter, "this ran no test: {line}"),
            Self::Unknown(name) => write!(formatter, "no stage begins with {name:?}"),
            Self::NotStarted(line, error) => {
                write!(formatter, "{error}; this does not start: {line}")
            }
            Self::Closed => formatter.write_str("the output is closed"),
        }
    }
}

impl std::error::Error for Error {}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let accepted = "a whole number of minutes, from 1 to 10080";
    let minutes = |name, text| number(name, text, 1..=MOST_MINUTES, accepted);
    let end = minutes("minutes", &options.minutes)?;
    let limit = minutes("stage-minutes", &options.stage_minutes)?;
    let seed = match &options.seed {
        Some(text) => number("seed", text, 0..=u64::MAX, "a whole number below 2^64")?,
        None => os_rng().map_err(Failure::other)?.next_u64(),
    };
    let only = options.only.as_deref().unwrap_or_default();
    let end = Instant::now() + Duration::from_secs(60 * end);
    let limit = Duration::from_secs(60 * limit);
    print(format_args!("seed {seed}\n"))?;
    let of_round = |seed| stages(seed, only);
    if of_round(seed).is_empty() {
        return Err(Failure::other(Error::Unknown(only.to_owned())));
    }
    rounds(seed, end, limit, of_round, |text| print(text).is_ok()).map_err(Failure::other)
}

fn number(
    name: &'static str,
    text: &str,
    range: std::ops::RangeInclusive<u64>,
    accepted: &'static str,
) -> Result<u64, Failure> {
    let found = text.parse().ok().filter(|number| range.contains(number));
    Ok(found.ok_or_else(|| ParameterError::new(name, text, accepted))?)
}

/// Rounds until the end, or until a stage fails: then the other stages of its round are run still.
fn rounds(
    mut seed: u64,
    end: Instant,
    limit: Duration,
    of_round: impl Fn(u64) -> Vec<Stage>,
    say: impl Fn(fmt::Arguments<'_>) -> bool,
) -> Result<(), Error> {
    let told = |text: fmt::Arguments<'_>| match say(text) {
        true => Ok(()),
        false => Err(Error::Closed),
    };
    let mut held = 0_u64;
    loop {
        let mut failed = None;
        let mut left = Vec::new();
        for stage in of_round(seed) {
            if Instant::now() >= end {
                left.push(stage.name);
                continue;
            }
            let started = Instant::now();
            let (text, failure) = match stage.run(limit) {
                Ok(outcome) => (last_lines(&outcome.text), failure(&stage, &outcome, limit)),
                Err(error) => {
                    let failure = Error::NotStarted(stage.to_string(), error);
                    (String::new(), Some(failure))
                }
            };
            let seconds = started.elapsed().as_secs();
            let Some(failure) = failure else {
                held += 1;
                told(format_args!("round {seed}: {} held, {seconds} s\n", stage.name))?;
                continue;
            };
            told(format_args!("{text}"))?;
            told(format_args!("round {seed}: {} FAILED, {seconds} s\n  {failure}\n", stage.name))?;
            failed.get_or_insert(failure);
        }
        if !left.is_empty() {
            told(format_args!("round {seed}: no time was left for {}\n", left.join(", ")))?;
        }
        if let Some(error) = failed {
            return Err(error);
        }
        if Instant::now() >= end {
            return told(format_args!("no stage failed; {held} held\n"));
        }
        seed = seed.wrapping_add(1);
    }
}

/// What is wrong with how a stage ended.
fn failure(stage: &Stage, outcome: &Outcome, limit: Duration) -> Option<Error> {
    let line = || stage.to_string();
    match (outcome.is_success, outcome.passed) {
        (None, _) => Some(Error::TimedOut(limit, line())),
        (Some(false), _) => Some(Error::Failed(line())),
        (Some(true), Some(0)) => Some(Error::Idle(line())),
        (Some(true), _) => None,
    }
}

/// The end of what a stage said, each line with its end.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(SHOWN)..];
    last.iter().flat_map(|line| [line, "\n"]).collect()
}
