//! A checked task document with its policy and the guarantee in its trust model.

use std::fmt::{Debug, Display};

use dp_calibration::{Adjacency, Query};
use dp_exact::{Delta, ParameterError};
use dp_prio3::grid::Grid;
use dp_prio3::{
    AggregatorNoise, Budget, Circumstances, ClientNoise, Guarantee, Policy, PrivacyBound,
    TrustModel, VdafType, WEAK,
};
use serde::{Serialize, Serializer};

use crate::Error;
use crate::catalogue::PolicyName;
use crate::digest::TaskDigest;
use crate::document::{MAX_RELEASES, MAX_REPORTS_PER_CLIENT, TaskDocument, Trust};

/// The δ at which guarantees are reported if neither the document's trust nor its noise states a δ.
pub const DEFAULT_DELTA: &str = "1e-9";

/// [`DEFAULT_DELTA`] as a number.
pub(crate) fn default_delta() -> Delta {
    DEFAULT_DELTA.parse().expect("a number above 0 and below 1")
}

/// A task whose policy has been built, and which has a guarantee in its trust model. It serializes
/// as its [`TaskDocument`].
#[derive(Clone, Debug)]
pub struct Task {
    document: TaskDocument,
    name: PolicyName,
    policy: Policy,
    /// The number of honest clients, of reports of a person in a release, the neighbours, and the δ
    /// at which guarantees are reported; one release.
    circumstances: Circumstances,
    /// The guarantee in the trust model of the document.
    guarantee: Guarantee,
}

/// Tasks are equal if their documents are equal, since all else follows from the document.
impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.document == other.document
    }
}

impl Task {
    /// Reads TOML.
    ///
    /// # Errors
    /// As [`TaskDocument::from_toml`] and [`Self::new`].
    pub fn from_toml(document: impl AsRef<[u8]>) -> Result<Self, Error> {
        Self::new(TaskDocument::from_toml(document)?)
    }

    /// Reads JSON.
    ///
    /// # Errors
    /// As [`TaskDocument::from_json`] and [`Self::new`].
    pub fn from_json(document: impl AsRef<[u8]>) -> Result<Self, Error> {
        Self::new(TaskDocument::from_json(document)?)
    }

    /// Reads a file: JSON if its name ends in `.json`, else TOML.
    ///
    /// # Errors
    /// As [`Self::from_toml`], and if the file cannot be read.
    #[cfg(feature = "files")]
    pub fn read(path: impl AsRef<std::path::Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let bytes = dp_files::read_limited(path, crate::MAX_BYTES as u64)?;
        match path.extension().is_some_and(|extension| extension == "json") {
            true => Self::from_json(bytes),
            false => Self::from_toml(bytes),
        }
    }

    /// Checks a document: its fields do not contradict each other, its policy can be calibrated,
    /// totals do not wrap around the field, its trust model has a guarantee, and the document
    /// accepts a weak guarantee if and only if the guarantee is weak.
    ///
    /// # Errors
    /// The first field that is wrong.
    pub fn new(document: TaskDocument) -> Result<Self, Error> {
        let task = Self::with_any_guarantee(document)?;
        let model = task.trust_model().abbreviation();
        let bound = &task.guarantee.bound;
        let is_accepted = task.document.trust.accept_weak_guarantee;
        let accepted = match (task.guarantee.is_weak, is_accepted) {
            (true, false) => {
                let weak = WEAK.trim_end_matches('.');
                format!("true, as the task guarantees {bound} in {model}. {weak}")
            }
            (false, true) => format!("no such field with {bound}, which is no weak guarantee"),
            (true, true) | (false, false) => return Ok(task),
        };
        let value = is_accepted.then_some(true);
        Err(refused("trust.accept_weak_guarantee", value, accepted).into())
    }

    /// The task of a document, whose `trust.accept_weak_guarantee` is set if and only if the
    /// guarantee in its trust model is weak: for tasks whose guarantee in another model may be
    /// enough.
    ///
    /// # Errors
    /// As of [`new`](Self::new), except for `trust.accept_weak_guarantee`.
    pub fn accepting_weak_guarantee(document: TaskDocument) -> Result<Self, Error> {
        let mut task = Self::with_any_guarantee(document)?;
        task.document.trust.accept_weak_guarantee = task.guarantee.is_weak;
        Ok(task)
    }

    /// As [`Self::new`], but whether the document accepts a weak guarantee is not checked. That the
    /// trust model has no guarantee at all is still an error.
    fn with_any_guarantee(document: TaskDocument) -> Result<Self, Error> {
        let name = PolicyName::of(&document)?;
        document.trust.check(&document)?;
        let policy = Policy::new(document.parts())?;
        let circumstances = circumstances(&document);
        let model = document.trust.model;
        let guarantee = policy.guarantee(model, &circumstances);
        if let PrivacyBound::Absent { reason } = &guarantee.bound {
            let name = name.name;
            let accepted = format!("a trust model in which {name} guarantees something: {reason}");
            let model = Some(model.abbreviation());
            return Err(refused("trust.model", model, accepted).into());
        }
        Ok(Self { document, name, policy, circumstances, guarantee })
    }

    /// The document of the task.
    #[must_use]
    pub const fn document(&self) -> &TaskDocument {
        &self.document
    }

    /// The document as TOML.
    #[must_use]
    pub fn to_toml(&self) -> String {
        written(toml::to_string(self))
    }

    /// The document as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        written(serde_json::to_string_pretty(self))
    }

    /// The grid that maps real measurements to integers; `None` for integers. A client sends
    /// `grid.cell(value)` in every coordinate. Estimates of the collector are in cells: a sum of n
    /// reports stands for n·low + granularity·sum, a mean for low + granularity·mean.
    #[must_use]
    pub fn grid(&self) -> Option<&Grid> {
        self.document.vdaf.grid()
    }

    /// The policy, from which every party is made, with all parameters, also those that the
    /// document leaves open.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The task whose collector takes the noisy totals of a histogram as they are.
    #[must_use]
    pub fn with_raw_totals(self) -> Self {
        Self { policy: self.policy.with_raw_totals(), ..self }
    }

    /// The policy by name.
    #[must_use]
    pub const fn policy_name(&self) -> PolicyName {
        self.name
    }

    /// The query that the policy answers.
    #[must_use]
    pub fn query(&self) -> &Query {
        self.policy.query()
    }

    /// The trust model of the document.
    #[must_use]
    pub const fn trust_model(&self) -> TrustModel {
        self.document.trust.model
    }

    /// By the document the number of honest clients, of reports of a person in a release, the
    /// neighbours, and the δ at which guarantees are reported; for one release.
    #[must_use]
    pub const fn circumstances(&self) -> &Circumstances {
        &self.circumstances
    }

    /// The proved guarantee in the trust model of the document.
    #[must_use]
    pub const fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// The number of releases in which one person takes part.
    #[must_use]
    pub fn releases(&self) -> u32 {
        self.document.trust.releases.unwrap_or(1)
    }

    /// The digest, by which parties know that they hold the same task. The document's format,
    /// order, notation of numbers and spelled-out defaults do not change it.
    #[must_use]
    pub fn digest(&self) -> TaskDigest {
        TaskDigest::of(self)
    }
}

impl Serialize for Task {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.document.serialize(serializer)
    }
}

impl Trust {
    /// `Err`, with the field, if the trust contradicts the VDAF, the noise or the batch of
    /// `document`.
    fn check(&self, document: &TaskDocument) -> Result<(), ParameterError> {
        let min_reports = document.batch.min_reports;
        let model = self.model.abbreviation();
        let most = document.vdaf.aggregators();
        if usize::from(self.model.honest_aggregators()) > most {
            let accepted = format!(
                "a trust model of at most {most} honest aggregators, the task's vdaf.aggregators"
            );
            return Err(refused("trust.model", Some(model), accepted));
        }
        let others_count = self.model.needs_other_clients();
        let is_honest_number = match self.honest_clients {
            None => !others_count,
            Some(honest) => (1..=min_reports).contains(&honest),
        };
        if !is_honest_number {
            let accepted = format!("an integer from 1 to batch.min_reports, {min_reports}");
            return Err(refused("trust.honest_clients", self.honest_clients, accepted));
        }
        // A document that is read has such numbers, but not one that is made or decoded.
        for (name, number, most) in [
            ("trust.releases", self.releases, MAX_RELEASES),
            ("trust.reports_per_client", self.reports_per_client, MAX_REPORTS_PER_CLIENT),
        ] {
            if number.is_some_and(|number| !(1..=most).contains(&number)) {
                let accepted = format!("an integer from 1 to {most}");
                return Err(refused(name, number, accepted));
            }
        }
        let noise = document.client_noise.as_ref();
        let answers = matches!(noise, Some(ClientNoise::KaryRandomizedResponse { .. }));
        // Of a histogram and of a one-hot vector no coordinate changes alone.
        let is_one_hot = noise.is_some_and(|noise| noise.kind().is_one_hot())
            || document.vdaf.kind() == VdafType::Histogram;
        let accepted = match self.adjacency {
            Some(Adjacency::Deletion) if answers => Some("replacement: no answer counts nothing"),
            Some(Adjacency::OneCoordinate) if is_one_hot => Some(
                "replacement or deletion: of these measurements two coordinates change or none",
            ),
            _ => None,
        };
        if let Some(accepted) = accepted {
            return Err(refused("trust.adjacency", self.adjacency, accepted));
        }
        let accepted = match &self.delta {
            _ if document.client_noise.is_none() || !others_count => return Ok(()),
            Some(delta) if !delta.value().is_zero() => return Ok(()),
            Some(_) => "above 0: clients hide each other only except for some delta",
            None => "a number above 0 and below 1, such as \"1e-9\"",
        };
        Err(refused("trust.delta", self.delta.as_ref(), accepted))
    }
}

/// The text of a task. Only an exact parameter of noise has none, and no task has one.
fn written<E: Debug>(text: Result<String, E>) -> String {
    text.expect("the noise of a task has no exact parameter")
}

/// The error that the field at `path` has this value, or is absent, with what is accepted.
fn refused<T: Display>(
    path: &'static str,
    value: Option<T>,
    accepted: impl Into<String>,
) -> ParameterError {
    let value = value.map_or_else(|| "missing".to_owned(), |value| value.to_string());
    ParameterError::new(path, value, accepted)
}

/// The circumstances at which guarantees of one release are reported: honest clients and reports of
/// a person by the document's trust, each 1 if it states none, neighbours by its trust, else by
/// replacement; δ by its trust, else by the budget of its noise, else [`DEFAULT_DELTA`].
fn circumstances(document: &TaskDocument) -> Circumstances {
    let budget = document.aggregator_noise.as_ref().and_then(AggregatorNoise::budget);
    let delta = match (&document.trust.delta, budget) {
        (Some(delta), _) | (None, Some(Budget::Approximate { delta, .. })) => delta.clone(),
        _ => default_delta(),
    };
    Circumstances::new(document.trust.honest_clients.unwrap_or(1), delta)
        .with_reports_per_client(document.trust.reports_per_client.unwrap_or(1))
        .with_adjacency(document.trust.adjacency.unwrap_or_default())
}
