//! A task: a document of which everything has been checked, with the policy that was built from it.

use std::sync::Arc;

use dp_calibration::{Budget, Query};
use dp_exact::{Delta, ParameterError};
use dp_prio3::grid::Grid;
use dp_prio3::{Circumstances, Guarantee, PrivacyBound, SlackReason, TrustModel};
use serde::{Deserialize, Serialize};

use crate::build::{Policy, PolicyVisitor};
use crate::catalogue::PolicyName;
use crate::digest::TaskDigest;
use crate::document::{MeasurementRange, TaskDocument, Trust};
use crate::{Error, build, digest, read};

/// The δ at which guarantees are stated that are not those that the task relies on.
const DEFAULT_DELTA: &str = "1e-9";

/// A task whose policy has been built, and which guarantees something in its trust model.
///
/// It serializes as its [`TaskDocument`], and deserializes with all checks. A clone shares the policy.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "TaskDocument", into = "TaskDocument")]
pub struct Task(Arc<Checked>);

#[derive(Debug)]
struct Checked {
    document: TaskDocument,
    name: PolicyName,
    circumstances: Circumstances,
    policy: Policy,
    description: String,
    query: Query,
    parameters: Vec<(&'static str, String)>,
    guarantee: Guarantee,
    digest: TaskDigest,
}

/// Tasks are equal if their documents are: everything else follows.
impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.document() == other.document()
    }
}

impl Task {
    /// Reads TOML.
    ///
    /// # Errors
    /// If it is longer than [`MAX_BYTES`](crate::MAX_BYTES), is not TOML, or is not a task.
    pub fn from_toml(document: impl AsRef<[u8]>) -> Result<Self, Error> {
        Self::new(TaskDocument::read(read::toml(document.as_ref())?)?)
    }

    /// Reads JSON.
    ///
    /// # Errors
    /// If it is longer than [`MAX_BYTES`](crate::MAX_BYTES), is not JSON, or is not a task.
    pub fn from_json(document: impl AsRef<[u8]>) -> Result<Self, Error> {
        Self::new(TaskDocument::read(read::json(document.as_ref())?)?)
    }

    /// Reads a file whose name ends in `.toml` or `.json`. Of a longer file than is accepted, no
    /// more is read.
    ///
    /// # Errors
    /// As the other two, and if the file cannot be read.
    #[cfg(feature = "files")]
    pub fn read(path: impl AsRef<std::path::Path>) -> Result<Self, Error> {
        Self::new(TaskDocument::read(read::file(path.as_ref())?)?)
    }

    /// Checks a document: that its fields do not contradict each other, that the policy can be
    /// calibrated and its totals do not wrap around the field, and that the trust model which the
    /// task relies on gets a guarantee.
    ///
    /// # Errors
    /// The first field that is wrong, by its path.
    pub fn new(document: TaskDocument) -> Result<Self, Error> {
        let name = PolicyName::of(&document)?;
        document.check()?;
        let policy = build::policy(&document)?;
        let described = policy.described();
        let circumstances = circumstances(&document)?;
        let parameters = described.parameters();
        let task = Checked {
            name,
            description: described.name(),
            query: described.query(),
            digest: digest::of(&document, &parameters, described.max_reports())?,
            parameters,
            guarantee: described.guarantee(document.trust.model, &circumstances),
            circumstances,
            policy,
            document,
        };
        task.check_batch()?;
        task.check_guarantee()?;
        task.check_strength()?;
        Ok(Self(Arc::new(task)))
    }

    /// Hands the policy to the visitor: the way to a client, an aggregator, a collector, a simulation.
    pub fn with_policy<V: PolicyVisitor>(&self, visitor: V) -> V::Output {
        self.0.policy.visit(visitor)
    }

    /// The document, as it was read.
    #[must_use]
    pub fn document(&self) -> &TaskDocument {
        &self.0.document
    }

    /// As TOML.
    ///
    /// # Errors
    /// None in practice: a document has what TOML has.
    pub fn to_toml(&self) -> Result<String, Error> {
        toml::to_string(self.document()).map_err(|error| Error::syntax("TOML", error))
    }

    /// As JSON.
    ///
    /// # Errors
    /// None in practice: a document has what JSON has.
    pub fn to_json(&self) -> Result<String, Error> {
        serde_json::to_string_pretty(self.document()).map_err(|error| Error::syntax("JSON", error))
    }

    /// What the parties call the task.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.document().name
    }

    /// The grid that maps measurements to integers, if they are real numbers: a client sends
    /// `grid.cell(value)`, in every coordinate of a vector. Estimates of the collector are in cells:
    /// a sum of n reports stands for n·low + granularity·sum, a mean for low + granularity·mean.
    #[must_use]
    pub fn grid(&self) -> Option<&Grid> {
        match self.document().vdaf.range() {
            Some(MeasurementRange::Grid(grid)) => Some(grid.as_ref()),
            Some(MeasurementRange::MaxMeasurement(_)) | None => None,
        }
    }

    /// The policy by name.
    #[must_use]
    pub fn policy_name(&self) -> PolicyName {
        self.0.name
    }

    /// The policy in words.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.0.description
    }

    /// What is asked of the measurements.
    #[must_use]
    pub fn query(&self) -> &Query {
        &self.0.query
    }

    /// Every parameter of the policy by name, those that the document left open included.
    #[must_use]
    pub fn parameters(&self) -> &[(&'static str, String)] {
        &self.0.parameters
    }

    /// The trust model that the task relies on.
    #[must_use]
    pub fn trust_model(&self) -> TrustModel {
        self.document().trust.model
    }

    /// How many clients are honest, and the δ at which guarantees are stated, by the document.
    #[must_use]
    pub fn circumstances(&self) -> &Circumstances {
        &self.0.circumstances
    }

    /// What is guaranteed in the trust model that the task relies on. It is proved.
    #[must_use]
    pub fn guarantee(&self) -> &Guarantee {
        &self.0.guarantee
    }

    /// What the policy guarantees in another trust model, or in other circumstances.
    #[must_use]
    pub fn guarantee_in(&self, model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        self.0.policy.described().guarantee(model, circumstances)
    }

    /// [`Self::guarantee_in`] as a pair (ε, δ) with a δ of at most the one of the circumstances.
    #[must_use]
    pub fn pair_in(&self, model: TrustModel, circumstances: &Circumstances) -> PrivacyBound {
        self.0.policy.described().pair(model, circumstances)
    }

    /// Why more is provable than the policy states, if that is known.
    #[must_use]
    pub fn loose_in(
        &self,
        model: TrustModel,
        circumstances: &Circumstances,
    ) -> Option<SlackReason> {
        self.0.policy.described().slack_reason(model, circumstances)
    }

    /// In how many releases one person takes part, by the document.
    #[must_use]
    pub fn releases(&self) -> u32 {
        let releases = self.document().trust.releases.unwrap_or(1);
        u32::try_from(releases).unwrap_or(u32::MAX)
    }

    /// Whether the document accepts a guarantee that [protects nobody](dp_prio3::protects_nobody).
    #[must_use]
    pub fn accepts_weak_guarantee(&self) -> bool {
        self.document().trust.accept_weak_guarantee
    }

    /// The fewest reports in a batch. An aggregator does not release a smaller one.
    #[must_use]
    pub fn min_reports(&self) -> u64 {
        self.document().batch.min_reports
    }

    /// The most reports in a batch.
    #[must_use]
    pub fn max_reports(&self) -> u64 {
        self.0.policy.described().max_reports()
    }

    /// By what a total over `reports` reports is divided to give what is estimated: 1, except for a
    /// mean.
    #[must_use]
    pub fn divisor(&self, reports: u64) -> u64 {
        self.0.policy.described().divisor(reports)
    }

    /// The digest, which parties compare to know that they hold the same task. It depends on what
    /// the document means, not on how it is written: its order, its format, the notation of its
    /// numbers and whether a default is spelled out do not matter.
    #[must_use]
    pub fn digest(&self) -> TaskDigest {
        self.0.digest
    }
}

impl Checked {
    fn check_batch(&self) -> Result<(), ParameterError> {
        let (min, max) = (self.document.batch.min_reports, self.policy.described().max_reports());
        if min > max {
            let accepted = format!("at most {max}, the most reports that the policy allows");
            return Err(ParameterError::new("batch.min_reports", min, accepted));
        }
        Ok(())
    }

    fn check_guarantee(&self) -> Result<(), ParameterError> {
        let PrivacyBound::Absent { reason } = &self.guarantee.bound else {
            return Ok(());
        };
        let accepted =
            format!("a trust model in which {} guarantees something: {reason}", self.name.name);
        let model = self.document.trust.model.abbreviation();
        Err(ParameterError::new("trust.model", model, accepted))
    }

    /// A guarantee that protects nobody is made only where the document says so, and only then does
    /// it say so.
    fn check_strength(&self) -> Result<(), ParameterError> {
        let Trust { model, accept_weak_guarantee, .. } = &self.document.trust;
        let bound = &self.guarantee.bound;
        let (value, accepted) = match (self.guarantee.is_weak, *accept_weak_guarantee) {
            (true, false) => (
                "missing",
                format!(
                    "true, as the task guarantees {bound} in {}. {}",
                    model.abbreviation(),
                    dp_prio3::WEAK.trim_end_matches('.')
                ),
            ),
            (false, true) => {
                ("true", format!("no such field with {bound}, which is no weak guarantee"))
            }
            (true, true) | (false, false) => return Ok(()),
        };
        let field = "trust.accept_weak_guarantee";
        Err(ParameterError::new(field, value, accepted))
    }
}

impl TryFrom<TaskDocument> for Task {
    type Error = Error;

    fn try_from(document: TaskDocument) -> Result<Self, Error> {
        Self::new(document)
    }
}

impl From<Task> for TaskDocument {
    fn from(task: Task) -> Self {
        task.document().clone()
    }
}

/// The honest clients that the document counts on, and the δ that it states: of the trust, else of the
/// noise.
fn circumstances(document: &TaskDocument) -> Result<Circumstances, ParameterError> {
    let noise = document.aggregator_noise.as_ref();
    let of_noise = noise.and_then(|noise| match noise.budget() {
        Some(Budget::Approximate { delta, .. }) => Some(delta),
        _ => None,
    });
    let delta = match document.trust.delta.as_ref().or(of_noise) {
        Some(delta) => delta.clone(),
        None => DEFAULT_DELTA.parse::<Delta>()?,
    };
    let honest_clients = document.trust.honest_clients.unwrap_or(1);
    Ok(Circumstances::new(honest_clients, delta))
}
