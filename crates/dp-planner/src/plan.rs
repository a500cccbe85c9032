//! The plan: every policy that can do a job, best first, and why the others cannot.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering as AtomicOrdering};

use dp_calibration::{SeveralAggregators, TrustModel};
use dp_exact::{ParameterError, Rational, Refusal, join};
use dp_task::{POLICIES, PolicyName, Task};

use crate::document::{self, LibprioStrategy};
use crate::errors::{EstimateErrors, Noise};
use crate::family::Family;
use crate::fewest_clients::fewest_clients;
use crate::guarantee::{Guarantees, PairGuarantee, SlackReason};
use crate::target::{BudgetScope, Target};
use crate::{Error, Job};

/// A policy that does the job.
#[derive(Clone, Debug)]
pub struct PolicyChoice {
    /// The policy.
    pub policy: PolicyName,
    /// Its noise, by name.
    pub parameters: Vec<(&'static str, Rational)>,
    /// The reports that it needs in one release.
    pub clients: u64,
    /// How far off its estimates are, with the noise of clients and of all aggregators.
    pub errors: EstimateErrors,
    /// What one release guarantees.
    pub per_release: Guarantees,
    /// What all releases together guarantee.
    pub total: Guarantees,
    /// The policy, built.
    pub(crate) draft: Task,
    job: Job,
}

impl PolicyChoice {
    /// Whom the guarantee that is wanted needs.
    #[must_use]
    pub fn needs(&self, target: &Target) -> &'static str {
        let has_clients = self.policy.client_noise.is_some();
        let guarantees = match target.scope {
            BudgetScope::Release => &self.per_release,
            BudgetScope::Total => &self.total,
        };
        let of_crowd = has_clients
            && target.trust_model == TrustModel::OneAggregatorMostClients
            && guarantees.oamc.epsilon() < guarantees.oaoc.epsilon();
        match (has_clients, self.policy.aggregator_noise.is_some()) {
            _ if of_crowd => "one honest aggregator and the honest clients",
            (true, false) => "nobody else",
            (true, true) if target.trust_model == TrustModel::OneClient => "nobody else",
            _ => "one honest aggregator",
        }
    }

    /// Why more is provable of the guarantee that the order of the choices depends on, if that is known.
    #[must_use]
    pub const fn loose(&self, target: &Target) -> Option<SlackReason> {
        target.guaranteed(self).loose()
    }

    /// The noise of aggregators for servers that are built on libprio.
    #[must_use]
    pub fn strategy(&self) -> Option<LibprioStrategy> {
        LibprioStrategy::of(&self.draft)
    }

    /// The task in the trust model that is wanted, checked, with the δ and the number of releases that
    /// were asked for.
    ///
    /// # Errors
    /// If the task [protects nobody](dp_prio3::protects_nobody): then the document has to say so, which
    /// is not for a planner to say.
    pub fn task(&self, target: &Target) -> Result<Task, Error> {
        document::task(&self.job, target, &self.draft, self.clients)
    }
}

/// A policy that does not do the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcludedPolicy {
    /// The policy.
    pub policy: PolicyName,
    /// Why, in one line.
    pub reason: String,
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What was asked.
    pub job: Job,
    /// What was wanted.
    pub target: Target,
    /// Every policy that does it, best first.
    pub choices: Vec<PolicyChoice>,
    /// Every other policy.
    pub excluded: Vec<ExcludedPolicy>,
    /// What it costs to keep the budget over all releases, where it was asked for each of several.
    pub over_all: Option<TotalBudgetChoice>,
}

/// The most accurate policy that keeps over all releases the budget that was asked for each.
#[derive(Clone, Debug, PartialEq)]
pub struct TotalBudgetChoice {
    /// The policy.
    pub policy: PolicyName,
    /// How far off its estimates are.
    pub errors: EstimateErrors,
}

/// Every policy that does the job, best first: by standard deviation for a budget, by ε for an accuracy,
/// by clients for both.
///
/// ```
/// use dp_calibration::Budget;
/// use dp_planner::{Job, Target, plan};
///
/// let job = Job { releases: 30, ..Job::new("histogram:40".parse()?, 250_000) };
/// let budget = Budget::Approximate { epsilon: "1".parse()?, delta: "1e-8".parse()? };
/// let plan = plan(&job, &Target::budget(budget)?)?;
/// let best = plan.chosen().expect("a policy");
/// assert_eq!(best.policy.name, "histogram-laplace");
/// assert!((best.errors.std - 3.9585).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the job or what is wanted is out of range or contradicts itself. That no policy does the job is
/// no error.
pub fn plan(job: &Job, target: &Target) -> Result<Plan, Error> {
    job.check()?;
    target.check()?;
    let (mut choices, mut excluded) = (Vec::new(), Vec::new());
    for (policy, found) in all(job, target) {
        match found {
            Ok(choice) => choices.push(choice),
            Err(error) => excluded.push(ExcludedPolicy { policy, reason: error.to_string() }),
        }
    }
    choices.sort_by(|one, other| order(target, one, other));
    Ok(Plan {
        job: job.clone(),
        target: target.clone(),
        over_all: over_all(job, target, &choices),
        choices,
        excluded,
    })
}

/// What every policy needs and gives, in the order of the policies: found on two threads.
fn all(job: &Job, target: &Target) -> Vec<(PolicyName, Result<PolicyChoice, Error>)> {
    let next = AtomicUsize::new(0);
    let some = || {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, AtomicOrdering::Relaxed));
        let policies = numbers.map_while(|number| Some((number, POLICIES.get(number)?)));
        let found = policies.map(|(number, policy)| (number, chosen(job, target, policy)));
        found.collect::<Vec<_>>()
    };
    let (mut found, others) = join(some, some);
    found.extend(others);
    found.sort_by_key(|(number, _)| *number);
    let named = POLICIES.iter().zip(found);
    named.map(|(policy, (_, found))| (*policy, found)).collect()
}

/// How many of the best policies are tried over all releases.
const TRIED: usize = 3;

/// What it costs to keep the budget over all releases.
fn over_all(job: &Job, target: &Target, choices: &[PolicyChoice]) -> Option<TotalBudgetChoice> {
    let is_asked = job.releases > 1
        && target.scope == BudgetScope::Release
        && target.budget.is_some()
        && target.accuracy.is_none();
    let target = Target { scope: BudgetScope::Total, ..target.clone() };
    let tried = choices.iter().take(if is_asked { TRIED } else { 0 });
    let found = tried.filter_map(|choice| {
        let policy = choice.policy;
        let noise = family(job, &target, &policy).ok()?.noise().ok()?;
        let errors = job.errors(&noise, job.clients).ok()?;
        Some(TotalBudgetChoice { policy, errors })
    });
    found.min_by(|one, other| one.errors.std.total_cmp(&other.errors.std))
}

/// What one policy needs for the job, and gives.
///
/// # Errors
/// Those of [`plan`], and why the policy does not do it.
pub fn policy_choice(
    job: &Job,
    target: &Target,
    policy: &PolicyName,
) -> Result<PolicyChoice, Error> {
    job.check()?;
    target.check()?;
    chosen(job, target, policy)
}

/// The standard deviation of an estimate of a policy that has the noise for what is wanted, without its guarantees and
/// margins, which cost most of a plan: for curves of errors.
///
/// ```
/// use dp_planner::{Budget, Job, PolicyName, Target, std_of};
///
/// let policy = PolicyName::find("histogram-laplace").expect("a policy");
/// let job = Job::new("histogram:40".parse()?, 250_000);
/// let with = |epsilon: &str| -> Result<f64, Box<dyn std::error::Error>> {
///     let target = Target::budget(Budget::Pure { epsilon: epsilon.parse()? })?;
///     Ok(std_of(&job, &target, &policy)?)
/// };
/// assert!((with("1")? - 3.9585).abs() < 1e-3);
/// assert!(with("0.5")? > 1.9 * with("1")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`plan`], and why the policy does not do the job.
pub fn std_of(job: &Job, target: &Target, policy: &PolicyName) -> Result<f64, Error> {
    job.check()?;
    target.check()?;
    job.std(&family(job, target, policy)?.noise()?, job.clients)
}

impl Plan {
    /// The best policy, if there is one.
    #[must_use]
    pub fn chosen(&self) -> Option<&PolicyChoice> {
        self.choices.first()
    }

    /// The policy of this name, if it does the job.
    ///
    /// # Errors
    /// Why it does not, or that there is no such policy.
    pub fn choice(&self, name: &str) -> Result<&PolicyChoice, Error> {
        let found = self.choices.iter().find(|choice| choice.policy.name == name);
        found.ok_or_else(|| {
            let reason = self.excluded.iter().find(|one| one.policy.name == name);
            let names: Vec<&str> = self.choices.iter().map(|one| one.policy.name).collect();
            let accepted = match reason {
                Some(excluded) => format!(
                    "one of {} (it does not do this job: {})",
                    names.join(", "),
                    excluded.reason
                ),
                None => format!("one of {}", names.join(", ")),
            };
            ParameterError::new("policy", name, accepted).into()
        })
    }
}

/// Which of two comes first.
fn order(target: &Target, one: &PolicyChoice, other: &PolicyChoice) -> Ordering {
    let by_std = one.errors.std.total_cmp(&other.errors.std);
    match (&target.budget, &target.accuracy) {
        (Some(_), Some(_)) => one.clients.cmp(&other.clients).then(by_std),
        (None, Some(_)) => {
            let epsilon = |choice: &PolicyChoice| target.guarantee(choice).cloned();
            epsilon(one).cmp(&epsilon(other)).then(by_std)
        }
        _ => by_std,
    }
}

impl Target {
    /// The ε of a choice that is wanted to be small.
    pub(crate) fn guarantee<'a>(&self, choice: &'a PolicyChoice) -> Option<&'a Rational> {
        self.guaranteed(choice).epsilon()
    }

    /// The guarantee of a choice that is wanted.
    pub(crate) const fn guaranteed<'a>(&self, choice: &'a PolicyChoice) -> &'a PairGuarantee {
        let guarantees = match self.scope {
            BudgetScope::Release => &choice.per_release,
            BudgetScope::Total => &choice.total,
        };
        guarantees.of(self.trust_model)
    }
}

/// The family of a policy, if it does the job.
fn family<'a>(
    job: &'a Job,
    target: &'a Target,
    policy: &'a PolicyName,
) -> Result<Family<'a>, Error> {
    match job.misfit(policy) {
        Some(reason) => Err(Refusal::not_available(policy.name, reason).into()),
        None => Ok(Family { policy, job, target }),
    }
}

fn chosen(job: &Job, target: &Target, policy: &PolicyName) -> Result<PolicyChoice, Error> {
    let family = family(job, target, policy).map_err(|error| match error {
        // The name of the policy stands beside its reason.
        Error::Refused(Refusal::NotAvailable { change, .. }) => Error::Misfit(change.into_owned()),
        error => error,
    })?;
    match (&target.budget, &target.accuracy) {
        (Some(_), Some(accuracy)) => {
            let (job, noise) = fewest_clients(&family, accuracy)?;
            made(&Family { job: &job, ..family }, noise)
        }
        _ => made(&family, family.noise()?),
    }
}

/// The choice of a policy with this noise.
fn made(family: &Family<'_>, noise: Noise) -> Result<PolicyChoice, Error> {
    let (job, policy) = (family.job, family.policy);
    let draft = family.draft(&noise)?;
    if draft.max_reports() < job.clients {
        let accepted = format!("at most {}, whose totals have room", draft.max_reports());
        return Err(ParameterError::new("clients", job.clients, accepted).into());
    }
    let per_release = guarantees(family, &draft, &noise, 1)?;
    let total = match job.releases {
        1 => per_release.clone(),
        releases => guarantees(family, &draft, &noise, releases)?,
    };
    Ok(PolicyChoice {
        policy: *policy,
        parameters: noise.named(policy),
        clients: job.clients,
        errors: job.errors(&noise, job.clients)?,
        per_release,
        total,
        draft,
        job: job.clone(),
    })
}

/// What the built policy guarantees in all trust models. What both noises guarantee among honest clients
/// takes seconds, and is found only where it was asked for.
fn guarantees(
    family: &Family<'_>,
    task: &Task,
    noise: &Noise,
    releases: u32,
) -> Result<Guarantees, Error> {
    let of = |model: TrustModel| family.guarantee(task, noise, model, releases);
    let oc = of(TrustModel::OneClient);
    // Where aggregators add nothing, an honest one changes nothing.
    let oaoc = match noise.aggregators {
        Some(_) => of(TrustModel::OneAggregatorOneClient),
        None => oc.clone(),
    };
    let is_asked = family.target.trust_model == TrustModel::OneAggregatorMostClients;
    let are_both = noise.clients.is_some() && noise.aggregators.is_some();
    let oamc = match (noise.clients.is_some(), are_both && !is_asked) {
        (false, _) => oaoc.clone(),
        (true, true) => oaoc.clone().loosely(Some(SlackReason::StrongerAdversary)),
        (true, false) => of(TrustModel::OneAggregatorMostClients),
    };
    let several = (2..=family.job.honest_aggregators).map(|honest| {
        let guarantee = match (noise.aggregators.is_some(), are_both) {
            (false, _) => oaoc.clone(),
            (true, true) => oaoc.clone().loosely(Some(SlackReason::StrongerAdversary)),
            (true, false) => {
                let several = SeveralAggregators::new(honest)?;
                of(TrustModel::SeveralAggregatorsOneClient(several))
            }
        };
        Ok((honest, guarantee))
    });
    Ok(Guarantees {
        oc,
        with_honest_aggregators: several.collect::<Result<BTreeMap<_, _>, Error>>()?,
        oaoc,
        oamc,
    })
}
