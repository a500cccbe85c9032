//! The noise that a policy needs for a job, and the guarantee of the built policy. `dp-calibration`
//! finds aggregator noise; client noise is searched, and the built policy's guarantee decides.

use dp_calibration::strategy_matrix::{StrategyMatrix, Workload, WorkloadVariance};
use dp_calibration::{Adjacency, Budget, NoiseDistribution, Query, Refusal, SensitivityBound};
use dp_exact::directed::to_index;
use dp_exact::{Epsilon, ParameterError, Rational, Rounding};
use dp_prio3::mechanisms::{NoiseKind, NoiseMechanism};
use dp_prio3::{Circumstances, EpsilonDelta, Policy, TrustModel};
use dp_task::{PolicyName, VdafSize};

use crate::estimate_errors::{MAX_ADDED, PolicyNoise, noise_of_deviation};
use crate::guarantee::{Guarantees, PairGuarantee, SlackReason};
use crate::local_noise::LocalNoise;
use crate::parameter_search::largest_parameter;
use crate::policy_choice::PolicyChoice;
use crate::target::{Accuracy, Target};
use crate::{Error, Job};

mod client_noise;

/// A policy that applies to a job, with the target that it has to reach.
#[derive(Clone, Copy)]
pub(crate) struct PolicyForJob<'a> {
    pub(crate) policy: &'a PolicyName,
    pub(crate) job: &'a Job,
    pub(crate) target: &'a Target,
    /// The variances of the prefixes or ranges that are asked for; `None` if totals are.
    pub(crate) sums: Option<WorkloadVariance>,
}

impl<'a> PolicyForJob<'a> {
    /// The policy for the job; `Err` with the reason if it does not apply.
    pub(crate) fn new(
        policy: &'a PolicyName,
        job: &'a Job,
        target: &'a Target,
    ) -> Result<Self, Error> {
        // The name of the policy stands beside its reason.
        if let Some(reason) = job.misfit(policy) {
            return Err(Error::Misfit(reason));
        }
        let sums = match (job.workload, job.query_of(policy)) {
            (Workload::Buckets, _) => None,
            (workload, Query::HistogramRanges { length, family }) => {
                Some(workload.behind(&StrategyMatrix::new(family, length)?))
            }
            (workload, _) => Some(workload.of_independent_noise(job.estimates())),
        };
        Ok(Self { policy, job, target, sums })
    }
}

impl PolicyForJob<'_> {
    /// The smallest noise that keeps the budget; without a budget, the largest that keeps the
    /// accuracy.
    pub(crate) fn noise(&self) -> Result<PolicyNoise, Error> {
        self.check_trust_model()?;
        match (&self.target.budget, &self.target.accuracy) {
            (Some(budget), _) => self.noise_for_budget(budget),
            (None, Some(accuracy)) => self.noise_for_accuracy(accuracy),
            (None, None) => unreachable!("a checked target has a budget or an accuracy"),
        }
    }

    /// Refuses noise of aggregators in OC; noise of aggregators alone if `if_all_collude` is asked;
    /// and noise of both clients and aggregators if it is not.
    fn check_trust_model(&self) -> Result<(), Error> {
        let is_asked = self.target.if_all_collude.is_some();
        let against_all = self.target.trust_model == TrustModel::OneClient;
        let reason = match (self.policy.client_noise, self.policy.aggregator_noise) {
            (None, Some(_)) if against_all || is_asked => {
                "all aggregators together see what clients send without randomization: rely on one aggregator"
            }
            (Some(_), Some(_)) if against_all => {
                "against all aggregators together their noise counts for nothing: take the policy with clients' \
                 noise alone"
            }
            (Some(_), Some(_)) if !is_asked => {
                "it has noise of clients and of aggregators, which keeps a guarantee even if all aggregators \
                 collude: ask for it with --if-all-collude EPSILON"
            }
            _ => return Ok(()),
        };
        Err(Error::Misfit(reason.to_owned()))
    }

    /// The smallest noise that keeps the budget and, where it is asked, `if_all_collude` by clients
    /// alone. `Err` if clients' noise for the latter makes noise of aggregators superfluous.
    fn noise_for_budget(&self, budget: &Budget) -> Result<PolicyNoise, Error> {
        let kind = self.policy.noise_kind();
        let aggregators = kind.map(|kind| self.smallest_aggregator_noise(kind, budget));
        let aggregators = aggregators.transpose()?;
        let clients = match (self.policy.client_noise, &self.target.if_all_collude) {
            (None, _) => None,
            (Some(randomizer), None) => Some(self.smallest_client_noise(randomizer, budget)?),
            (Some(randomizer), Some(epsilon)) => {
                let (epsilon, delta) = (epsilon.clone(), self.target.delta.clone());
                let if_all_collude = EpsilonDelta { epsilon, delta }.budget();
                let local = self.job.randomized(randomizer);
                let alone = self.without_others(local, &if_all_collude)?;
                let keeps = self.keeps(budget, self.model_of_clients(budget), &alone)?;
                match aggregators {
                    Some(_) if keeps => {
                        let reason = "the clients' noise, which is left if all aggregators collude, keeps the budget \
                                      alone: take the policy without noise of aggregators";
                        return Err(Error::Misfit(reason.to_owned()));
                    }
                    Some(full) => return self.noise_of_both(alone, full, budget),
                    None if keeps => Some(alone),
                    None => Some(self.smallest_client_noise(randomizer, budget)?),
                }
            }
        };
        Ok(PolicyNoise { clients, aggregators })
    }

    /// This client noise, with about the least aggregator noise that keeps the budget together with
    /// it: at most `full`, which keeps the budget alone and is taken if no less is found, or for ρ.
    fn noise_of_both(
        &self,
        local: LocalNoise,
        full: NoiseMechanism,
        budget: &Budget,
    ) -> Result<PolicyNoise, Error> {
        let (query, kind) = (self.job.query_of(self.policy), full.kind());
        // A policy with this noise states what the noise alone guarantees, ε = Δ₁/t or ρ.
        let with = |distribution: NoiseDistribution| -> Result<PolicyNoise, Error> {
            let aggregators = Some(NoiseMechanism::exactly(&query, distribution.into())?);
            Ok(PolicyNoise { clients: Some(local.clone()), aggregators })
        };
        let parameter = full.distribution().parameter().1.clone();
        // The search is for the largest 1/t or 1/σ, the loss of one step of the noise.
        let (exponent, first) = match kind {
            NoiseKind::DiscreteLaplace | NoiseKind::DiscreteKNorm => {
                (1, parameter.to_f64().recip())
            }
            NoiseKind::DiscreteGaussian => (2, parameter.to_f64().sqrt().recip()),
        };
        let of_step = |step: &Epsilon| {
            let inverse = step.value().reciprocal().expect("a step is above 0");
            kind.distribution(inverse.pow(exponent).round_to_digits(7, Rounding::Up))
        };
        // Both noises together have no bound on ρ but the one of aggregators alone.
        if let Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } = budget {
            let bound =
                |step: &Epsilon| self.epsilon(self.target.trust_model, &with(of_step(step))?);
            // What a client reports differs by as much less in the mean as debiasing multiplies.
            let first = first * local.debiasing_factor();
            let step = largest_parameter(|multiple| first * multiple, epsilon.value(), bound);
            if let Ok(less) = step.map(|step| of_step(&step))
                && *less.parameter().1 < parameter
            {
                return with(less);
            }
        }
        Ok(PolicyNoise { clients: Some(local), aggregators: Some(full) })
    }

    /// The trust model by whose guarantee client noise is chosen: OAMC if the target asks for it
    /// and the budget is an (ε, δ), otherwise OC.
    const fn model_of_clients(&self, budget: &Budget) -> TrustModel {
        match (budget, self.target.trust_model) {
            (Budget::Approximate { .. }, model @ TrustModel::OneAggregatorMostClients) => model,
            _ => TrustModel::OneClient,
        }
    }

    /// Whether this client noise alone keeps the budget in this trust model over the releases that
    /// share the budget. Of a ρ it is decided in OC.
    fn keeps(&self, budget: &Budget, model: TrustModel, local: &LocalNoise) -> Result<bool, Error> {
        Ok(match budget {
            Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } => {
                self.epsilon(model, &local.clone().into())? <= *epsilon.value()
            }
            Budget::ZeroConcentrated { rho } => local.rho(self.reports())? <= *rho,
            Budget::Renyi { .. } => unreachable!("a checked target has no Rényi budget"),
        })
    }

    /// Number of reports of one person in the releases that share the budget.
    fn reports(&self) -> u64 {
        u64::from(self.target.counted_releases(self.job)) * u64::from(self.job.reports_per_client)
    }

    /// How much all reports of one person in `releases` releases change the totals, under the job's
    /// neighbour relation.
    fn contribution(&self, releases: u32) -> Result<SensitivityBound, Error> {
        let (adjacency, reports) = (self.job.adjacency, self.job.reports_per_client);
        Ok(self.job.query_of(self.policy).contribution(adjacency, reports, releases)?)
    }

    /// The smallest noise of one aggregator that keeps the budget. The policy states the budget if
    /// policies are calibrated to budgets of its kind, for one replaced report; otherwise the
    /// budget that the noise keeps exactly ([`NoiseMechanism::exactly`]).
    fn smallest_aggregator_noise(
        &self,
        kind: NoiseKind,
        budget: &Budget,
    ) -> Result<NoiseMechanism, Error> {
        let query = self.job.query_of(self.policy);
        let is_one_report = self.reports() == 1 && self.job.adjacency == Adjacency::Replacement;
        if is_one_report && kind.check_kind(budget).is_ok() {
            return Ok(NoiseMechanism::calibrate(kind, &query, budget)?);
        }
        let contribution = self.contribution(self.target.counted_releases(self.job))?;
        let mut noise = kind.distribution(kind.calibrate(&contribution, budget)?);
        if !is_one_report {
            // The ε that is stated is computed to twelve digits, and must not exceed the budget's.
            noise = contribution.accounted(kind).raised(noise, budget)?;
        }
        let noise = kind.vector(noise.parameter().1.clone(), self.job.totals());
        Ok(NoiseMechanism::exactly(&query, noise)?)
    }

    /// Certified ε of the built policy with this noise, at the target's δ, over the releases that
    /// share the budget; `Err` if it has no guarantee in this trust model.
    pub(crate) fn epsilon(
        &self,
        model: TrustModel,
        noise: &PolicyNoise,
    ) -> Result<Rational, Error> {
        let circumstances = self.circumstances(self.target.counted_releases(self.job));
        let pair = self.draft(noise)?.pair(model, &circumstances);
        let none = |_| Refusal::not_available("a guarantee", "take another policy").into();
        pair.map(|pair| pair.epsilon.value().clone()).map_err(none)
    }

    /// The built policy with this noise, for the job's query, aggregators and clients. `Err` if
    /// there is no such policy.
    fn draft(&self, noise: &PolicyNoise) -> Result<Policy, Error> {
        let job = self.job;
        let clients = noise.clients.as_ref().zip(self.policy.client_noise);
        let delta = &self.target.delta;
        let clients = clients.map(|(local, kind)| job.client_noise(&local.parameter, kind, delta));
        let clients = clients.transpose()?;
        let aggregators = match noise.aggregators.as_ref().zip(self.policy.aggregator_noise) {
            Some((noise, kind)) => kind.of(noise.budget().clone()),
            None => None,
        };
        let size = VdafSize {
            length: to_index(job.estimates()),
            max_measurement: job.query.max_entry(),
            max_weight: Some(to_index(job.max_weight())),
            grid: job.grid.clone(),
        };
        let parts = self.policy.parts(job.aggregators, clients, aggregators, &size, job.clients);
        Ok(Policy::new(parts)?)
    }

    /// The built policy with this noise, its errors and its guarantees. `Err` if the job has more
    /// clients than its totals have room for.
    pub(crate) fn choice_with(&self, noise: &PolicyNoise) -> Result<PolicyChoice, Error> {
        let job = self.job;
        let draft = self.draft(noise)?;
        if draft.max_reports() < job.clients {
            let accepted = format!("at most {}, whose totals have room", draft.max_reports());
            return Err(ParameterError::new("clients", job.clients, accepted).into());
        }
        let per_release = self.guarantees(&draft, noise, 1);
        let total = match job.releases {
            1 => per_release.clone(),
            releases => self.guarantees(&draft, noise, releases),
        };
        Ok(PolicyChoice {
            policy: *self.policy,
            parameters: noise.parameters(self.policy),
            clients: job.clients,
            errors: job.errors(noise, job.clients, self.sums)?,
            per_release,
            total,
            draft,
            job: job.clone(),
        })
    }

    /// The guarantees of the built policy in all trust models. In OAMC they take tenths of a
    /// second, with both noises seconds: unless the target asks for OAMC, they are deferred or left
    /// out.
    fn guarantees(&self, draft: &Policy, noise: &PolicyNoise, releases: u32) -> Guarantees {
        let of = |model: TrustModel| self.guarantee(draft, noise, model, releases);
        let oc = of(TrustModel::OneClient);
        // Where aggregators add nothing, an honest one changes nothing.
        let oaoc = match noise.aggregators {
            Some(_) => of(TrustModel::OneAggregatorOneClient),
            None => oc.clone(),
        };
        let model = TrustModel::OneAggregatorMostClients;
        let oamc = match (&noise.clients, &noise.aggregators) {
            (None, _) => oaoc.clone(),
            (Some(_), _) if self.target.trust_model == model => of(model),
            (Some(_), Some(_)) => {
                oaoc.clone().with_slack_reason(Some(SlackReason::StrongerAdversary))
            }
            (Some(_), None) => {
                let (policy, circumstances) = (draft.clone(), self.circumstances(releases));
                return Guarantees::new(oc, oaoc, move || {
                    PairGuarantee::stated(&policy, model, &circumstances)
                });
            }
        };
        Guarantees::new(oc, oaoc, || oamc)
    }

    /// One person in `releases` releases of the job, at the δ of the target.
    fn circumstances(&self, releases: u32) -> Circumstances {
        Circumstances::new(self.job.honest_clients(), self.target.delta.clone())
            .over(releases)
            .with_reports_per_client(self.job.reports_per_client)
            .with_adjacency(self.job.adjacency)
    }

    /// Certified guarantee of the built policy for one person in `releases` releases. A ρ is added
    /// for aggregator noise alone except in OC, and for client noise alone in OC.
    fn guarantee(
        &self,
        policy: &Policy,
        noise: &PolicyNoise,
        model: TrustModel,
        releases: u32,
    ) -> PairGuarantee {
        let rho = match (&noise.clients, &noise.aggregators) {
            (None, Some(noise)) if model != TrustModel::OneClient => {
                let contribution = self.contribution(releases).ok();
                contribution.and_then(|contribution| {
                    contribution.accounted(noise.kind()).rho(&noise.distribution().accounted())
                })
            }
            (Some(local), None) if model == TrustModel::OneClient => {
                let reports = u64::from(releases) * u64::from(self.job.reports_per_client);
                local.rho(reports).ok()
            }
            _ => None,
        };
        PairGuarantee::stated(policy, model, &self.circumstances(releases))
            .with_rho(rho.map(|rho| rho.value().clone()))
    }

    /// The largest noise, nearly, that gives this accuracy, whatever it guarantees. With both
    /// noises, clients have half of the variance, and all aggregators together the rest.
    fn noise_for_accuracy(&self, accuracy: &Accuracy) -> Result<PolicyNoise, Error> {
        let (job, reports) = (self.job, self.job.clients);
        let deviation = job.deviation_within(accuracy, reports, self.sums);
        let of_clients = match self.policy.aggregator_noise {
            Some(_) => deviation * std::f64::consts::FRAC_1_SQRT_2,
            None => deviation,
        };
        let clients = self.policy.client_noise;
        let clients = clients.map(|randomizer| self.client_noise_within(randomizer, of_clients));
        let clients = clients.transpose()?;
        let Some(kind) = self.policy.noise_kind() else {
            return Ok(PolicyNoise { clients, aggregators: None });
        };
        let is_exact = matches!(accuracy, Accuracy::Margin(_)) && job.aggregators <= MAX_ADDED;
        let noise = match (&clients, self.sums) {
            (None, None) if is_exact => {
                let allowed = job.allowed(accuracy, reports) / job.unit(reports);
                job.noise_of_margin(kind, allowed)?
            }
            (clients, _) => {
                let (own, factor) = clients.as_ref().map_or((0.0, 1.0), |local| {
                    (local.variance(reports, job.estimates()), local.debiasing_factor())
                });
                let rest = (deviation * deviation - own).max(0.0);
                let each = (rest / job.draws(clients.as_ref())).sqrt() / factor;
                noise_of_deviation(kind, each, job.totals())?
            }
        };
        let noise = NoiseMechanism::exactly(&job.query_of(self.policy), noise)?;
        Ok(PolicyNoise { clients, aggregators: Some(noise) })
    }
}
