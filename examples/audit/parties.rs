//! The parties of a task, for an audit that runs this program once for each collection, and faults that
//! such an audit should find:
//!
//! ```console
//! $ cargo build -p examples
//! $ cargo xtask audit --task examples/audit/task.toml --command target/debug/audited-parties
//! $ cargo xtask audit --task examples/audit/task.toml --command 'target/debug/audited-parties --fault silent-aggregator'
//! ```
//!
//! `--task FILE` takes another task. [`faults`] has the faults by name. With `--seed N` all randomness follows from a number
//! and the batch, for tests.
//!
//! It reads what is asked for from standard input, and prints what was released. Put your own client
//! and collector in the place of [`Parties`] to have your deployment audited.

mod faults;

use std::error::Error;
use std::fs;
use std::io::{self, Write as _};
use std::sync::Arc;

use dp_audit::{Answer, Collected, Held, Parties, Planted, Request};
use dp_prio3::DpPolicy;
use dp_samplers::os_rng;
use dp_task::{Measured, PolicyVisitor, Task};
use faults::{FAULTS, Fault};
use rand_core::Rng as _;

/// The task that the parties have agreed on.
const TASK: &str = include_str!("task.toml");

fn main() -> Result<(), Box<dyn Error>> {
    const USAGE: &str = "expected --task FILE, --fault NAME, --seed N, or nothing";
    let (mut task, mut fault, mut seed) = (TASK.to_owned(), None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let value = arguments.next();
        let value = value.ok_or(USAGE)?;
        match option.as_str() {
            "--task" => task = fs::read_to_string(value)?,
            "--fault" => {
                let known = FAULTS.iter().find(|(known, _)| *known == value);
                fault = Some(known.ok_or("no such fault")?.1);
            }
            "--seed" => seed = Some(value.parse()?),
            _ => return Err(USAGE.into()),
        }
    }
    let request: Request = serde_json::from_reader(io::stdin().lock())?;
    let task = Task::from_toml(&task)?;
    let seed = match (fault, seed) {
        (Some(Fault::FixedSeed), _) => 1,
        (_, Some(seed)) => of_batch(seed, &request.batch),
        (_, None) => os_rng()?.next_u64(),
    };
    let answers = task.with_policy(Asked {
        request,
        fault,
        seed,
    })?;
    let mut output = io::stdout().lock();
    // The first of two answers gets lost on its way: the collector asks again.
    if let Some(last) = answers.last() {
        serde_json::to_writer(&mut output, last)?;
        output.write_all(b"\n")?;
    }
    Ok(())
}

/// The parties are asked for a collection.
struct Asked {
    request: Request,
    fault: Option<Fault>,
    seed: u64,
}

/// A seed for each batch: one of this number and the bytes of the name (FNV-1a).
fn of_batch(seed: u64, batch: &str) -> u64 {
    let with_byte = |seed: u64, byte| (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    batch.bytes().fold(seed, with_byte)
}

impl PolicyVisitor for Asked {
    type Output = Result<Vec<Answer>, Box<dyn Error>>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: Measured> + 'static,
    {
        let Request {
            batch,
            attempts,
            measurements,
        } = self.request;
        let of_query = |held: Held| held.of_query(&policy.query());
        let measurements = measurements.into_iter().map(of_query).collect();
        let seed = self.seed;
        let sound = Planted::sound(policy);
        let [collector, leader, helper] = match self.fault {
            Some(fault) => fault.planted(&sound, seed)?,
            None => [sound.clone(), sound.clone(), sound],
        };
        let aggregators = [Arc::new(leader), Arc::new(helper)];
        let collector = Arc::new(collector);
        let mut parties = Parties::new(&collector, &aggregators, Vec::new(), seed)?;
        if self.fault == Some(Fault::FirstAttemptOnly) {
            parties = parties.without_releases();
        }
        let request = Request {
            batch,
            attempts,
            measurements,
        };
        let answers = parties.answers(&request)?;
        Ok(answers.into_iter().map(answer).collect())
    }
}

fn answer(collected: Collected) -> Answer {
    Answer {
        attempt: collected.attempt,
        reports: collected.reports,
        released: collected.released,
    }
}
