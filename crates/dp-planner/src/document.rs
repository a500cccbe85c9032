//! The task of a policy with its noise, and the strategy for servers that are built on libprio.

use dp_calibration::{Budget, NoiseDistribution, Query, TrustModel};
use dp_exact::{Delta, Epsilon, Rational};
use dp_prio3::randomizers::Rappor;
use dp_prio3::{DEFAULT_MAX_REPORTS, protects_nobody};
use dp_task::{
    AggregatorNoise, BatchLimits, ClientNoise, ClientNoiseType, PolicyName, SchemaVersion, Task,
    TaskDocument, Trust, Vdaf, VdafSize,
};
use num_bigint::BigInt;
use serde::Serialize;

use crate::client::Local;
use crate::errors::Noise;
use crate::family::Family;
use crate::target::{BudgetScope, Target};
use crate::{Error, Job};

/// Noise of aggregators as `dp-libprio` reads it: Janus's `dp_strategy`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LibprioStrategy {
    version: u32,
    law: &'static str,
    budget: Budget,
    /// Whether the budget protects nobody, which `dp-libprio` wants to be accepted by name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    accept_weak_guarantee: bool,
}

/// The δ at which `dp-libprio` judges a zero-concentrated budget.
const JUDGED_AT: &str = "1e-9";

impl LibprioStrategy {
    /// That of a task, if its aggregators draw noise.
    #[must_use]
    pub fn of(task: &Task) -> Option<Self> {
        let (law, budget) = match task.document().aggregator_noise.as_ref()? {
            AggregatorNoise::DiscreteLaplace { budget } => ("discrete_laplace", budget),
            AggregatorNoise::DiscreteGaussian { budget } => ("discrete_gaussian", budget),
            AggregatorNoise::Compensation { .. } => return None,
        };
        let at = JUDGED_AT.parse::<Delta>();
        Some(Self {
            version: 1,
            law,
            accept_weak_guarantee: at.map_or(true, |at| protects_nobody(budget, &at)),
            budget: budget.clone(),
        })
    }
}

/// The policy over so many reports as a task in the trust model whose guarantee is found at once.
pub(crate) fn draft(
    job: &Job,
    target: &Target,
    policy: &PolicyName,
    noise: &Noise,
    reports: u64,
) -> Result<Task, Error> {
    let name = format!("{}, planned", job.query);
    let clients = noise.clients.as_ref().zip(policy.client_noise);
    let client_noise =
        clients.map(|(local, randomizer)| client_noise(job, target, local, randomizer));
    let aggregator_noise = noise.aggregators.as_ref();
    let aggregator_noise = aggregator_noise.map(|law| aggregator_noise_of(job, target, law));
    let model = match policy.client_noise {
        Some(_) => TrustModel::OneClient,
        None => TrustModel::OneAggregatorOneClient,
    };
    drafted(TaskDocument {
        version: SchemaVersion,
        name,
        vdaf: vdaf(job, policy)?,
        client_noise: client_noise.transpose()?,
        aggregator_noise: aggregator_noise.transpose()?,
        trust: Trust::on(model),
        batch: BatchLimits {
            min_reports: 1,
            max_reports: (reports > DEFAULT_MAX_REPORTS).then_some(reports),
        },
    })
}

/// The task in the trust model that is wanted, at the δ and over the releases that were asked for.
pub(crate) fn task(job: &Job, target: &Target, draft: &Task, reports: u64) -> Result<Task, Error> {
    let mut document = draft.document().clone();
    document.trust = Trust::on(target.trust_model);
    let needs_clients = document.trust.model.needs_other_clients();
    if needs_clients {
        document.batch.min_reports = reports;
        let job = Job { clients: reports, ..job.clone() };
        document.trust.honest_clients = Some(job.honest_clients());
    }
    if needs_clients && document.client_noise.is_some() {
        document.trust.delta = Some(match target.delta.value().is_zero() {
            true => "1e-9".parse()?,
            false => target.delta.clone(),
        });
    }
    if job.releases > 1 {
        document.trust.releases = Some(job.releases.into());
        document.trust.delta = Some(document.trust.delta.unwrap_or(target.delta.clone()));
    }
    Ok(Task::new(document)?)
}

/// The task for computing, which says that its guarantee is weak if it is.
fn drafted(mut document: TaskDocument) -> Result<Task, Error> {
    match Task::new(document.clone()) {
        Err(dp_task::Error::Field(error)) if error.name() == "trust.accept_weak_guarantee" => {
            document.trust.accept_weak_guarantee = true;
            Ok(Task::new(document)?)
        }
        task => Ok(task?),
    }
}

fn vdaf(job: &Job, policy: &PolicyName) -> Result<Vdaf, Error> {
    let max_measurement = match job.query {
        Query::Sum { max_measurement }
        | Query::Average { max_measurement }
        | Query::SumVec { max_measurement, .. }
        | Query::L1BoundSum { max_measurement, .. } => max_measurement,
        Query::Count | Query::Histogram { .. } | Query::MultihotCountVec { .. } => 1,
    };
    let too_long = || dp_exact::ParameterError::new("length", job.estimates(), "fewer entries");
    let size = VdafSize {
        length: usize::try_from(job.estimates()).map_err(|_| too_long())?,
        max_measurement,
        max_weight: match policy.client_noise {
            Some(_) => None,
            None => Some(usize::try_from(job.ones()).map_err(|_| too_long())?),
        },
        grid: job.grid.clone(),
    };
    Ok(policy.vdaf.of_size(job.aggregators, &size))
}

fn client_noise(
    job: &Job,
    target: &Target,
    local: &Local,
    randomizer: ClientNoiseType,
) -> Result<ClientNoise, Error> {
    let parameter = local.parameter.clone();
    Ok(match randomizer {
        ClientNoiseType::RandomizedResponse => {
            ClientNoise::RandomizedResponse { epsilon: parameter }
        }
        ClientNoiseType::CoinFlip => ClientNoise::CoinFlip {},
        ClientNoiseType::KaryRandomizedResponse => {
            ClientNoise::KaryRandomizedResponse { epsilon: parameter }
        }
        ClientNoiseType::SymmetricRappor => ClientNoise::SymmetricRappor {
            epsilon0: parameter,
            input_weight: usize::try_from(job.ones()).unwrap_or(usize::MAX),
            // Measurements of unequal weight would be dropped unequally often.
            false_positive_rate: Rational::zero(),
        },
        ClientNoiseType::OneHotRappor => ClientNoise::OneHotRappor {
            false_positive_rate: job.false_positive_rate(target, &parameter)?,
            epsilon0: parameter,
        },
        ClientNoiseType::BasicRappor => ClientNoise::BasicRappor {
            false_positive_rate: job.false_positive_rate(target, &parameter)?,
            epsilon: Epsilon::new(parameter.value() + parameter.value())?,
        },
    })
}

impl Job {
    /// How often a one-hot report may be dropped for its weight: so rarely that all releases together
    /// lose next to nothing of δ by it.
    pub(crate) fn false_positive_rate(
        &self,
        target: &Target,
        epsilon0: &Epsilon,
    ) -> Result<Rational, Error> {
        let releases = Rational::from(u64::from(self.releases));
        let share = target.delta.value().checked_div(&releases);
        let share = Delta::new(share.unwrap_or_else(Rational::zero))?;
        let length = usize::try_from(self.estimates()).unwrap_or(usize::MAX);
        Ok(Rappor::negligible_rate(length, 1, epsilon0.clone(), &share)?)
    }
}

/// The budget that gives exactly this noise: the one that is wanted if the noise was calibrated to it,
/// else ε = Δ₁/t or ρ = Δ₂²/(2σ²).
fn aggregator_noise_of(
    job: &Job,
    target: &Target,
    law: &NoiseDistribution,
) -> Result<AggregatorNoise, Error> {
    // Policies are calibrated under replacement of one report.
    let moves = job.query.sensitivity(dp_calibration::Adjacency::Replacement)?;
    let is_of_one = target.scope == BudgetScope::Release || job.releases == 1;
    let asked = target.budget.as_ref();
    let asked = asked.filter(|_| Family::is_of_one_report(job) && is_of_one);
    let whole = |number: num_bigint::BigUint| Rational::integer(BigInt::from(number));
    match law {
        NoiseDistribution::DiscreteLaplace { scale } => {
            let pure = whole(moves.l1).checked_div(scale);
            let pure = Epsilon::new(pure.unwrap_or_else(Rational::zero))?;
            let budget = match asked {
                Some(Budget::Approximate { epsilon, .. } | Budget::Pure { epsilon })
                    if *epsilon == pure =>
                {
                    let epsilon = epsilon.clone();
                    Budget::Pure { epsilon }
                }
                Some(budget @ Budget::Approximate { .. }) => budget.clone(),
                _ => Budget::Pure { epsilon: pure },
            };
            Ok(AggregatorNoise::DiscreteLaplace { budget })
        }
        NoiseDistribution::DiscreteGaussian { variance } => {
            let budget = match asked {
                Some(budget) => budget.clone(),
                None => {
                    let rho = whole(moves.l2_squared).checked_div(&(variance + variance));
                    let rho = dp_exact::Rho::new(rho.unwrap_or_else(Rational::zero))?;
                    Budget::ZeroConcentrated { rho }
                }
            };
            Ok(AggregatorNoise::DiscreteGaussian { budget })
        }
    }
}
