//! The fewest clients with which a policy keeps a budget and an accuracy.

use dp_exact::{Refusal, directed, elementary};
use dp_task::PolicyName;

use super::made;
use crate::planner::Planner;
use crate::wanted::{Accuracy, Against};
use crate::{Choice, Error, Job};

/// The most clients that are proposed.
const MOST_CLIENTS: f64 = 1e10;

/// The most numbers of clients that are tried.
const STEPS: usize = 80;

/// The choice with the least clients whose errors are small enough.
pub(super) fn of_least_clients(
    planner: &Planner<'_>,
    policy: &PolicyName,
    accuracy: &Accuracy,
) -> Result<Choice, Error> {
    if let Some((clients, noise)) = planner.twin(policy) {
        let job = with_clients(planner.job, directed::count(clients))?;
        return made(&planner.of_size(&job), policy, noise);
    }
    // Noise of clients alone grows as the root of their number, other noise does not.
    let is_of_clients = policy.aggregator_noise.is_none();
    let is_in_crowd = planner.wanted.against == Against::Collector;
    let power = match planner.wanted.against {
        Against::AllAggregators | Against::OneAggregator if is_of_clients => 2,
        _ => 1,
    };
    let mut clients = f64::from(planner.job.reports_per_client);
    let mut too_few = 0.0_f64;
    // By how much the error is larger than a sketch says.
    let mut beyond = 1.0_f64;
    let mut last = no_number();
    for _ in 0..STEPS {
        if clients > MOST_CLIENTS {
            break;
        }
        let excess = match sketched(planner, policy, accuracy, clients) {
            Ok(excess) => excess * beyond,
            // With too few clients none of their noise is as small as that of the aggregators, and no
            // crowd hides coin flips.
            Err(error) if policy.client_noise.is_some() && (is_in_crowd || !is_of_clients) => {
                last = error;
                too_few = clients;
                clients *= 1.5;
                continue;
            }
            Err(error) => return Err(error),
        };
        if excess <= 1.0 {
            if policy.client_noise.is_some() {
                clients = between(planner, policy, accuracy, beyond, (too_few, clients));
            }
            let job = with_clients(planner.job, clients)?;
            let sized = planner.of_size(&job);
            let noise = match sized.noise(policy) {
                Ok(noise) => noise,
                Err(error) if policy.client_noise.is_some() => {
                    last = error;
                    too_few = (clients * 1.02).ceil();
                    clients = too_few * 1.02 + 1.0;
                    continue;
                }
                Err(error) => return Err(error),
            };
            let excess =
                job.errors(&noise, job.clients)?.of(accuracy) / job.allowed(accuracy, job.clients);
            if excess <= 1.0 {
                planner.note_twin(policy, job.clients, &noise);
                return made(&sized, policy, noise);
            }
            // Clients whose noise was not found keep the budget by themselves: that is no sketch.
            beyond = match sketched(planner, policy, accuracy, clients) {
                Ok(sketch) if !planner.gave_up(policy) => 1.001 * excess / sketch,
                _ => 1.0,
            };
            too_few = clients;
            clients = (clients * elementary::powi(excess, power))
                .ceil()
                .max(clients + 1.0);
            continue;
        }
        too_few = clients;
        clients = (clients * elementary::powi(excess, power))
            .ceil()
            .max(clients + 1.0);
        last = no_number();
    }
    Err(last)
}

/// The error over so many clients as a multiple of what is allowed, about.
fn sketched(
    planner: &Planner<'_>,
    policy: &PolicyName,
    accuracy: &Accuracy,
    clients: f64,
) -> Result<f64, Error> {
    let job = with_clients(planner.job, clients)?;
    let sketch = planner.of_size(&job).into_sketch();
    let noise = sketch.noise(policy)?;
    let error = job.errors(&noise, job.clients)?.of(accuracy);
    Ok(error / job.allowed(accuracy, job.clients))
}

/// About the fewest clients that are enough, between too few and enough of them: to one, or a five
/// hundredth.
fn between(
    planner: &Planner<'_>,
    policy: &PolicyName,
    accuracy: &Accuracy,
    beyond: f64,
    (mut too_few, mut enough): (f64, f64),
) -> f64 {
    while enough - too_few > (enough / 500.0).max(1.0) {
        let middle = ((too_few + enough) / 2.0).floor();
        match sketched(planner, policy, accuracy, middle) {
            Ok(excess) if excess * beyond <= 1.0 => enough = middle,
            _ => too_few = middle,
        }
    }
    enough
}

fn no_number() -> Error {
    let what = "a number of clients up to 10000000000 with this error";
    Refusal::not_available(what, "allow a larger error or a larger budget").into()
}

fn with_clients(job: &Job, clients: f64) -> Result<Job, Error> {
    if clients > MOST_CLIENTS {
        return Err(no_number());
    }
    let clients = directed::floor_to_count(clients, u64::MAX);
    let clients = clients.max(job.reports_per_client.into());
    Ok(Job {
        clients,
        ..job.clone()
    })
}
