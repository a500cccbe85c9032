//! The policy with a noise, and its task.

use dp_calibration::{Budget, NoiseDistribution, Query};
use dp_exact::directed::to_index;
use dp_exact::{Delta, Epsilon, Rational};
use dp_prio3::Policy;
use dp_prio3::mechanisms::NoiseMechanism;
use dp_prio3::randomizers::Rappor;
use dp_task::{
    ClientNoise, ClientNoiseType, DEFAULT_DELTA, PolicyName, Task, TaskDocument, Trust, VdafSize,
};

use crate::estimate_errors::PolicyNoise;
use crate::local_noise::LocalNoise;
use crate::target::{BudgetScope, Target};
use crate::{Error, Job};

/// The policy with this noise, whose guarantees are computed at once.
pub(crate) fn draft(
    job: &Job,
    target: &Target,
    policy: &PolicyName,
    noise: &PolicyNoise,
) -> Result<Policy, Error> {
    let clients = noise.clients.as_ref().zip(policy.client_noise);
    let clients =
        clients.map(|(local, kind)| client_noise(job, target, local, kind)).transpose()?;
    let aggregators = match noise.aggregators.as_ref().zip(policy.aggregator_noise) {
        Some((noise, kind)) => kind.of(budget(job, target, &job.query_of(policy), noise)?)?,
        None => None,
    };
    let size = VdafSize {
        length: to_index(job.estimates()),
        max_measurement: job.query.max_entry(),
        max_weight: Some(to_index(job.max_weight())),
        grid: job.grid.clone(),
    };
    Ok(Policy::new(policy.parts(job.aggregators, clients, aggregators, &size, job.clients))?)
}

/// The task of a policy in the trust model of the target, with all that the guarantees of the plan
/// rest on: its δ, the releases and the reports of a person, and the honest clients.
pub(crate) fn task(job: &Job, target: &Target, policy: &Policy) -> Result<Task, Error> {
    let mut parts = policy.parts().clone();
    let mut trust = Trust {
        delta: Some(target.delta.clone()),
        releases: Some(job.releases),
        reports_per_client: (job.reports_per_client > 1).then_some(job.reports_per_client),
        ..Trust::on(target.trust_model)
    };
    let counts_on_clients = target.trust_model.needs_other_clients();
    // Where aggregators add nothing, a plan counts on other clients in OAMC, whatever is asked.
    let are_alone = parts.client_noise.is_some() && parts.aggregator_noise.is_none();
    if counts_on_clients || are_alone {
        parts.batch.min_reports = job.clients;
        trust.honest_clients = Some(job.honest_clients());
    }
    if counts_on_clients && parts.client_noise.is_some() && target.delta.value().is_zero() {
        trust.delta = Some(DEFAULT_DELTA.parse()?);
    }
    Ok(Task::new(TaskDocument::new(format!("{}, planned", job.query), parts, trust))?)
}

fn client_noise(
    job: &Job,
    target: &Target,
    local: &LocalNoise,
    randomizer: ClientNoiseType,
) -> Result<ClientNoise, Error> {
    // Basic RAPPOR, whose parameter is not ε₀, is planned as one-hot RAPPOR.
    randomizer.with(local.parameter.clone(), to_index(job.max_weight()), |epsilon0, _| {
        match randomizer.is_one_hot() {
            true => false_positive_rate(job, target, epsilon0),
            // Measurements of unequal weight would be dropped unequally often.
            false => Ok(Rational::zero()),
        }
    })
}

/// The fraction of reports that may be dropped: a negligible part of δ over all releases.
fn false_positive_rate(job: &Job, target: &Target, epsilon0: &Epsilon) -> Result<Rational, Error> {
    let releases = Rational::from(u64::from(job.releases));
    let share = target.delta.value().checked_div(&releases);
    let share = Delta::new(share.expect("a job has at least one release"))?;
    Ok(Rappor::negligible_rate(to_index(job.estimates()), 1, epsilon0.clone(), &share)?)
}

/// The budget that is calibrated to exactly this noise: the budget of the target if the noise was
/// calibrated to it as policies are, for one replaced report; otherwise ε = Δ₁/t or ρ = Δ₂²/(2σ²).
fn budget(
    job: &Job,
    target: &Target,
    query: &Query,
    noise: &NoiseDistribution,
) -> Result<Budget, Error> {
    let own = NoiseMechanism::exactly(query, noise.clone())?;
    let is_one_release = target.scope == BudgetScope::Release || job.releases == 1;
    let asked = target.budget.as_ref();
    let asked = asked.filter(|budget| {
        is_one_release && job.is_one_replaced_report() && own.kind().check_kind(budget).is_ok()
    });
    Ok(match (asked, own.budget()) {
        // Laplace noise that is no narrower with the δ is pure.
        (Some(Budget::Approximate { epsilon: asked, .. }), own @ Budget::Pure { epsilon })
            if asked == epsilon =>
        {
            own.clone()
        }
        (asked, own) => asked.unwrap_or(own).clone(),
    })
}
