//! The fewest clients with which a policy keeps a budget and an accuracy.
//!
//! Where the noise of a budget does not depend on the number of clients, only the error does. Among honest
//! clients the accuracy says the noise for every number of them, and the guarantee of the built policy
//! becomes smaller with more clients: it decides.

use dp_calibration::{Budget, TrustModel};
use dp_exact::{Rational, Refusal, directed};
use dp_task::ClientNoiseType;

use crate::client::Local;
use crate::errors::{Noise, deviation_within};
use crate::family::Family;
use crate::target::Accuracy;
use crate::{Error, Job};

/// The most clients that are proposed.
const MOST: u64 = 10_000_000_000;

/// A number of clients is near if it is above one that is too few by at most this part.
const NEAR: f64 = 0.005;

/// The most questions about guarantees.
const QUESTIONS: usize = 24;

/// The job with the fewest clients, and the noise.
pub(crate) fn fewest_clients(
    family: &Family<'_>,
    accuracy: &Accuracy,
) -> Result<(Job, Noise), Error> {
    let alone = if_noise_stays(family, accuracy);
    let among = match (family.policy.client_noise, &family.target.budget) {
        (Some(randomizer), Some(Budget::Approximate { epsilon, .. }))
            if family.target.trust_model == TrustModel::OneAggregatorMostClients
                && family.policy.aggregator_noise.is_none() =>
        {
            among_honest_clients(family, accuracy, randomizer, epsilon.value())
        }
        _ => return alone,
    };
    match (alone, among) {
        (Ok(alone), Ok(among)) if alone.0.clients <= among.0.clients => Ok(alone),
        (_, Ok(among)) => Ok(among),
        (alone, Err(error)) => alone.map_err(|_| error),
    }
}

/// For noise that is the same for every number of clients.
fn if_noise_stays(family: &Family<'_>, accuracy: &Accuracy) -> Result<(Job, Noise), Error> {
    let mut target = family.target.clone();
    if target.trust_model == TrustModel::OneAggregatorMostClients
        && family.policy.client_noise.is_some()
    {
        // What a client's own noise guarantees holds among other clients as well.
        target.trust_model = TrustModel::OneClient;
        if family.policy.aggregator_noise.is_some() {
            target.trust_model = TrustModel::OneAggregatorOneClient;
        }
    }
    let family = Family { target: &target, ..*family };
    let noise = family.noise()?;
    let is_enough = |clients: u64| -> Result<bool, Error> {
        let job = with_clients(family.job, clients);
        let error = match accuracy {
            Accuracy::StandardDeviation(_) => job.std(&noise, clients)?,
            Accuracy::Margin(_) => job.errors(&noise, clients)?.margin_95,
        };
        Ok(error <= job.allowed(accuracy, clients))
    };
    let fewest = u64::from(family.job.reports_per_client);
    let (mut too_few, mut enough) = (fewest, fewest);
    while !is_enough(enough)? {
        if enough >= MOST {
            return Err(no_number());
        }
        too_few = enough;
        enough = enough.saturating_mul(2).min(MOST);
    }
    while enough > too_few + 1 {
        let middle = too_few + (enough - too_few) / 2;
        match is_enough(middle)? {
            true => enough = middle,
            false => too_few = middle,
        }
    }
    Ok((with_clients(family.job, enough), noise))
}

/// For noise of clients that hides each of them among all honest ones.
fn among_honest_clients(
    family: &Family<'_>,
    accuracy: &Accuracy,
    randomizer: ClientNoiseType,
    target: &Rational,
) -> Result<(Job, Noise), Error> {
    // The noise that the accuracy allows, and how far its guarantee is beyond the budget.
    let asked = |clients: u64| -> Result<(Local, f64), Error> {
        let job = with_clients(family.job, clients);
        let allowed = job.allowed(accuracy, clients) / job.unit(clients);
        let family = Family { job: &job, ..*family };
        let local = family.clients_within(randomizer, deviation_within(accuracy, allowed))?;
        let found = family.epsilon(TrustModel::OneAggregatorMostClients, &local)?;
        let excess = match found <= *target {
            true => 0.0,
            false => (found.to_f64() / target.to_f64()).max(1.0 + 1e-9),
        };
        Ok((local, excess))
    };
    let fewest = u64::from(family.job.reports_per_client);
    let (mut too_few, mut enough): (u64, Option<(u64, Local)>) = (fewest - 1, None);
    let mut clients = about(family, accuracy, randomizer)?.clamp(fewest, MOST);
    for _ in 0..QUESTIONS {
        let failed = match asked(clients) {
            Ok((local, excess)) if excess <= 1.0 => {
                enough = Some((clients, local));
                None
            }
            Ok((_, excess)) => Some(excess),
            // Too few clients have no noise that is small enough.
            Err(_) => Some(2.0),
        };
        if let Some(excess) = failed {
            too_few = too_few.max(clients);
            if enough.is_none() {
                if clients >= MOST {
                    return Err(no_number());
                }
                let next = directed::count(clients) * excess.min(8.0) * (1.0 + NEAR / 2.0);
                clients = directed::floor_to_count(next.ceil(), MOST).max(clients + 1);
                continue;
            }
        }
        let Some((found, _)) = &enough else {
            continue;
        };
        let gap = directed::count(found - too_few);
        if gap <= (directed::count(*found) * NEAR).max(1.0) {
            break;
        }
        // The guess is a little below the number, mostly.
        let step = directed::count(*found) * (1.0 - 2.0 * NEAR);
        let middle = too_few + (found - too_few) / 2;
        clients = directed::floor_to_count(step, MOST).max(middle);
    }
    let (clients, local) = enough.ok_or_else(no_number)?;
    let noise = Noise { clients: Some(local), aggregators: None };
    Ok((with_clients(family.job, clients), noise))
}

/// About the number of clients with which Gaussian noise in every count keeps budget and accuracy.
fn about(
    family: &Family<'_>,
    accuracy: &Accuracy,
    randomizer: ClientNoiseType,
) -> Result<u64, Error> {
    let local = family.job.local(randomizer)?;
    let counted = family.target.counted_releases(family.job);
    let counts = local.counts().saturating_mul(counted.into());
    let variance = family.variance_of(counts)?;
    let is_enough = |clients: f64| {
        let clients = directed::floor_to_count(clients, MOST);
        let job = with_clients(family.job, clients);
        let allowed = job.allowed(accuracy, clients) / job.unit(clients);
        deviation_within(accuracy, allowed) >= variance.sqrt()
    };
    let (_, normal) = dp_exact::search::bisect_floats((1.0, directed::count(MOST)), 60, is_enough);
    Ok(refined(family, accuracy, randomizer, counts, normal)
        .unwrap_or_else(|| directed::floor_to_count(normal.ceil(), MOST)))
}

/// The number of clients by the estimate of the guarantee of bits, from a number that is near.
fn refined(
    family: &Family<'_>,
    accuracy: &Accuracy,
    randomizer: ClientNoiseType,
    counts: u64,
    near: f64,
) -> Option<u64> {
    let Some(Budget::Approximate { epsilon, .. }) = &family.target.budget else {
        return None;
    };
    let target = epsilon.value().to_f64() * (1.0 - NEAR / 2.0);
    let estimate = |clients: f64| {
        let clients = directed::floor_to_count(clients, MOST);
        let job = with_clients(family.job, clients);
        let allowed = job.allowed(accuracy, clients) / job.unit(clients);
        let family = Family { job: &job, ..*family };
        let deviation = deviation_within(accuracy, allowed);
        let local = family.clients_within(randomizer, deviation).ok()?;
        family.estimate(&local, local.parameter.value().to_f64(), counts)
    };
    estimate(near)?;
    let is_enough = |clients: f64| estimate(clients).is_some_and(|found| found <= target);
    let (_, enough) = dp_exact::search::bisect_floats((near / 2.0, near * 2.0), 12, is_enough);
    Some(directed::floor_to_count(enough.ceil(), MOST))
}

fn no_number() -> Error {
    let what = "a number of clients up to 10000000000 with this error";
    Refusal::not_available(what, "allow a larger error or a larger budget").into()
}

fn with_clients(job: &Job, clients: u64) -> Job {
    let clients = clients.max(job.reports_per_client.into());
    Job { clients, ..job.clone() }
}
