//! A task: a document of which everything has been checked.

use std::path::Path;

use dp_calibration::Query;
use dp_exact::{Delta, ParameterError};
use dp_grid::Grid;
use dp_prio3::{Circumstances, DpPolicy, Guarantee, Promise, TrustModel};
use serde::{Deserialize, Serialize};

use crate::catalogue::PolicyName;
use crate::digest::Digest;
use crate::document::Document;
use crate::visitor::PolicyVisitor;
use crate::{Error, build, digest, fields, read};

/// The δ at which promises are stated that are not those that the task relies on.
const DEFAULT_DELTA: &str = "1e-9";

/// A task whose policy can be built, and which guarantees something in its trust model.
///
/// It serializes as its [`Document`], and deserializes with all checks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Document", into = "Document")]
pub struct Task {
    document: Document,
    grid: Option<Grid>,
    name: PolicyName,
    model: TrustModel,
    circumstances: Circumstances,
    policy: Policy,
}

/// What the policy says of itself.
#[derive(Clone, Debug, PartialEq)]
struct Policy {
    description: String,
    query: Query,
    parameters: Vec<(&'static str, String)>,
    max_reports: u64,
    guarantee: Guarantee,
}

impl Task {
    /// Reads TOML.
    ///
    /// # Errors
    /// If it is longer than [`MAX_BYTES`](crate::MAX_BYTES), is not TOML, or is not a task.
    pub fn from_toml(document: impl AsRef<[u8]>) -> Result<Self, Error> {
        Self::new(read::toml(document.as_ref())?)
    }

    /// Reads JSON.
    ///
    /// # Errors
    /// If it is longer than [`MAX_BYTES`](crate::MAX_BYTES), is not JSON, or is not a task.
    pub fn from_json(document: impl AsRef<[u8]>) -> Result<Self, Error> {
        Self::new(read::json(document.as_ref())?)
    }

    /// Reads a file whose name ends in `.toml` or `.json`. Of a longer file than is accepted, no
    /// more is read.
    ///
    /// # Errors
    /// As the other two, and if the file cannot be read.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::new(read::file(path.as_ref())?)
    }

    /// Checks a document: its fields, that they do not contradict each other, that the policy can
    /// be calibrated and its totals do not wrap around the field, and that the trust model which
    /// the task relies on gets a guarantee.
    ///
    /// # Errors
    /// The first field that is wrong, by its path.
    pub fn new(document: Document) -> Result<Self, Error> {
        fields::check(&document)?;
        let missing = || ParameterError::new("vdaf.type", "missing", "a policy");
        let name = PolicyName::of(&document).ok_or_else(missing)?;
        let model = document.trust.required_model()?;
        let circumstances = circumstances(&document)?;
        let inspection = Inspection {
            model,
            circumstances: &circumstances,
        };
        let policy = build::with_policy(&document, inspection)?;
        let grid = document.on_grid()?;
        let task = Self {
            document,
            grid,
            name,
            model,
            circumstances,
            policy,
        };
        task.check_stated()?;
        task.check_batch()?;
        task.check_guarantee()?;
        task.check_strength()?;
        Ok(task)
    }

    /// Builds the policy and hands it to the visitor: the way to a client, an aggregator, a
    /// collector, a simulation.
    ///
    /// # Errors
    /// Those of the visitor.
    pub fn with_policy<V: PolicyVisitor>(&self, visitor: V) -> Result<V::Output, Error> {
        build::with_policy(&self.document, visitor)
    }

    /// The document, as it was read.
    #[must_use]
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// As TOML.
    ///
    /// # Errors
    /// None in practice: a document has what TOML has.
    pub fn to_toml(&self) -> Result<String, Error> {
        toml::to_string(&self.document).map_err(|error| Error::Syntax {
            format: "TOML",
            reason: error.to_string(),
        })
    }

    /// As JSON.
    ///
    /// # Errors
    /// None in practice: a document has what JSON has.
    pub fn to_json(&self) -> Result<String, Error> {
        serde_json::to_string_pretty(&self.document).map_err(|error| Error::Syntax {
            format: "JSON",
            reason: error.to_string(),
        })
    }

    /// What the parties call the task.
    #[must_use]
    pub fn name(&self) -> &str {
        self.document.name.as_deref().unwrap_or_default()
    }

    /// The grid that maps measurements to integers, if they are real numbers: a client sends
    /// `grid.cell(value)`, in every coordinate of a vector. Estimates of the collector are in cells:
    /// a sum of n reports stands for n·low + granularity·sum, a mean for low + granularity·mean.
    #[must_use]
    pub const fn grid(&self) -> Option<&Grid> {
        self.grid.as_ref()
    }

    /// The largest number that is shared, where numbers are: as the document states it, or as it
    /// follows from the grid.
    #[must_use]
    pub fn max_measurement(&self) -> Option<u128> {
        let of_grid = self.grid.as_ref().map(Grid::max_measurement);
        of_grid.or(self.document.vdaf.max_measurement)
    }

    /// The policy by name.
    #[must_use]
    pub const fn policy_name(&self) -> PolicyName {
        self.name
    }

    /// The policy in words.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.policy.description
    }

    /// What is asked of the measurements.
    #[must_use]
    pub const fn query(&self) -> &Query {
        &self.policy.query
    }

    /// Every parameter of the policy by name, those that the document left open included.
    #[must_use]
    pub fn parameters(&self) -> &[(&'static str, String)] {
        &self.policy.parameters
    }

    /// The trust model that the task relies on.
    #[must_use]
    pub const fn trust_model(&self) -> TrustModel {
        self.model
    }

    /// How many clients are honest, and the δ at which promises are stated, by the document.
    #[must_use]
    pub const fn circumstances(&self) -> &Circumstances {
        &self.circumstances
    }

    /// What is promised in the trust model that the task relies on. It is proved.
    #[must_use]
    pub const fn guarantee(&self) -> &Guarantee {
        &self.policy.guarantee
    }

    /// Whether the document accepts a promise that [protects nobody](dp_prio3::protects_nobody).
    #[must_use]
    pub fn accepts_weak_promise(&self) -> bool {
        self.document.trust.accept_weak_promise == Some(true)
    }

    /// The fewest reports in a batch. An aggregator does not release a smaller one.
    #[must_use]
    pub fn min_reports(&self) -> u64 {
        self.document.batch.min_reports.unwrap_or(1)
    }

    /// The most reports in a batch.
    #[must_use]
    pub const fn max_reports(&self) -> u64 {
        self.policy.max_reports
    }

    /// The digest, which parties compare to know that they hold the same task. It depends on what
    /// the document means, not on how it is written: its order, its format, the notation of its
    /// numbers and whether a default is spelled out do not matter.
    #[must_use]
    pub fn digest(&self) -> Digest {
        digest::of(self)
    }

    /// A parameter of the policy that the VDAF's section of the document may state or leave open.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let mut parameters = self.policy.parameters.iter();
        let found = parameters.find(|(candidate, _)| *candidate == name);
        found.map(|(_, value)| value.as_str())
    }

    /// What the document states is what the policy has.
    fn check_stated(&self) -> Result<(), ParameterError> {
        let vdaf = &self.document.vdaf;
        let stated = [
            ("vdaf.max_weight", "max_weight", vdaf.max_weight),
            ("vdaf.chunk_length", "chunk_length", vdaf.chunk_length),
        ];
        for (path, name, stated) in stated {
            let (Some(stated), Some(actual)) = (stated, self.parameter(name)) else {
                continue;
            };
            if stated.to_string() != actual {
                let accepted = format!("{actual} with this policy");
                return Err(ParameterError::new(path, stated, accepted));
            }
        }
        Ok(())
    }

    fn check_batch(&self) -> Result<(), ParameterError> {
        let (min, max) = (self.min_reports(), self.max_reports());
        if min > max {
            let accepted = format!("at most {max}, the most reports that the policy allows");
            return Err(ParameterError::new("batch.min_reports", min, accepted));
        }
        Ok(())
    }

    fn check_guarantee(&self) -> Result<(), ParameterError> {
        let Promise::Absent { reason } = &self.policy.guarantee.promise else {
            return Ok(());
        };
        let accepted = format!(
            "a trust model in which {} guarantees something: {reason}",
            self.name.name
        );
        Err(ParameterError::new(
            "trust.model",
            self.model.abbreviation(),
            accepted,
        ))
    }

    /// A promise that protects nobody is made only where the document says so, and only then does
    /// it say so.
    fn check_strength(&self) -> Result<(), ParameterError> {
        let (guarantee, accepts) = (&self.policy.guarantee, self.accepts_weak_promise());
        let field = "trust.accept_weak_promise";
        match (guarantee.is_weak, accepts) {
            (true, false) => {
                let accepted = format!(
                    "true, as the task promises {} in {}. {}",
                    guarantee.promise,
                    self.model.abbreviation(),
                    dp_prio3::WEAK.trim_end_matches('.')
                );
                Err(ParameterError::new(field, "missing", accepted))
            }
            (false, true) => {
                let accepted = format!(
                    "no such field with {}, which is no weak promise",
                    guarantee.promise
                );
                Err(ParameterError::new(field, true, accepted))
            }
            _ => Ok(()),
        }
    }
}

impl TryFrom<Document> for Task {
    type Error = Error;

    fn try_from(document: Document) -> Result<Self, Error> {
        Self::new(document)
    }
}

impl From<Task> for Document {
    fn from(task: Task) -> Self {
        task.document
    }
}

fn circumstances(document: &Document) -> Result<Circumstances, ParameterError> {
    let trust = &document.trust;
    let noise = document.aggregator_noise.as_ref();
    let of_noise = noise.and_then(|noise| noise.delta.as_ref());
    let delta = match trust.delta.as_ref().or(of_noise) {
        Some(delta) => delta.clone(),
        None => DEFAULT_DELTA.parse::<Delta>()?,
    };
    Ok(Circumstances::new(trust.honest_clients.unwrap_or(1), delta))
}

/// Asks the policy what there is to know.
struct Inspection<'a> {
    model: TrustModel,
    circumstances: &'a Circumstances,
}

impl Inspection<'_> {
    fn inspect<P: DpPolicy>(&self, policy: &P) -> Policy {
        Policy {
            description: policy.name(),
            query: policy.query(),
            parameters: policy.parameters(),
            max_reports: policy.max_reports(),
            guarantee: policy.guarantee(self.model, self.circumstances),
        }
    }
}

macro_rules! inspect {
    ($($method:ident $measurement:ty;)*) => {$(
        fn $method<P>(self, policy: P) -> Result<Policy, Error>
        where
            P: DpPolicy<Measurement = $measurement> + 'static,
        {
            Ok(self.inspect(&policy))
        }
    )*};
}

impl PolicyVisitor for Inspection<'_> {
    type Output = Policy;

    inspect! {
        visit_bit bool;
        visit_u64 u64;
        visit_u128 u128;
        visit_bucket usize;
        visit_bits [bool];
        visit_integers [u128];
    }
}
