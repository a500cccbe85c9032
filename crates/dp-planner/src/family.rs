//! A policy as a family of noises, and what the built policy guarantees with one of them.
//!
//! Noise of aggregators has one parameter, for which `dp-calibration` has the least value that keeps a
//! budget. Noise of clients has one parameter, whose largest value is searched for: the guarantee of the
//! built policy, which grows with it, decides.

use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::{
    Adjacency, Budget, Contribution, NoiseDistribution, WorstCaseDifference, discrete_gaussian,
    zcdp,
};
use dp_exact::{Epsilon, ParameterError, Rational, Refusal, directed};
use dp_prio3::{Circumstances, TrustModel};
use dp_task::{AggregatorNoiseType, ClientNoiseType, PolicyName, Task};

use crate::client::{Kind, Local};
use crate::document;
use crate::errors::{Noise, deviation_within, law_of_deviation};
use crate::guarantee::PairGuarantee;
use crate::search::{Coordinate, Estimate, largest};
use crate::target::{Accuracy, Target};
use crate::{Error, Job};

/// A policy, a job and what is wanted of it.
#[derive(Clone, Copy)]
pub(crate) struct Family<'a> {
    pub(crate) policy: &'a PolicyName,
    pub(crate) job: &'a Job,
    pub(crate) target: &'a Target,
}

impl Family<'_> {
    /// How many releases the budget is for.
    const fn counted(&self) -> u32 {
        self.target.counted_releases(self.job)
    }

    /// The noise that keeps what is wanted over the clients of the job.
    pub(crate) fn noise(&self) -> Result<Noise, Error> {
        self.check_whom_it_holds_against()?;
        match (&self.target.budget, &self.target.accuracy) {
            (Some(budget), _) => self.for_budget(budget),
            (None, Some(accuracy)) => self.for_accuracy(accuracy),
            (None, None) => {
                Err(Refusal::missing("what is wanted", "a budget or an accuracy").into())
            }
        }
    }

    /// Refuses noise of aggregators where all of them collude, and both noises where nobody asks for
    /// what is left then.
    fn check_whom_it_holds_against(&self) -> Result<(), Error> {
        let is_left = self.target.if_all_collude.is_some();
        let against_all = self.target.trust_model == TrustModel::OneClient;
        match (self.policy.client_noise, self.policy.aggregator_noise) {
            (None, Some(_)) if against_all || is_left => {
                let what = "a guarantee against all aggregators together, who see what clients send \
                            without randomization";
                Err(Refusal::not_available(what, "rely on one aggregator").into())
            }
            (Some(_), Some(_)) if !is_left => {
                let reason = "it has noise of clients and of aggregators, which keeps a guarantee even if all \
                              aggregators collude: ask for it with --if-all-collude EPSILON";
                Err(Error::Misfit(reason.to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn for_budget(&self, budget: &Budget) -> Result<Noise, Error> {
        let aggregators = match self.policy.aggregator_noise {
            Some(mechanism) => Some(self.least(mechanism, budget)?),
            None => None,
        };
        let clients = match (self.policy.client_noise, &self.target.if_all_collude) {
            (None, _) => None,
            (Some(randomizer), None) => Some(self.clients_for(randomizer, budget)?),
            (Some(randomizer), Some(left)) => {
                let left = self.left(left);
                let alone = self.alone(&self.job.local(randomizer)?, &left)?;
                Some(match &aggregators {
                    Some(_) => alone,
                    None => smaller(self.clients_for(randomizer, budget)?, alone),
                })
            }
        };
        Ok(Noise { clients, aggregators })
    }

    /// The budget that is left if all aggregators collude, at the δ that is wanted.
    fn left(&self, epsilon: &Epsilon) -> Budget {
        let (epsilon, delta) = (epsilon.clone(), self.target.delta.clone());
        match delta.value().is_zero() {
            true => Budget::Pure { epsilon },
            false => Budget::Approximate { epsilon, delta },
        }
    }

    fn contribution(&self, releases: u32) -> Result<Contribution, Error> {
        let (adjacency, reports) = (self.job.adjacency, self.job.reports_per_client);
        Ok(self.job.query.contribution(adjacency, reports, releases)?)
    }

    /// The least noise of one aggregator that keeps the budget.
    fn least(
        &self,
        mechanism: AggregatorNoiseType,
        budget: &Budget,
    ) -> Result<NoiseDistribution, Error> {
        let contribution = self.contribution(self.counted())?;
        let law = match mechanism {
            AggregatorNoiseType::DiscreteGaussian => {
                NoiseDistribution::DiscreteGaussian { variance: contribution.variance(budget)? }
            }
            AggregatorNoiseType::DiscreteLaplace => {
                NoiseDistribution::DiscreteLaplace { scale: contribution.scale(budget)? }
            }
            AggregatorNoiseType::Compensation => {
                let change = "take discrete Laplace or Gaussian noise";
                let what = "the distribution of compensation";
                return Err(Refusal::not_available(what, change).into());
            }
        };
        match self.counted() == 1 && Self::is_of_one_report(self.job) {
            // The policy states this budget, and finds this noise for it.
            true => Ok(law),
            false => Ok(contribution.raised(law, budget)?),
        }
    }

    /// Clients' noise that keeps the budget by itself, or among all honest clients where that counts.
    fn clients_for(&self, randomizer: ClientNoiseType, budget: &Budget) -> Result<Local, Error> {
        let local = self.job.local(randomizer)?;
        let (TrustModel::OneAggregatorMostClients, Budget::Approximate { epsilon, .. }) =
            (self.target.trust_model, budget)
        else {
            return self.alone(&local, budget);
        };
        let model = TrustModel::OneAggregatorMostClients;
        let bound = |parameter: &Epsilon| self.epsilon(model, &local.at(parameter.clone()));
        if randomizer == ClientNoiseType::CoinFlip {
            return self.fixed(local.clone(), bound, epsilon);
        }
        let counts = local.counts().saturating_mul(self.counted().into());
        let variance = self.variance_of(counts)?;
        let guess = local.about_of_variance(self.job.honest_clients(), variance);
        let estimate = |parameter: f64| self.estimate(&local, parameter, counts);
        let estimate: Estimate<'_> = &estimate;
        let (coordinate, estimate) = match local.kind {
            Kind::Bits(_) => (Coordinate::Exponential, Some(estimate)),
            Kind::Answers(answers) => (Coordinate::Answers(directed::count(answers)), None),
        };
        let together = largest(coordinate, guess, estimate, epsilon.value(), bound);
        match (together, self.alone(&local, budget)) {
            (Ok(together), Ok(alone)) => Ok(local.at(together.max(alone.parameter))),
            (Ok(together), Err(_)) => Ok(local.at(together)),
            (Err(_), alone) => alone,
        }
    }

    /// About the ε of bits with this parameter among all honest clients.
    pub(crate) fn estimate(&self, local: &Local, parameter: f64, counts: u64) -> Option<f64> {
        let parameter = Epsilon::new(Rational::from_f64(parameter).ok()?).ok()?;
        let Kind::Bits(_) = local.kind else {
            return None;
        };
        let sum = AggregatedRappor::new(parameter, self.job.honest_clients()).ok()?;
        sum.estimated_epsilon_of_counts(&self.target.delta, counts)
    }

    /// Noise without a parameter, if it keeps ε.
    fn fixed(
        &self,
        local: Local,
        mut bound: impl FnMut(&Epsilon) -> Result<Rational, Error>,
        epsilon: &Epsilon,
    ) -> Result<Local, Error> {
        if bound(&local.parameter)? <= *epsilon.value() {
            return Ok(local);
        }
        let what = format!("coin flips with epsilon {epsilon}, of which each report has ln 3");
        Err(Refusal::not_available(what, "take count-response").into())
    }

    /// The largest noise of a client that keeps the budget whoever else is malicious.
    fn alone(&self, local: &Local, budget: &Budget) -> Result<Local, Error> {
        let model = TrustModel::OneClient;
        let reports = u64::from(self.counted()) * u64::from(self.job.reports_per_client);
        let bound = |parameter: &Epsilon| self.epsilon(model, &local.at(parameter.clone()));
        let is_fixed = self.policy.client_noise == Some(ClientNoiseType::CoinFlip);
        match budget {
            Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } if is_fixed => {
                self.fixed(local.clone(), bound, epsilon)
            }
            Budget::Pure { epsilon } => Ok(local.at(local.largest_pure(epsilon, reports)?)),
            Budget::Approximate { epsilon, delta } => {
                let pure = local.largest_pure(epsilon, reports)?;
                if reports == 1 {
                    // δ gains next to nothing then, and a pure guarantee is more.
                    return Ok(local.at(pure));
                }
                let rho = zcdp::largest_rho(epsilon, delta)?.value().to_f64();
                let guess = local.about_of_rho(rho, reports).max(pure.value().to_f64());
                let composed = largest(Coordinate::Linear, guess, None, epsilon.value(), bound);
                Ok(local.at(composed.map_or(pure.clone(), |composed| composed.max(pure))))
            }
            Budget::ZeroConcentrated { rho } => {
                let of = |parameter: &Epsilon| local.at(parameter.clone()).rho(reports);
                if is_fixed {
                    let what = "coin flips with this rho";
                    let refused = || Refusal::not_available(what, "take count-response").into();
                    let keeps = of(&local.parameter)? <= *rho;
                    return keeps.then(|| local.clone()).ok_or_else(refused);
                }
                let guess = local.about_of_rho(rho.value().to_f64(), reports);
                let bound = |parameter: &Epsilon| Ok(of(parameter)?.value().clone());
                Ok(local.at(largest(Coordinate::Linear, guess, None, rho.value(), bound)?))
            }
            Budget::Renyi { .. } => {
                let what = format!("the noise of clients for {budget}");
                Err(Refusal::not_available(what, "give an epsilon or a rho").into())
            }
        }
    }

    /// About the variance of Gaussian noise that keeps the budget where `counts` counts change by one.
    pub(crate) fn variance_of(&self, counts: u64) -> Result<f64, Error> {
        let (Some(Budget::Approximate { epsilon, delta }), difference) =
            (&self.target.budget, WorstCaseDifference::new(counts, 1u32)?)
        else {
            let what = "a pure guarantee of what honest clients hide";
            return Err(Refusal::not_available(what, "give a delta above 0").into());
        };
        let noise = discrete_gaussian::calibrate(epsilon, delta, &difference)?;
        Ok(noise.variance.to_f64())
    }

    /// ε of all that the budget is for, as the policy with this noise guarantees it.
    pub(crate) fn epsilon(&self, model: TrustModel, local: &Local) -> Result<Rational, Error> {
        let noise = Noise { clients: Some(local.clone()), aggregators: None };
        let task = self.draft(&noise)?;
        let guarantee = self.guarantee(&task, &noise, model, self.counted());
        let none = || Refusal::not_available("a guarantee", "take another policy").into();
        guarantee.epsilon().cloned().ok_or_else(none)
    }

    /// The policy with this noise.
    pub(crate) fn draft(&self, noise: &Noise) -> Result<Task, Error> {
        document::draft(self.job, self.target, self.policy, noise, self.job.clients)
    }

    /// What the built policy guarantees one person in `releases` releases.
    pub(crate) fn guarantee(
        &self,
        task: &Task,
        noise: &Noise,
        model: TrustModel,
        releases: u32,
    ) -> PairGuarantee {
        let circumstances =
            Circumstances::new(self.job.honest_clients(), self.target.delta.clone())
                .over(releases)
                .with_reports_per_client(self.job.reports_per_client)
                .with_adjacency(self.job.adjacency);
        let stated = PairGuarantee::of(&task.pair_in(model, &circumstances));
        let stated = stated.loosely(task.loose_in(model, &circumstances));
        match (&noise.clients, &noise.aggregators) {
            (None, Some(law)) if model != TrustModel::OneClient => {
                let contribution = self.contribution(releases).ok();
                let rho = contribution.and_then(|all| all.rho(law));
                stated.with_rho(rho.map(|rho| rho.value().clone()))
            }
            (Some(local), None) => {
                let reports = u64::from(releases) * u64::from(self.job.reports_per_client);
                let is_own = model == TrustModel::OneClient;
                let rho = is_own.then(|| local.rho(reports).ok()).flatten();
                stated.with_rho(rho.map(|rho| rho.value().clone()))
            }
            _ => stated,
        }
    }

    fn for_accuracy(&self, accuracy: &Accuracy) -> Result<Noise, Error> {
        let (job, reports) = (self.job, self.job.clients);
        let allowed = job.allowed(accuracy, reports) / job.unit(reports);
        let deviation = deviation_within(accuracy, allowed);
        match (self.policy.client_noise, self.policy.aggregator_noise) {
            (None, Some(mechanism)) => {
                let is_laplace = mechanism == AggregatorNoiseType::DiscreteLaplace;
                let law = job.law_within(is_laplace, accuracy, allowed)?;
                Ok(Noise { clients: None, aggregators: Some(law) })
            }
            (Some(randomizer), aggregators) => {
                let share = aggregators.map_or(1.0, |_| std::f64::consts::FRAC_1_SQRT_2);
                let local = self.clients_within(randomizer, deviation * share)?;
                let law = match aggregators {
                    Some(mechanism) => {
                        let own = local.variance(reports, job.estimates());
                        let left = (deviation * deviation - own).max(0.0);
                        let aggregators = directed::index(job.aggregators);
                        let each = (left / aggregators).sqrt() / local.slope();
                        let is_laplace = mechanism == AggregatorNoiseType::DiscreteLaplace;
                        Some(law_of_deviation(is_laplace, each)?)
                    }
                    None => None,
                };
                Ok(Noise { clients: Some(local), aggregators: law })
            }
            (None, None) => {
                let what = "a guarantee without noise";
                Err(Refusal::not_available(what, "take another policy").into())
            }
        }
    }

    /// Clients' noise whose estimates have at most this standard deviation.
    pub(crate) fn clients_within(
        &self,
        randomizer: ClientNoiseType,
        deviation: f64,
    ) -> Result<Local, Error> {
        let (local, job) = (self.job.local(randomizer)?, self.job);
        let estimates = job.estimates();
        if randomizer == ClientNoiseType::CoinFlip {
            let std = local.variance(job.clients, estimates).sqrt();
            if std <= deviation {
                return Ok(local);
            }
            let accepted = format!("at least {std:.4}, the standard deviation of the coin flips");
            return Err(ParameterError::new("accuracy", "less", accepted).into());
        }
        let parameter = local.parameter_of_deviation(job.clients, estimates, deviation)?;
        Ok(local.at(parameter))
    }

    /// Whether a budget of the policy is about this job: one report of a person, which is replaced.
    pub(crate) fn is_of_one_report(job: &Job) -> bool {
        job.adjacency == Adjacency::Replacement && job.reports_per_client == 1
    }
}

/// The noise with the smaller parameter.
fn smaller(one: Local, other: Local) -> Local {
    match one.parameter <= other.parameter {
        true => one,
        false => other,
    }
}
