//! The fewest clients with which a policy keeps a budget and an accuracy. Among honest clients the
//! accuracy determines the noise, and the guarantee of the built policy decides.

use dp_calibration::{Budget, Refusal, TrustModel};
use dp_exact::search::{bisect_floats, integer_midpoint, try_bisect};
use dp_exact::{Epsilon, Rational, directed};
use dp_task::ClientNoiseType;

use crate::estimate_errors::PolicyNoise;
use crate::job::MAX_CLIENTS;
use crate::parameter_search::largest_parameter;
use crate::policy_for_job::PolicyForJob;
use crate::target::Accuracy;
use crate::{Error, Job};

/// The job with the fewest clients at which the policy keeps the target's budget and this accuracy,
/// and its noise: the better of noise that does not depend on the number of clients and, in OAMC,
/// noise among honest clients, there to half a percent, for an approximate budget and without noise
/// of aggregators. `Err` if neither reaches both.
pub(crate) fn fewest_clients(
    policy: &PolicyForJob<'_>,
    accuracy: &Accuracy,
) -> Result<(Job, PolicyNoise), Error> {
    let alone = with_fixed_noise(policy, accuracy);
    let among = match (policy.policy.client_noise, &policy.target.budget) {
        (Some(randomizer), Some(Budget::Approximate { epsilon, .. }))
            if policy.target.trust_model == TrustModel::OneAggregatorMostClients
                && policy.policy.aggregator_noise.is_none() =>
        {
            among_honest_clients(policy, accuracy, randomizer, epsilon.value())
        }
        _ => return alone,
    };
    match (alone, among) {
        (Ok(alone), Ok(among)) if alone.0.clients <= among.0.clients => Ok(alone),
        (_, Ok(among)) => Ok(among),
        (alone, Err(error)) => alone.map_err(|_| error),
    }
}

/// The job with the fewest clients at which the noise that keeps the budget has the accuracy, and
/// that noise, which does not depend on their number: in OAMC others' noise is not counted on.
fn with_fixed_noise(
    policy: &PolicyForJob<'_>,
    accuracy: &Accuracy,
) -> Result<(Job, PolicyNoise), Error> {
    let mut target = policy.target.clone();
    if target.trust_model == TrustModel::OneAggregatorMostClients
        && policy.policy.client_noise.is_some()
    {
        // The guarantee of a client's own noise holds among other clients as well.
        target.trust_model = match policy.policy.aggregator_noise {
            Some(_) => TrustModel::OneAggregatorOneClient,
            None => TrustModel::OneClient,
        };
    }
    let policy = PolicyForJob { target: &target, ..*policy };
    let noise = policy.noise()?;
    let is_enough = |clients: &u64| -> Result<bool, Error> {
        let error = match accuracy {
            Accuracy::StandardDeviation(_) => policy.job.std(&noise, *clients, policy.sums),
            Accuracy::Margin(_) => policy.job.errors(&noise, *clients, policy.sums)?.margin_95,
        };
        Ok(error <= policy.job.allowed(accuracy, *clients))
    };
    let fewest = u64::from(policy.job.reports_per_client);
    if is_enough(&fewest)? {
        return Ok((Job { clients: fewest, ..policy.job.clone() }, noise));
    }
    if !is_enough(&MAX_CLIENTS)? {
        return Err(no_number());
    }
    let (_, clients) = try_bisect(fewest, MAX_CLIENTS, integer_midpoint, is_enough)?;
    Ok((Job { clients, ..policy.job.clone() }, noise))
}

/// The fewest clients, to half a percent, at which the most client noise that `accuracy` allows
/// keeps `epsilon` if one aggregator and most clients are honest: the job with them, and the noise.
fn among_honest_clients(
    policy: &PolicyForJob<'_>,
    accuracy: &Accuracy,
    randomizer: ClientNoiseType,
    epsilon: &Rational,
) -> Result<(Job, PolicyNoise), Error> {
    let fewest = u64::from(policy.job.reports_per_client);
    // The search is for the largest inverse of a number of clients.
    let job = |inverse: &Epsilon| {
        let clients = directed::floor_to_count(inverse.value().to_f64().recip(), MAX_CLIENTS);
        Job { clients: clients.max(fewest), ..policy.job.clone() }
    };
    let noise = |job: &Job| -> Result<PolicyNoise, Error> {
        let deviation = job.deviation_within(accuracy, job.clients, policy.sums);
        let policy = PolicyForJob { job, ..*policy };
        Ok(policy.client_noise_within(randomizer, deviation)?.into())
    };
    let bound = |inverse: &Epsilon| {
        let job = job(inverse);
        let policy = PolicyForJob { job: &job, ..*policy };
        let found = noise(&job)
            .and_then(|noise| policy.epsilon(TrustModel::OneAggregatorMostClients, &noise));
        // Too few clients have no noise of this accuracy, or no guarantee.
        Ok(found.unwrap_or_else(|_| epsilon + epsilon))
    };
    let first = directed::count(first_guess(policy, accuracy, randomizer)?);
    // A number of clients is tried once.
    let guess = |multiple: f64| {
        directed::count(directed::floor_to_count(first / multiple, MAX_CLIENTS).max(1)).recip()
    };
    let inverse = largest_parameter(guess, epsilon, bound);
    let job = job(&inverse.map_err(|_| no_number())?);
    let noise = noise(&job)?;
    Ok((job, noise))
}

/// Approximately the fewest clients that keep budget and accuracy, as if the client noise of all
/// were Gaussian; [`MAX_CLIENTS`] if no number does.
fn first_guess(
    policy: &PolicyForJob<'_>,
    accuracy: &Accuracy,
    randomizer: ClientNoiseType,
) -> Result<u64, Error> {
    let deviation = policy.gaussian_deviation(policy.job.randomized(randomizer))?(1.0);
    let is_enough = |clients: f64| {
        let clients = directed::floor_to_count(clients, MAX_CLIENTS);
        policy.job.deviation_within(accuracy, clients, policy.sums) >= deviation
    };
    let (_, normal) = bisect_floats((1.0, directed::count(MAX_CLIENTS)), 60, is_enough);
    Ok(directed::floor_to_count(normal.ceil(), MAX_CLIENTS))
}

/// The refusal if not even [`MAX_CLIENTS`] clients are enough.
fn no_number() -> Error {
    let what = "a number of clients up to 10000000000 with this error";
    Refusal::not_available(what, "allow a larger error or a larger budget").into()
}
