//! The errors of a policy for a job, without what it promises.

use dp_exact::{Refusal, work};
use dp_task::PolicyName;

use crate::planner::Planner;
use crate::{Error, Errors, Job, Wanted};

/// How far off the estimates of a policy are that has the noise for what is wanted. Its promises in the other
/// trust models, which cost most of a plan, are not found: for curves of errors.
///
/// ```
/// use dp_planner::{Budget, Job, PolicyName, Wanted, errors_of};
///
/// let policy = PolicyName::find("histogram-laplace").expect("a policy");
/// let job = Job::new("histogram:40".parse()?, 250_000);
/// let with = |epsilon: &str| -> Result<f64, Box<dyn std::error::Error>> {
///     let wanted = Wanted::budget(Budget::Pure { epsilon: epsilon.parse()? })?;
///     Ok(errors_of(&job, &wanted, &policy)?.std)
/// };
/// assert!((with("1")? - 3.9585).abs() < 1e-3);
/// assert!(with("0.5")? > 1.9 * with("1")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`plan`](crate::plan()), and why the policy does not do the job.
pub fn errors_of(job: &Job, wanted: &Wanted, policy: &PolicyName) -> Result<Errors, Error> {
    let refusal = || work::refusal("the noise", &[("type", &job.query)], "take fewer releases");
    work::bounded(refusal, || {
        job.check()?;
        wanted.check()?;
        match job.misfit(policy) {
            Some(reason) => Err(Refusal::not_available(policy.name, reason).into()),
            None => job.errors(&Planner::new(job, wanted).noise(policy)?, job.clients),
        }
    })
}
