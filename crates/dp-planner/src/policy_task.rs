//! The task of a policy with its noise, and the strategy for servers that are built on libprio.

use dp_calibration::strategy_matrix::StrategyFamily;
use dp_calibration::{Adjacency, Budget, NoiseDistribution, Refusal};
use dp_exact::directed::to_index;
use dp_exact::{Delta, Epsilon, Rational, Rho};
use dp_prio3::mechanisms::NoiseKind;
use dp_prio3::protects_nobody;
use dp_prio3::randomizers::Rappor;
use dp_task::{
    AggregatorNoise, AggregatorNoiseType, ClientNoise, ClientNoiseType, PolicyName, Task,
    TaskDocument, Trust, VdafSize,
};
use num_bigint::{BigInt, BigUint};
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
    /// The strategy of a task; `None` if its aggregators draw no noise.
    #[must_use]
    pub fn of(task: &Task) -> Option<Self> {
        let noise = task.document().aggregator_noise.as_ref()?;
        let (kind, budget) = (task.policy_name().aggregator_noise?, noise.budget()?);
        let law = match kind.noise_kind()? {
            NoiseKind::DiscreteLaplace => "discrete_laplace",
            NoiseKind::DiscreteGaussian => "discrete_gaussian",
        };
        let matrix = kind.strategy().map(|family| match family {
            StrategyFamily::Toeplitz => "percentiles",
            StrategyFamily::Circulant | StrategyFamily::FoldedTree => "ranges",
        });
        // dp-libprio judges a zero-concentrated budget at the same δ.
        let delta = DELTA_OF_RHO.parse::<Delta>();
        Some(Self {
            version: 1,
            law,
            matrix,
            accept_weak_guarantee: delta.map_or(true, |delta| protects_nobody(budget, &delta)),
            budget: budget.clone(),
        })
    }
}

/// The policy with this noise as a task in OC or OAOC, whose guarantees are computed at once.
pub(crate) fn draft(
    job: &Job,
    target: &Target,
    policy: &PolicyName,
    noise: &PolicyNoise,
) -> Result<Task, Error> {
    let clients = noise.clients.as_ref().zip(policy.client_noise);
    let client_noise = clients.map(|(local, kind)| client_noise(job, target, local, kind));
    let aggregators = noise.aggregators.as_ref().zip(policy.aggregator_noise);
    let aggregator_noise =
        aggregators.map(|(noise, kind)| aggregator_noise(job, target, policy, (noise, kind)));
    let size = VdafSize {
        length: to_index(job.estimates()),
        max_measurement: job.query.max_entry(),
        max_weight: Some(to_index(job.max_weight())),
        grid: job.grid.clone(),
    };
    let (clients, aggregators) = (client_noise.transpose()?, aggregator_noise.transpose()?);
    let document = policy.document_with(job.aggregators, clients, aggregators, &size, job.clients);
    let name = format!("{}, planned", job.query);
    Ok(Task::accepting_weak_guarantee(TaskDocument { name, ..document })?)
}

/// The task of a draft in the trust model of the target, at its δ and over the releases of the job.
pub(crate) fn task(job: &Job, target: &Target, draft: &Task) -> Result<Task, Error> {
    let mut document = draft.document().clone();
    document.trust = Trust::on(target.trust_model);
    if target.trust_model.needs_other_clients() {
        document.batch.min_reports = job.clients;
        document.trust.honest_clients = Some(job.honest_clients());
        if document.client_noise.is_some() {
            document.trust.delta = Some(match target.delta.value().is_zero() {
                true => DELTA_OF_RHO.parse()?,
                false => target.delta.clone(),
            });
        }
    }
    if job.releases > 1 {
        document.trust.releases = Some(job.releases.into());
        document.trust.delta.get_or_insert_with(|| target.delta.clone());
    }
    Ok(Task::new(document)?)
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

/// The noise with the budget that is calibrated to exactly this noise: the budget of the target if
/// the noise was calibrated to it, otherwise ε = Δ₁/t or ρ = Δ₂²/(2σ²).
fn aggregator_noise(
    job: &Job,
    target: &Target,
    policy: &PolicyName,
    (noise, kind): (&NoiseDistribution, AggregatorNoiseType),
) -> Result<AggregatorNoise, Error> {
    // Policies calibrate to one replaced report.
    let sensitivity = job.query_of(policy).sensitivity(Adjacency::Replacement)?;
    let is_one_release = target.scope == BudgetScope::Release || job.releases == 1;
    let asked = target.budget.as_ref();
    let asked = asked.filter(|_| is_one_release && job.is_one_replaced_report());
    let ratio = |numerator: BigUint, denominator: &Rational| {
        let ratio = Rational::integer(BigInt::from(numerator)).checked_div(denominator);
        ratio.unwrap_or_else(Rational::zero)
    };
    let budget = match noise {
        NoiseDistribution::DiscreteLaplace { scale } => {
            let epsilon = Epsilon::new(ratio(sensitivity.l1, scale))?;
            match asked {
                Some(Budget::Approximate { epsilon: asked, delta }) if *asked != epsilon => {
                    Budget::Approximate { epsilon: asked.clone(), delta: delta.clone() }
                }
                _ => Budget::Pure { epsilon },
            }
        }
        NoiseDistribution::DiscreteGaussian { variance } => match asked {
            Some(budget) => budget.clone(),
            None => Budget::ZeroConcentrated {
                rho: Rho::new(ratio(sensitivity.l2_squared, &(variance + variance)))?,
            },
        },
    };
    match kind.with_budget() {
        Some(noise) => Ok(noise(budget)),
        None => {
            let change = "take discrete Laplace or Gaussian noise";
            Err(Refusal::not_available("a budget of compensation", change).into())
        }
    }
}
