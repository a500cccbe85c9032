#![doc = include_str!("../docs/document.md")]

mod document;

use std::fmt::{self, Display, Formatter};

use dp_prio3::Guarantee;
use dp_task::Task;
use serde::{Deserialize, Serialize};

pub use document::{FORMAT, GuaranteeTerms, ReportDocument, SCHEMA_VERSION};

use crate::data::RowCounts;
use crate::{BucketAxis, Consistency, Outcome, PercentilesAndRanges};

/// A question in words, such as "How many clients say yes?", and a remark about its data.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Question {
    /// The question, without its question mark.
    pub asked: String,
    /// Sentences about the data; may be empty.
    pub remark: String,
}

impl Display for Question {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { asked, remark } = self;
        write!(formatter, "{asked}?{}{remark}", if remark.is_empty() { "" } else { " " })
    }
}

/// A simulation before it runs: question, policy and guarantees. Fields that follow from others are
/// not serialized.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SimulationPlan {
    /// The task, with its policy.
    pub task: Task,
    /// The question and the data, in words.
    pub question: Question,
    /// The distribution of synthetic data in words, such as `zipf over 40 buckets`.
    pub synthetic: Option<String>,
    /// The numbers of rows and of changed values.
    pub reading: RowCounts,
    /// The post-processing of the estimates.
    #[serde(skip)]
    pub post_processing: Option<Consistency>,
    /// Percentiles and ranges.
    pub percentiles: Option<PercentilesAndRanges>,
    /// Whether totals of honest clients are drawn from their exact distributions
    /// ([`Simulation::ideal`](crate::Simulation::ideal)), without Prio3.
    pub is_ideal: bool,
    /// The clients, in words.
    pub clients: String,
    /// Every parameter of the policy by name, exactly.
    #[serde(skip)]
    pub parameters: Vec<(&'static str, String)>,
    /// The guarantees by trust model, from the strongest adversary to the weakest; models with
    /// several honest aggregators come last.
    #[serde(skip)]
    pub guarantees: Vec<Guarantee>,
    /// A label for each coordinate of the aggregate.
    pub labels: Vec<String>,
    /// The seed of the simulation.
    pub seed: u64,
}

impl SimulationPlan {
    /// The buckets on their axis, if percentiles and ranges are estimated.
    #[must_use]
    pub fn axis(&self) -> Option<(&PercentilesAndRanges, BucketAxis<'_>)> {
        let axis = BucketAxis::of(&self.labels).ok()?;
        Some((self.percentiles.as_ref()?, axis))
    }
}

/// A plan with its outcome.
#[derive(Clone, Copy, Debug)]
pub struct SimulationReport<'a> {
    /// The plan.
    pub plan: &'a SimulationPlan,
    /// The outcome.
    pub outcome: &'a Outcome,
}
