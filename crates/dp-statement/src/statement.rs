//! A statement: a task, a deployment and a number of releases, with every promise.

use dp_calibration::TrustModel;
use dp_exact::{ParameterError, work};
use dp_prio3::Guarantee;
use dp_task::Task;

use crate::Error;
use crate::deployment::Deployment;
use crate::total::{MAX_RELEASES, Total, total};

/// The releases of a year of one a day.
pub const YEAR: u32 = 365;

/// What one trust model promises.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated {
    /// What the policy promises of one release, with its conditions.
    pub guarantee: Guarantee,
    /// One release, as a pair (ε, δ).
    pub once: Total,
    /// All releases in which a person takes part, together.
    pub all: Total,
    /// A release a day for a year, together.
    pub year: Total,
}

/// What a deployment publishes.
#[derive(Clone, Debug)]
pub struct Statement {
    task: Task,
    deployment: Deployment,
    releases: u32,
    stated: Vec<Stated>,
}

impl Statement {
    /// Of a task, in so many of whose releases one person takes part, with one report in each.
    ///
    /// # Errors
    /// If the deployment names another number of aggregators than the task has, `releases` is not from 1 to
    /// [`MAX_RELEASES`], or the promises cost more work than is allowed.
    pub fn new(task: Task, deployment: Deployment, releases: u32) -> Result<Self, Error> {
        let aggregators = task.document().vdaf.aggregators();
        let named = deployment.aggregators.len();
        if named != aggregators {
            let accepted = format!("{aggregators} tables, one for each aggregator of the task");
            return Err(ParameterError::new("aggregators", named, accepted).into());
        }
        if !(1..=MAX_RELEASES).contains(&releases) {
            let accepted = format!("an integer from 1 to {MAX_RELEASES}");
            return Err(ParameterError::new("releases", releases, accepted).into());
        }
        let given: [(_, &dyn std::fmt::Display); 1] = [("releases", &releases)];
        let refusal = || work::refusal("the statement", &given, "take fewer releases");
        let stated = work::bounded(refusal, || all_models(&task, releases))?;
        Ok(Self {
            task,
            deployment,
            releases,
            stated,
        })
    }

    /// The task.
    #[must_use]
    pub const fn task(&self) -> &Task {
        &self.task
    }

    /// The deployment.
    #[must_use]
    pub const fn deployment(&self) -> &Deployment {
        &self.deployment
    }

    /// In how many releases one person takes part.
    #[must_use]
    pub const fn releases(&self) -> u32 {
        self.releases
    }

    /// What is promised, in each trust model: OC, OAOC, OAMC, and those that count on as many honest
    /// aggregators as the task does.
    #[must_use]
    pub fn stated(&self) -> &[Stated] {
        &self.stated
    }

    /// What is promised in one of the trust models.
    #[must_use]
    pub fn in_model(&self, model: TrustModel) -> Option<&Stated> {
        let mut found = self.stated.iter();
        found.find(|stated| stated.guarantee.trust_model == model)
    }
}

/// The promises of every model.
fn all_models(task: &Task, releases: u32) -> Result<Vec<Stated>, Error> {
    let honest = usize::from(task.trust_model().honest_aggregators());
    let models = TrustModel::with_honest_aggregators(honest)?;
    let stated = models.into_iter().map(|model| {
        let guarantee = task.guarantee_in(model, task.circumstances());
        let once = total(task, model, 1);
        let all = match releases {
            1 => once.clone(),
            releases => total(task, model, releases),
        };
        let year = match releases {
            YEAR => all.clone(),
            _ => total(task, model, YEAR),
        };
        Stated {
            guarantee,
            once,
            all,
            year,
        }
    });
    Ok(stated.collect())
}
