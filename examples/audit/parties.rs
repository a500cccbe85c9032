//! The parties of a task, for an audit that runs this program once for each collection, and faults that
//! such an audit should find:
//!
//! ```console
//! $ cargo build -p examples
//! $ cargo xtask audit --task examples/audit/task.toml --command target/debug/audited-parties
//! $ cargo xtask audit --task examples/audit/task.toml --command 'target/debug/audited-parties --fault silent-aggregator'
//! ```
//!
//! It reads what is asked for from standard input, and prints what was released. Put your own client
//! and collector in the place of [`Parties`] to have your deployment audited.

use std::error::Error;
use std::io::{self, Write as _};
use std::sync::Arc;

use dp_audit::{Answer, Collected, Held, Parties, Planted, Request};
use dp_prio3::DpPolicy;
use dp_samplers::os_rng;
use dp_task::{Measured, PolicyVisitor, Task};
use rand_core::Rng as _;

/// The task that the parties have agreed on.
const TASK: &str = include_str!("task.toml");

/// What is wrong with the deployment.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// One aggregator adds no noise.
    SilentAggregator,
    /// All randomness follows from a seed that never changes.
    FixedSeed,
    /// Aggregators do not keep what they released, and the leader adds its noise only on the first of
    /// two attempts to collect.
    FirstAttemptOnly,
}

const FAULTS: [(&str, Fault); 3] = [
    ("silent-aggregator", Fault::SilentAggregator),
    ("fixed-seed", Fault::FixedSeed),
    ("first-attempt-only", Fault::FirstAttemptOnly),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let fault = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["--fault", name] => {
            let known = FAULTS.iter().find(|(known, _)| *known == name);
            Some(known.ok_or("no such fault")?.1)
        }
        _ => return Err("expected --fault NAME or nothing".into()),
    };
    let request: Request = serde_json::from_reader(io::stdin().lock())?;
    let task = Task::from_toml(TASK)?;
    let answers = task.with_policy(Asked { request, fault })?;
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
        let seed = match self.fault {
            Some(Fault::FixedSeed) => 1,
            _ => os_rng()?.next_u64(),
        };
        let sound = Planted::sound(policy);
        let altered = match self.fault {
            Some(Fault::SilentAggregator) => sound.clone().with_noise(|_, noise| noise.fill(0)),
            Some(Fault::FirstAttemptOnly) => sound.clone().with_noise(|draws, noise| {
                if draws > 0 {
                    noise.fill(0);
                }
            }),
            _ => sound.clone(),
        };
        let sound = Arc::new(sound);
        let aggregators = [Arc::new(altered), Arc::clone(&sound)];
        let mut parties = Parties::new(&sound, &aggregators, Vec::new(), seed)?;
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
