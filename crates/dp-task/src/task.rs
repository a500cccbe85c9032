//! A checked task document with the policy that is built from it.

use std::sync::Arc;

use dp_calibration::{Budget, Query};
use dp_exact::{Delta, ParameterError};
use dp_prio3::grid::Grid;
use dp_prio3::{Circumstances, Guarantee, PolicyDescription, PrivacyBound, TrustModel, WEAK};
use serde::{Deserialize, Serialize};

use crate::build::{BuiltPolicy, PolicyVisitor};
use crate::catalogue::PolicyName;
use crate::digest::TaskDigest;
use crate::document::{MeasurementRange, TaskDocument};
#[cfg(feature = "files")]
use crate::read;
use crate::read::DocumentField;
use crate::{Error, build, digest};

/// The δ at which guarantees are reported if neither the document's trust nor its noise states a δ.
const DEFAULT_DELTA: &str = "1e-9";

/// A task whose policy has been built, and which has a guarantee in its trust model. It serializes
/// as its [`TaskDocument`], and deserializes with all checks. A clone shares the policy.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "TaskDocument", into = "TaskDocument")]
pub struct Task(Arc<CheckedTask>);

/// A task after all checks, with its policy and all values that follow from the document.
#[derive(Debug)]
struct CheckedTask {
    document: TaskDocument,
    name: PolicyName,
    /// The number of honest clients and the δ at which guarantees are reported.
    circumstances: Circumstances,
    policy: BuiltPolicy,
    /// The names and values of all parameters of the policy.
    parameters: Vec<(&'static str, String)>,
    /// The guarantee in the trust model of the document.
    guarantee: Guarantee,
    digest: TaskDigest,
}

/// Tasks are equal if their documents are equal, since all else follows from the document.
impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.document() == other.document()
    }
}

impl Task {
    /// Reads TOML.
    ///
    /// # Errors
    /// If it is longer than [`MAX_BYTES`](crate::MAX_BYTES), no TOML, or no task.
    pub fn from_toml(document: impl AsRef<[u8]>) -> Result<Self, Error> {
        Self::new(TaskDocument::read(DocumentField::toml(document.as_ref())?)?)
    }

    /// Reads JSON.
    ///
    /// # Errors
    /// If it is longer than [`MAX_BYTES`](crate::MAX_BYTES), no JSON, or no task.
    pub fn from_json(document: impl AsRef<[u8]>) -> Result<Self, Error> {
        Self::new(TaskDocument::read(DocumentField::json(document.as_ref())?)?)
    }

    /// Reads a file whose name ends in `.toml` or `.json`.
    ///
    /// # Errors
    /// As [`Self::from_toml`], and if the file cannot be read.
    #[cfg(feature = "files")]
    pub fn read(path: impl AsRef<std::path::Path>) -> Result<Self, Error> {
        Self::new(TaskDocument::read(read::file(path.as_ref())?)?)
    }

    /// Checks a document: its fields do not contradict each other, its policy can be calibrated,
    /// totals do not wrap around the field, and its trust model has a guarantee.
    ///
    /// # Errors
    /// The first field that is wrong, by its path.
    pub fn new(document: TaskDocument) -> Result<Self, Error> {
        let name = PolicyName::of(&document)?;
        document.check()?;
        let policy = build::policy(&document)?;
        let description = policy.description();
        let circumstances = circumstances(&document)?;
        let parameters = description.parameters();
        let task = CheckedTask {
            name,
            digest: digest::of(&document, &parameters, description.max_reports())?,
            parameters,
            guarantee: description.guarantee(document.trust.model, &circumstances),
            circumstances,
            policy,
            document,
        };
        task.check()?;
        Ok(Self(Arc::new(task)))
    }

    /// Hands the policy to the visitor, which makes a party or a simulation.
    pub fn with_policy<V: PolicyVisitor>(&self, visitor: V) -> V::Output {
        self.0.policy.visit(visitor)
    }

    /// The document of the task.
    pub fn document(&self) -> &TaskDocument {
        &self.0.document
    }

    /// The document as TOML.
    ///
    /// # Errors
    /// None in practice.
    pub fn to_toml(&self) -> Result<String, Error> {
        toml::to_string(self.document()).map_err(|error| Error::syntax("TOML", error))
    }

    /// The document as JSON.
    ///
    /// # Errors
    /// None in practice.
    pub fn to_json(&self) -> Result<String, Error> {
        serde_json::to_string_pretty(self.document()).map_err(|error| Error::syntax("JSON", error))
    }

    /// The name of the task.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.document().name
    }

    /// The grid that maps real measurements to integers; `None` for integers. A client sends
    /// `grid.cell(value)` in every coordinate. Estimates of the collector are in cells: a sum of n
    /// reports stands for n·low + granularity·sum, a mean for low + granularity·mean.
    #[must_use]
    pub fn grid(&self) -> Option<&Grid> {
        match self.document().vdaf.range() {
            Some(MeasurementRange::Grid(grid)) => Some(grid.as_ref()),
            Some(MeasurementRange::MaxMeasurement(_)) | None => None,
        }
    }

    /// The description of the policy, with its guarantees in every trust model and its estimates.
    #[must_use]
    pub fn policy(&self) -> &dyn PolicyDescription {
        self.0.policy.description()
    }

    /// The policy by name.
    pub fn policy_name(&self) -> PolicyName {
        self.0.name
    }

    /// The query that the policy answers.
    #[must_use]
    pub fn query(&self) -> &Query {
        &self.policy().task_parameters().query
    }

    /// All parameters of the policy by name, including those that the document leaves open.
    pub fn parameters(&self) -> &[(&'static str, String)] {
        &self.0.parameters
    }

    /// The trust model of the document.
    #[must_use]
    pub fn trust_model(&self) -> TrustModel {
        self.document().trust.model
    }

    /// The number of honest clients and the δ at which guarantees are reported, by the document.
    pub fn circumstances(&self) -> &Circumstances {
        &self.0.circumstances
    }

    /// The proved guarantee in the trust model of the document.
    pub fn guarantee(&self) -> &Guarantee {
        &self.0.guarantee
    }

    /// The number of releases in which one person takes part.
    #[must_use]
    pub fn releases(&self) -> u32 {
        let releases = self.document().trust.releases.unwrap_or(1);
        u32::try_from(releases).unwrap_or(u32::MAX)
    }

    /// The digest, by which parties know that they hold the same task. The document's format,
    /// order, notation of numbers and spelled-out defaults do not change it.
    pub fn digest(&self) -> TaskDigest {
        self.0.digest
    }
}

impl CheckedTask {
    /// `Err` if the trust model has no guarantee, or the document does not accept a weak guarantee,
    /// or accepts one that is not weak.
    fn check(&self) -> Result<(), ParameterError> {
        let (trust, bound) = (&self.document.trust, &self.guarantee.bound);
        let model = trust.model.abbreviation();
        if let PrivacyBound::Absent { reason } = bound {
            let name = self.name.name;
            let accepted = format!("a trust model in which {name} guarantees something: {reason}");
            return Err(ParameterError::new("trust.model", model, accepted));
        }
        let (value, accepted) = match (self.guarantee.is_weak, trust.accept_weak_guarantee) {
            (true, false) => {
                let weak = WEAK.trim_end_matches('.');
                ("missing", format!("true, as the task guarantees {bound} in {model}. {weak}"))
            }
            (false, true) => {
                ("true", format!("no such field with {bound}, which is no weak guarantee"))
            }
            (true, true) | (false, false) => return Ok(()),
        };
        Err(ParameterError::new("trust.accept_weak_guarantee", value, accepted))
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

/// The number of honest clients and the δ at which guarantees are reported. The δ is in the
/// document's trust, else in its noise, else [`DEFAULT_DELTA`].
fn circumstances(document: &TaskDocument) -> Result<Circumstances, ParameterError> {
    let budget = document.aggregator_noise.as_ref().and_then(|noise| noise.budget());
    let delta = match (&document.trust.delta, budget) {
        (Some(delta), _) | (None, Some(Budget::Approximate { delta, .. })) => delta.clone(),
        _ => DEFAULT_DELTA.parse::<Delta>()?,
    };
    Ok(Circumstances::new(document.trust.honest_clients.unwrap_or(1), delta))
}
