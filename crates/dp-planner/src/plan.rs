//! The plan: every policy that can do a job, best first, and why the others cannot.

mod least_clients;

use std::cmp::Ordering;

use dp_calibration::NoiseLaw;
use dp_exact::{ParameterError, Rational, Refusal, work};
use dp_task::{POLICIES, PolicyName, Randomizer, Task};

use self::least_clients::of_least_clients;
use crate::document::{self, Strategy};
use crate::errors::{Errors, Noise};
use crate::planner::Planner;
use crate::promise::{Loose, Promise, Promises};
use crate::wanted::{Against, Scope, Wanted};
use crate::{Error, Job};

/// A policy that does the job.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The policy.
    pub policy: PolicyName,
    /// Its noise, by name.
    pub parameters: Vec<(&'static str, Rational)>,
    /// The reports that it needs in one release.
    pub clients: u64,
    /// How far off its estimates are, with the noise of clients and of all aggregators.
    pub errors: Errors,
    /// What one release promises.
    pub per_release: Promises,
    /// What all releases together promise.
    pub total: Promises,
    /// The policy, built.
    pub(crate) draft: Task,
    /// Whether its parameter in the crowd takes too long to find.
    is_unsearched: bool,
    honest_clients: u64,
}

impl Choice {
    /// Whom the promise that is wanted needs.
    #[must_use]
    pub fn needs(&self, wanted: &Wanted) -> &'static str {
        let has_clients = self.policy.client_noise.is_some();
        let promises = match wanted.scope {
            Scope::Release => &self.per_release,
            Scope::Total => &self.total,
        };
        let of_crowd = has_clients
            && wanted.against == Against::Collector
            && promises.oamc.epsilon() < promises.oaoc.epsilon();
        match (has_clients, self.policy.aggregator_noise.is_some()) {
            _ if of_crowd => "one honest aggregator and the honest clients",
            (true, false) => "nobody else",
            (true, true) if wanted.against == Against::AllAggregators => "nobody else",
            _ => "one honest aggregator",
        }
    }

    /// Why the policy may do better than it says in what the order of the choices depends on, if that is
    /// known: the promise that is wanted is looser than it could be, or the noise larger.
    #[must_use]
    pub fn loose(&self, wanted: &Wanted) -> Option<Loose> {
        let unsearched = self.is_unsearched.then_some(Loose::Costly);
        wanted.promised(self).loose().or(unsearched)
    }

    /// The noise of aggregators for servers that are built on libprio.
    #[must_use]
    pub fn strategy(&self) -> Option<Strategy> {
        Strategy::of(&self.draft)
    }

    /// The task, in the trust model that is wanted and checked. Its promise is found anew, which may
    /// take seconds for noise in a crowd.
    ///
    /// # Errors
    /// If that takes too long.
    pub fn task(&self, wanted: &Wanted) -> Result<Task, Error> {
        document::task(wanted, &self.draft, self.clients, self.honest_clients)
    }
}

/// A policy that does not do the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excluded {
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
    pub wanted: Wanted,
    /// Every policy that does it, best first.
    pub choices: Vec<Choice>,
    /// Every other policy.
    pub excluded: Vec<Excluded>,
}

/// Every policy that does the job, best first: by standard deviation for a budget, by ε for an accuracy,
/// by clients for both.
///
/// ```
/// use dp_calibration::Budget;
/// use dp_planner::{Job, Wanted, plan};
///
/// let job = Job { releases: 30, ..Job::new("histogram:40".parse()?, 250_000) };
/// let budget = Budget::Approximate { epsilon: "1".parse()?, delta: "1e-8".parse()? };
/// let plan = plan(&job, &Wanted::budget(budget)?)?;
/// let best = plan.chosen().expect("a policy");
/// assert_eq!(best.policy.name, "histogram-laplace");
/// assert!((best.errors.std - 3.9585).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the job or what is wanted is out of range or contradicts itself. That no policy does the job is
/// no error.
pub fn plan(job: &Job, wanted: &Wanted) -> Result<Plan, Error> {
    let refusal = || {
        let given: [(_, &dyn std::fmt::Display); 3] = [
            ("type", &job.query),
            ("releases", &job.releases),
            ("clients", &job.clients),
        ];
        match wanted.budget.is_some() && wanted.accuracy.is_some() {
            true => work::refusal("the plan", &given[..2], "take fewer releases"),
            false => work::refusal("the plan", &given, "take fewer releases or clients"),
        }
    };
    work::bounded(refusal, || {
        job.check()?;
        wanted.check()?;
        let planner = Planner::new(job, wanted);
        // What the order depends on comes first: what is left of the work is for the other promises.
        let noises = POLICIES.iter().map(|policy| match job.misfit(policy) {
            Some(reason) => Err(reason),
            None => criterion(&planner, policy).map_err(|error| error.to_string()),
        });
        let noises: Vec<Result<Option<Noise>, String>> = noises.collect();
        let (mut choices, mut excluded) = (Vec::new(), Vec::new());
        for (policy, noise) in POLICIES.iter().zip(noises) {
            let found = noise.and_then(|noise| {
                choice(&planner, policy, noise).map_err(|error| error.to_string())
            });
            match found {
                Ok(choice) => choices.push(choice),
                Err(reason) => excluded.push(Excluded {
                    policy: *policy,
                    reason,
                }),
            }
        }
        choices.sort_by(|one, other| order(wanted, one, other));
        Ok(Plan {
            job: job.clone(),
            wanted: wanted.clone(),
            choices,
            excluded,
        })
    })
}

/// What one policy needs for the job, and gives.
///
/// # Errors
/// Those of [`plan`], and why the policy does not do it.
pub fn choice_of(job: &Job, wanted: &Wanted, policy: &PolicyName) -> Result<Choice, Error> {
    let refusal = || work::refusal("the noise", &[("type", &job.query)], "take fewer releases");
    work::bounded(refusal, || {
        job.check()?;
        wanted.check()?;
        let planner = Planner::new(job, wanted);
        match job.misfit(policy) {
            Some(reason) => Err(Refusal::not_available(policy.name, reason).into()),
            None => choice(&planner, policy, criterion(&planner, policy)?),
        }
    })
}

impl Plan {
    /// The best policy, if there is one.
    #[must_use]
    pub fn chosen(&self) -> Option<&Choice> {
        self.choices.first()
    }

    /// The policy of this name, if it does the job.
    ///
    /// # Errors
    /// Why it does not, or that there is no such policy.
    pub fn choice(&self, name: &str) -> Result<&Choice, Error> {
        let found = self
            .choices
            .iter()
            .find(|choice| choice.policy.name == name);
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
fn order(wanted: &Wanted, one: &Choice, other: &Choice) -> Ordering {
    let by_std = one.errors.std.total_cmp(&other.errors.std);
    match (&wanted.budget, &wanted.accuracy) {
        (Some(_), Some(_)) => one.clients.cmp(&other.clients).then(by_std),
        (None, Some(_)) => {
            let epsilon = |choice: &Choice| wanted.promise(choice).cloned();
            epsilon(one).cmp(&epsilon(other)).then(by_std)
        }
        _ => by_std,
    }
}

impl Wanted {
    /// The ε of a choice that is wanted to be small.
    pub(crate) fn promise<'a>(&self, choice: &'a Choice) -> Option<&'a Rational> {
        self.promised(choice).epsilon()
    }

    /// The promise of a choice that is wanted.
    fn promised<'a>(&self, choice: &'a Choice) -> &'a Promise {
        let promises = match self.scope {
            Scope::Release => &choice.per_release,
            Scope::Total => &choice.total,
        };
        promises.of(self.against.trust_model())
    }
}

/// The noise of a policy, and what it promises where the order depends on that, which is remembered; no
/// noise yet where a number of clients is to be found.
fn criterion(planner: &Planner<'_>, policy: &PolicyName) -> Result<Option<Noise>, Error> {
    let wanted = planner.wanted;
    if wanted.budget.is_some() && wanted.accuracy.is_some() {
        return Ok(None);
    }
    let noise = planner.noise(policy)?;
    let releases = planner.counted();
    if wanted.budget.is_none() && (releases > 1 || !planner.job.is_of_policies()) {
        planner.promises(policy, &noise, releases)?;
    }
    Ok(Some(noise))
}

fn choice(
    planner: &Planner<'_>,
    policy: &PolicyName,
    noise: Option<Noise>,
) -> Result<Choice, Error> {
    match (noise, &planner.wanted.accuracy) {
        (Some(noise), _) => made(planner, policy, noise),
        (None, Some(accuracy)) => of_least_clients(planner, policy, accuracy),
        (None, None) => made(planner, policy, planner.noise(policy)?),
    }
}

/// The choice of a policy with this noise.
pub(crate) fn made(
    planner: &Planner<'_>,
    policy: &PolicyName,
    noise: Noise,
) -> Result<Choice, Error> {
    let job = planner.job;
    let draft = document::draft(job, planner.wanted, policy, &noise, job.clients)?;
    if draft.max_reports() < job.clients {
        let accepted = format!("at most {}, whose totals have room", draft.max_reports());
        return Err(ParameterError::new("clients", job.clients, accepted).into());
    }
    let per_release = planner.per_release(policy, &noise, &draft)?;
    let total = match job.releases {
        1 => per_release.clone(),
        releases => planner.promises(policy, &noise, releases)?,
    };
    Ok(Choice {
        policy: *policy,
        parameters: parameters(policy, &noise),
        is_unsearched: planner.gave_up(policy),
        clients: job.clients,
        errors: job.errors(&noise, job.clients)?,
        per_release,
        total,
        draft,
        honest_clients: job.honest_clients(),
    })
}

/// The noise by name, as the task has it.
fn parameters(policy: &PolicyName, noise: &Noise) -> Vec<(&'static str, Rational)> {
    let name = match policy.client_noise {
        Some(Randomizer::OneHotRappor | Randomizer::BasicRappor | Randomizer::SymmetricRappor) => {
            "epsilon0"
        }
        _ => "epsilon",
    };
    let clients = noise.clients.as_ref();
    let clients = clients.map(|local| (name, local.parameter().value().clone()));
    let aggregators = noise.aggregators.as_ref().map(|law| match law {
        NoiseLaw::DiscreteLaplace { scale } => ("scale", scale.clone()),
        NoiseLaw::DiscreteGaussian { variance } => ("variance", variance.clone()),
    });
    clients.into_iter().chain(aggregators).collect()
}
