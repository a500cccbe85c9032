//! The privacy statement of a deployment: a page for people and a record for machines. It is made
//! of a task, a file of facts that only the deployer knows, and the number of releases in which one
//! person takes part.
//!
//! ```
//! use dp_report::statement::{Deployment, Error, Statement, Task};
//!
//! let task = Task::from_toml(r#"
//!     version = 2
//!     name = "asthma"
//!     vdaf = { type = "Prio3Count", aggregators = 2 }
//!     aggregator_noise = { type = "discrete-laplace", budget = { pure = { epsilon = "0.5" } } }
//!     trust = { model = "OAOC" }
//!     batch = { min_reports = 1000 }
//! "#)?;
//! // One error names all missing fields.
//! let Err(Error::Missing { fields }) = Deployment::from_toml("version = 1") else { panic!() };
//! assert!(fields.contains(&"contact.address".to_owned()));
//!
//! # let heights = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/heights.toml"));
//! let deployment = Deployment::from_toml(heights)?;
//! let statement = Statement::new(task, deployment, 1)?;
//! // e^0.5/(1 + e^0.5) = 62.2 %, rounded up.
//! assert!(statement.to_markdown().contains("| 50 % | 63 % |"));
//! assert!(statement.to_yaml().contains("epsilon: 0.5\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod deployment;
mod markdown;
mod page;
mod page_html;
mod record;

use dp_calibration::TrustModel;
use dp_exact::{ParameterError, grouped, shown};
use dp_planner::PairGuarantee;
use dp_prio3::{Circumstances, Guarantee};
use dp_task::Budget;

pub use deployment::{Deployment, MAX_BYTES, template};
pub use dp_task::Task;
pub use page::{in_plain_words, posterior_percent};
pub use record::{RegistryRecord, SCHEMA};

/// The most releases, the limit of the accountant.
pub const MAX_RELEASES: u32 = 1 << 20;

/// Why there is no statement. Each message is one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The deployment is longer than [`MAX_BYTES`].
    #[error("the deployment is longer than {MAX_BYTES} bytes")]
    TooLong,
    /// The deployment is not TOML.
    #[error("not a deployment in TOML: {reason}")]
    Syntax {
        /// Where and why.
        reason: String,
    },
    /// Fields that the deployer has to fill in; the [`template`] has their meanings.
    #[error("the deployment leaves out {}: a statement has none of them blank", .fields.join(", "))]
    Missing {
        /// The path of each.
        fields: Vec<String>,
    },
    /// A value that is not accepted; its name is the path of the field.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

impl Error {
    /// The error of a document that is not TOML, with its reason on one line.
    fn syntax(reason: impl ToString) -> Self {
        Self::Syntax { reason: shown(reason.to_string().replace('\n', " ")) }
    }
}

/// The guarantees of one trust model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelGuarantees {
    /// The guarantee of one release, with its conditions.
    pub guarantee: Guarantee,
    /// Upper bounds (ε, δ) for one release.
    pub once: PairGuarantee,
    /// Upper bounds (ε, δ) for all releases in which a person takes part.
    pub all: PairGuarantee,
}

/// The privacy statement of a deployment.
#[derive(Clone, Debug)]
pub struct Statement {
    task: Task,
    deployment: Deployment,
    releases: u32,
    totals: Vec<ModelGuarantees>,
}

impl Statement {
    /// The statement of a task, where one person takes part in `releases` releases with at most as
    /// many reports in each as the task says.
    ///
    /// # Errors
    /// If the deployment names another number of aggregators than the task has, or fewer people
    /// than have the reports of the smallest batch, or `releases` is not from 1 to [`MAX_RELEASES`]
    /// or above the number of releases that the task says.
    pub fn new(task: Task, deployment: Deployment, releases: u32) -> Result<Self, Error> {
        let aggregators = task.document().vdaf.aggregators();
        let named = deployment.aggregators().count();
        if named != aggregators {
            let accepted = format!("{aggregators} tables, one for each aggregator of the task");
            return Err(ParameterError::new("aggregators", named, accepted).into());
        }
        if !(1..=MAX_RELEASES).contains(&releases) {
            let accepted = format!("an integer from 1 to {MAX_RELEASES}");
            return Err(ParameterError::new("releases", releases, accepted).into());
        }
        let planned = task.releases();
        if planned > 1 && releases > planned {
            let accepted = format!("at most {planned}, the task's trust.releases");
            return Err(ParameterError::new("releases", releases, accepted).into());
        }
        let people = deployment.people();
        let (least, each) = (task.policy().min_reports(), task.circumstances().reports_per_client);
        if people.saturating_mul(each.into()) < least {
            let accepted = format!(
                "people with {least} reports together, {each} each, as no batch of fewer is released"
            );
            return Err(ParameterError::new("record.people", people, accepted).into());
        }
        let honest = task.trust_model().honest_aggregators();
        let models = TrustModel::with_honest_aggregators(usize::from(honest))?;
        let totals = models.into_iter().map(|model| ModelGuarantees {
            guarantee: task.policy().guarantee(model, task.circumstances()),
            once: total(&task, model, 1),
            all: total(&task, model, releases),
        });
        Ok(Self { totals: totals.collect(), task, deployment, releases })
    }

    /// The most reports of one person in a release.
    const fn reports(&self) -> u32 {
        self.task.circumstances().reports_per_client
    }

    /// The first operator of all aggregators, or of two where the task relies on several honest
    /// ones, with the number of its aggregators; `None` if the operators are distinct enough.
    #[must_use]
    pub fn shared_operator(&self) -> Option<(&str, usize)> {
        let names = || self.deployment.aggregators().map(|(operator, _)| operator);
        let is_one = self.task.trust_model().honest_aggregators() < 2;
        let most = if is_one { names().count() - 1 } else { 1 };
        let is_same = |name: &str, other: &str| name.to_lowercase() == other.to_lowercase();
        let runs = |name| names().filter(|other| is_same(name, other)).count();
        names().map(|name| (name, runs(name))).find(|(_, number)| *number > most)
    }

    /// Warnings of page and record in plain words: that operators are not distinct enough, and that
    /// more releases are planned than the statement is about.
    fn warnings(&self) -> impl Iterator<Item = String> {
        let all = self.deployment.aggregators().count();
        let relied = match self.task.trust_model() {
            TrustModel::OneClient => "",
            _ => " What is stated here counts on its word.",
        };
        let shared = self.shared_operator().map(|(operator, number)| {
            format!(
                "{operator} is {number} of the {all} operators: it can put their parts of a report together, and with all \
                 {all} read it.{relied}"
            )
        });
        let planned = (self.task.releases() > self.releases).then(|| {
            let planned = grouped(self.task.releases());
            format!("{planned} results are planned: who is in more is less protected than stated.")
        });
        shared.into_iter().chain(planned)
    }

    /// The task.
    pub const fn task(&self) -> &Task {
        &self.task
    }

    /// The guarantees in OC, OAOC, OAMC and the models with the number of honest aggregators on
    /// which the task relies.
    pub fn totals(&self) -> &[ModelGuarantees] {
        &self.totals
    }

    /// The guarantees in one of the trust models.
    #[must_use]
    pub fn in_model(&self, model: TrustModel) -> Option<&ModelGuarantees> {
        let mut found = self.totals.iter();
        found.find(|totals| totals.guarantee.trust_model == model)
    }

    /// The guarantees in the trust model that the task relies on.
    #[must_use]
    pub fn relied(&self) -> &ModelGuarantees {
        let found = self.in_model(self.task.trust_model());
        found.unwrap_or_else(|| unreachable!("a statement has the trust model of its task"))
    }
}

/// Upper bounds (ε, δ) in this trust model for one person over `releases` releases of the task, at
/// the task's δ; with ρ if the aggregators' noise, calibrated to a ρ, is the only noise, and an
/// aggregator is honest.
fn total(task: &Task, model: TrustModel, releases: u32) -> PairGuarantee {
    let (policy, circumstances) = (task.policy(), task.circumstances().clone().over(releases));
    let is_alone = task.document().client_noise.is_none() && model.honest_aggregators() > 0;
    let noise = policy
        .mechanism()
        .filter(|noise| is_alone && matches!(noise.budget(), Budget::ZeroConcentrated { .. }));
    let rho = noise.and_then(|noise| {
        let Circumstances { adjacency, reports_per_client, .. } = circumstances;
        let changed = policy.query().contribution(adjacency, reports_per_client, releases).ok()?;
        let changed = changed.accounted(noise.kind());
        Some(changed.rho(&noise.distribution().accounted())?.value().clone())
    });
    PairGuarantee::of(policy.pair(model, &circumstances)).with_rho(rho)
}
