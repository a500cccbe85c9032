//! The parties of a task, for an audit that runs this program once for each collection, and faults
//! that such an audit should find:
//!
//! ```console
//! $ cargo build -p examples
//! $ cargo xtask audit --task examples/audit/task.toml --command target/debug/audited-parties
//! $ cargo xtask audit --task examples/audit/task.toml --command 'target/debug/audited-parties --fault silent-aggregator'
//! ```
//!
//! `--task FILE` takes another task. With `--seed N` all randomness follows from a number and the
//! batch, for tests.
//!
//! The program reads a request from standard input and prints what was released. Put your own
//! client and collector in the place of [`InProcessDeployment`] to have your deployment audited.

use std::error::Error;
use std::fs;
use std::io::{self, Write as _};
use std::sync::Arc;

use dp_audit::{CollectionAnswer, CollectionRequest, InProcessDeployment};
use dp_prio3::{AlterNoise, Deviation, Policy};
use dp_samplers::os_rng;
use dp_task::Task;
use rand_core::Rng as _;

/// The task that the parties have agreed on.
const TASK: &str = include_str!("task.toml");

/// One aggregator adds no noise.
const SILENT: &str = "silent-aggregator";

/// All randomness follows from a seed that never changes.
const FIXED_SEED: &str = "fixed-seed";

/// The leader adds its noise only on the first of two attempts to collect.
const FIRST_ATTEMPT_ONLY: &str = "first-attempt-only";

fn main() -> Result<(), Box<dyn Error>> {
    const USAGE: &str = "expected --task FILE, --fault NAME, --seed N, or nothing";
    let (mut task, mut fault, mut seed) = (TASK.to_owned(), String::new(), None);
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or(USAGE)?;
        match option.as_str() {
            "--task" => task = fs::read_to_string(value)?,
            "--fault" => fault = value,
            "--seed" => seed = Some(value.parse()?),
            _ => return Err(USAGE.into()),
        }
    }
    let request: CollectionRequest = serde_json::from_reader(io::stdin().lock())?;
    let seed = match seed {
        _ if fault == FIXED_SEED => 1,
        Some(seed) => of_batch(seed, &request.batch),
        None => os_rng()?.next_u64(),
    };
    let answers = answers(Task::from_toml(&task)?.policy(), request, &fault, seed)?;
    let mut output = io::stdout().lock();
    // If two answers are asked for, the first gets lost on its way.
    if let Some(last) = answers.last() {
        serde_json::to_writer(&mut output, last)?;
        output.write_all(b"\n")?;
    }
    Ok(())
}

/// A seed for each batch, by FNV-1a over the bytes of its name from `seed`.
fn of_batch(seed: u64, batch: &str) -> u64 {
    let with_byte = |seed: u64, byte| (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    batch.bytes().fold(seed, with_byte)
}

/// What parties with this fault and this seed release for the request.
fn answers(
    policy: &Policy,
    request: CollectionRequest,
    fault: &str,
    seed: u64,
) -> Result<Vec<CollectionAnswer>, Box<dyn Error>> {
    let silent: Arc<AlterNoise> = Arc::new(|noise| noise.fill(0));
    let leader = match fault {
        "" | FIXED_SEED => policy.clone(),
        // Of two attempts only the second one is printed.
        FIRST_ATTEMPT_ONLY if request.attempts == 1 => policy.clone(),
        SILENT | FIRST_ATTEMPT_ONLY => {
            policy.that_deviates(Deviation { noise: Some(silent), ..Deviation::default() })
        }
        _ => return Err("no such fault".into()),
    };
    let parties = &[leader, policy.clone()];
    Ok(InProcessDeployment::new(policy, parties, seed)?.answers(&request)?)
}
