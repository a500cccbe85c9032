//! The plan: every policy that can do a job, best first, and why the others cannot.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicUsize, Ordering as AtomicOrdering};

use dp_exact::ParameterError;
use dp_task::{POLICIES, PolicyName};
use serde::Serialize;

use crate::fewest_clients::fewest_clients;
use crate::guarantee::PairGuarantee;
use crate::policy_choice::PolicyChoice;
use crate::policy_for_job::PolicyForJob;
use crate::target::Target;
use crate::{Error, Job};

/// A policy that does not do the job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExcludedPolicy {
    /// The policy.
    pub policy: PolicyName,
    /// Why not, in one line.
    pub reason: String,
}

/// All policies for a job, ranked.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The job.
    pub job: Job,
    /// The target.
    pub target: Target,
    /// The policies that reach the target, best first.
    pub choices: Vec<PolicyChoice>,
    /// The other policies.
    pub excluded: Vec<ExcludedPolicy>,
}

/// Ranks every policy that does the job: by the standard deviation of what is asked for a budget,
/// by ε for an accuracy, by clients for both. The README has an example.
///
/// # Errors
/// If the job or the target is out of range or contradicts itself. A plan without any choice is no
/// error.
pub fn plan(job: &Job, target: &Target) -> Result<Plan, Error> {
    job.check()?;
    target.check()?;
    let (mut choices, mut excluded) = (Vec::new(), Vec::new());
    let results =
        on_two_threads(POLICIES.len(), |number| policy_choice(job, target, &POLICIES[number]));
    for (policy, result) in POLICIES.iter().zip(results) {
        match result {
            Ok(choice) => choices.push(choice),
            Err(error) => {
                excluded.push(ExcludedPolicy { policy: *policy, reason: error.to_string() });
            }
        }
    }
    choices.sort_by(|one, other| rank(target, one, other));
    Ok(Plan { job: job.clone(), target: target.clone(), choices, excluded })
}

/// The results of `one` for 0, 1, …, `count` − 1, in this order, computed on two threads; on one
/// where no other starts, as in a browser.
fn on_two_threads<T: Send>(count: usize, one: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, AtomicOrdering::Relaxed));
        let numbers = numbers.take_while(|number| *number < count);
        numbers.map(|number| (number, one(number))).collect::<Vec<_>>()
    };
    let mut results = std::thread::scope(|scope| {
        let other = std::thread::Builder::new().spawn_scoped(scope, work);
        let mut results = work();
        if let Ok(other) = other {
            results.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    });
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The noise and the guarantees of one policy for the job.
///
/// # Errors
/// As [`plan`], and why the policy does not do the job.
pub fn policy_choice(
    job: &Job,
    target: &Target,
    policy: &PolicyName,
) -> Result<PolicyChoice, Error> {
    job.check()?;
    target.check()?;
    let policy = PolicyForJob::new(policy, job, target)?;
    match (&target.budget, &target.accuracy) {
        (Some(_), Some(accuracy)) => {
            let (job, noise) = fewest_clients(&policy, accuracy)?;
            PolicyForJob { job: &job, ..policy }.choice_with(&noise)
        }
        (Some(_), None) => policy.choice_with(&policy.noise()?),
        _ => {
            let choice = policy.choice_with(&policy.noise()?)?;
            if let PairGuarantee::Absent { reason } = choice.asked(target) {
                return Err(Error::Misfit(reason.to_string()));
            }
            Ok(choice)
        }
    }
}

/// Standard deviation of one estimate with a policy's noise for the target, in the unit of the
/// estimate; of prefixes or ranges of a histogram the root mean square. Guarantees and margins,
/// which take most of a plan's time, are left out: for curves of errors.
///
/// # Errors
/// As [`plan`], and why the policy does not do the job.
pub fn std_of(job: &Job, target: &Target, policy: &PolicyName) -> Result<f64, Error> {
    job.check()?;
    target.check()?;
    let policy = PolicyForJob::new(policy, job, target)?;
    Ok(job.std(&policy.noise()?, job.clients, policy.sums))
}

impl Plan {
    /// Computes the guarantees in OAMC of all choices, which are read later without a delay.
    pub fn complete(&self) {
        on_two_threads(self.choices.len(), |number| {
            let choice = &self.choices[number];
            let _ = (choice.per_release.oamc(), choice.total.oamc());
        });
    }

    /// The best policy, if there is one.
    #[must_use]
    pub fn chosen(&self) -> Option<&PolicyChoice> {
        self.choices.first()
    }

    /// The choice of the policy of this name.
    ///
    /// # Errors
    /// Why the policy does not do the job, or that it does not exist.
    pub fn choice(&self, name: &str) -> Result<&PolicyChoice, Error> {
        let found = self.choices.iter().find(|choice| choice.policy.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.choices.iter().map(|one| one.policy.name).collect();
            let mut accepted = format!("one of {}", names.join(", "));
            if let Some(excluded) = self.excluded.iter().find(|one| one.policy.name == name) {
                accepted += &format!(" (it does not do this job: {})", excluded.reason);
            }
            ParameterError::new("policy", name, accepted).into()
        })
    }
}

/// The order of two choices, best first: by clients for a budget and an accuracy, by ε for an
/// accuracy alone, else by standard deviation, which also decides between equals.
fn rank(target: &Target, one: &PolicyChoice, other: &PolicyChoice) -> Ordering {
    let by_std = one.errors.std.total_cmp(&other.errors.std);
    match (&target.budget, &target.accuracy) {
        (Some(_), Some(_)) => one.clients.cmp(&other.clients).then(by_std),
        (None, Some(_)) => {
            one.asked(target).epsilon().cmp(&other.asked(target).epsilon()).then(by_std)
        }
        _ => by_std,
    }
}
