//! The task of a policy with its noise, and the strategy for servers that are built on libprio.

use dp_calibration::{Budget, NoiseDistribution};
use dp_calibration::strategy_matrix::StrategyFamily;
use dp_exact::directed::to_index;
use dp_exact::{Delta, Epsilon, Rational};
use dp_prio3::mechanisms::NoiseKind;
use dp_prio3::randomizers::Rappor;
use dp_prio3::{Amount, Circumstances, Policy, TrustModel};
use dp_task::{ClientNoise, ClientNoiseType, PolicyName, Task, TaskDocument, Trust, VdafSize};
use serde::Serialize;

use crate::estimate_errors::PolicyNoise;
use crate::local_noise::LocalNoise;
use crate::target::{BudgetScope, DELTA_OF_RHO, Target};
use crate::{Error, Job};

/// Aggregator noise in the form that `dp-libprio` reads: the `dp_strategy` of Janus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LibprioStrategy {
    version: u32,
    law: &'static str,
    /// The use of the strategy matrix, for which `dp-libprio` knows the matrix of each noise.
    #[serde(skip_serializing_if = "Option::is_none")]
    matrix: Option<&'static str>,
    budget: Budget,
    /// Whether the budget protects nobody, which `dp-libprio` accepts only with this field.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    accept_weak_guarantee: bool,
}

impl LibprioStrategy {
    /// The strategy of a policy; `None` if its aggregators draw no noise.
    #[must_use]
    pub fn of(policy: &Policy) -> Option<Self> {
        let (kind, strategy, _) = policy.parts().aggregator_noise.as_ref()?.law()?;
        let law = match kind {
            NoiseKind::DiscreteLaplace => "discrete_laplace",
            NoiseKind::DiscreteGaussian => "discrete_gaussian",
        };
        let matrix = strategy.map(|family| match family {
            StrategyFamily::Toeplitz => "percentiles",
            StrategyFamily::Circulant | StrategyFamily::FoldedTree => "ranges",
        });
        let one = Circumstances::new(1, DELTA_OF_RHO.parse().ok()?);
        Some(Self {
            version: 1,
            law,
            matrix,
            accept_weak_guarantee: policy.guarantee(TrustModel::OneAggregatorOneClient, &one).is_weak,
            budget: policy.mechanism()?.budget().clone(),
        })
    }
}

/// The policy with this noise, whose guarantees are computed at once.
pub(crate) fn draft(
    job: &Job,
    target: &Target,
    policy: &PolicyName,
    noise: &PolicyNoise,
) -> Result<Policy, Error> {
    let clients = noise.clients.as_ref().zip(policy.client_noise);
    let client_noise = clients.map(|(local, kind)| client_noise(job, target, local, kind));
    let aggregators = noise.aggregators.as_ref().zip(policy.aggregator_noise);
    let aggregator_noise =
        aggregators.and_then(|(noise, kind)| kind.of(amount(job, target, noise)));
    let size = VdafSize {
        length: to_index(job.estimates()),
        max_measurement: job.query.max_entry(),
        max_weight: Some(to_index(job.max_weight())),
        grid: job.grid.clone(),
    };
    let clients = client_noise.transpose()?;
    let document =
        policy.document_with(job.aggregators, clients, aggregator_noise, &size, job.clients);
    Ok(Policy::new(document.parts())?)
}

/// The task of a policy in the trust model of the target, at its δ and over the releases of the job.
pub(crate) fn task(job: &Job, target: &Target, policy: &Policy) -> Result<Task, Error> {
    let (mut parts, mut trust) = (policy.parts().clone(), Trust::on(target.trust_model));
    if target.trust_model.needs_other_clients() {
        parts.batch.min_reports = job.clients;
        trust.honest_clients = Some(job.honest_clients());
        if parts.client_noise.is_some() {
            trust.delta = Some(match target.delta.value().is_zero() {
                true => DELTA_OF_RHO.parse()?,
                false => target.delta.clone(),
            });
        }
    }
    if job.releases > 1 {
        trust.releases = Some(job.releases.into());
        trust.delta.get_or_insert_with(|| target.delta.clone());
    }
    Ok(Task::new(TaskDocument::new(&format!("{}, planned", job.query), parts, trust))?)
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
    let share = Delta::new(share.unwrap_or_else(Rational::zero))?;
    Ok(Rappor::negligible_rate(to_index(job.estimates()), 1, epsilon0.clone(), &share)?)
}

/// How much noise: the budget of the target if the noise was calibrated to it as policies are, for one
/// replaced report; otherwise the noise itself.
fn amount(job: &Job, target: &Target, noise: &NoiseDistribution) -> Amount {
    let is_one_release = target.scope == BudgetScope::Release || job.releases == 1;
    let asked = target.budget.as_ref();
    // Laplace noise that is no wider without a delta is pure: its scale says so exactly.
    let is_laplace = matches!(noise, NoiseDistribution::DiscreteLaplace { .. });
    let asked = asked.filter(|_| is_one_release && job.is_one_replaced_report() && !is_laplace);
    asked.map_or_else(|| noise.clone().into(), |budget| budget.clone().into())
}
