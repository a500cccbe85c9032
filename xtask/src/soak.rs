//! `soak`: runs randomized tests with fresh seeds until time is up.

mod stages;

#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use clap::{Args, value_parser};
use dp_cli::{Failure, print};
use dp_samplers::os_rng;
use dp_samplers::rand_core::Rng;

use stages::{Outcome, Stage, stages};

/// The most printed lines of a failed stage's output.
const SHOWN: usize = 80;

/// Run properties, certificates, audits, command lines and fuzz targets with fresh seeds
/// until time is up. A stage that fails or does not end is an error with the line that repeats it
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Minutes after which no stage begins, up to a week
    #[arg(long, default_value = "10", value_parser = value_parser!(u64).range(1..=10_080), allow_hyphen_values = true)]
    minutes: u64,
    /// Seed of the first round; the next round has the next number [default: a fresh one]
    #[arg(long, value_name = "SEED", allow_hyphen_values = true)]
    seed: Option<u64>,
    /// Minutes after which a stage has failed, including its compilation
    #[arg(
        long,
        value_name = "MINUTES",
        default_value = "30",
        value_parser = value_parser!(u64).range(1..=10_080),
        allow_hyphen_values = true
    )]
    stage_minutes: u64,
    /// Only stages whose name begins like this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
}

/// The failure of a soak. A text in a variant is the command line of a stage.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("failed; repeat it with: {0}")]
    Failed(String),
    #[error("did not end within {seconds} s; repeat it with: {1}", seconds = .0.as_secs())]
    TimedOut(Duration, String),
    #[error("this ran no test: {0}")]
    Idle(String),
    #[error("no stage begins with {0:?}")]
    Unknown(String),
    #[error("{1}; this does not start: {0}")]
    NotStarted(String, io::Error),
    #[error("the output is closed")]
    Closed,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let seed = match options.seed {
        Some(seed) => seed,
        None => os_rng().map_err(Failure::other)?.next_u64(),
    };
    let only = options.only.as_deref().unwrap_or_default();
    let end = Instant::now() + Duration::from_secs(60 * options.minutes);
    let limit = Duration::from_secs(60 * options.stage_minutes);
    print(format_args!("seed {seed}\n"))?;
    let of_round = |seed| stages(seed, only);
    if of_round(seed).is_empty() {
        return Err(Failure::other(Error::Unknown(only.to_owned())));
    }
    rounds(seed, end, limit, of_round, |text| print(text).is_ok()).map_err(Failure::other)
}

/// Runs rounds with rising seeds until `end` or until a stage fails; the other stages of that round
/// still run. `limit` is the longest time of a stage, `of_round` gives the stages of a seed, `say`
/// prints and returns `false` if the output is closed.
fn rounds(
    mut seed: u64,
    end: Instant,
    limit: Duration,
    of_round: impl Fn(u64) -> Vec<Stage>,
    say: impl Fn(fmt::Arguments<'_>) -> bool,
) -> Result<(), Error> {
    let print = |text: fmt::Arguments<'_>| match say(text) {
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
                print(format_args!("round {seed}: {} held, {seconds} s\n", stage.name))?;
                continue;
            };
            print(format_args!("{text}"))?;
            print(format_args!("round {seed}: {} FAILED, {seconds} s\n  {failure}\n", stage.name))?;
            failed.get_or_insert(failure);
        }
        if !left.is_empty() {
            print(format_args!("round {seed}: no time was left for {}\n", left.join(", ")))?;
        }
        if let Some(error) = failed {
            return Err(error);
        }
        if Instant::now() >= end {
            return print(format_args!("no stage failed; {held} held\n"));
        }
        seed = seed.wrapping_add(1);
    }
}

/// The error of a stage that failed, did not end in time or ran no test; `None` if it passed.
fn failure(stage: &Stage, outcome: &Outcome, limit: Duration) -> Option<Error> {
    let line = || stage.to_string();
    match (outcome.is_success, outcome.passed) {
        (None, _) => Some(Error::TimedOut(limit, line())),
        (Some(false), _) => Some(Error::Failed(line())),
        (Some(true), Some(0)) => Some(Error::Idle(line())),
        (Some(true), _) => None,
    }
}

/// The last [`SHOWN`] lines of a stage's output.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(SHOWN)..];
    last.iter().flat_map(|line| [line, "\n"]).collect()
}
