#![doc = include_str!("../docs/document.md")]

mod document;

use std::fmt::{self, Display, Formatter};
use std::sync::OnceLock;

use dp_prio3::{AbsenceReason, Circumstances, EpsilonDelta, Guarantee, Policy, TrustModel};
use dp_task::Task;

pub use document::{
    FORMAT, GuaranteeTerms, PairFields, PersonFields, ReportDocument, SCHEMA_VERSION,
};

use crate::data::RowCounts;
use crate::{BucketAxis, Consistency, Outcome, PercentilesAndRanges};

/// A question in words, such as "How many clients say yes?", and a remark about its data.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// A simulation before it runs: question, policy and guarantees.
#[derive(Clone, Debug)]
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
    pub post_processing: Option<Consistency>,
    /// Percentiles and ranges.
    pub percentiles: Option<PercentilesAndRanges>,
    /// Whether totals of honest clients are drawn from their exact distributions
    /// ([`Simulation::ideal`](crate::Simulation::ideal)), without Prio3.
    pub is_ideal: bool,
    /// The clients, in words.
    pub clients: String,
    /// Every parameter of the policy by name, exactly.
    pub parameters: Vec<(&'static str, String)>,
    /// The guarantees by trust model, from the strongest adversary to the weakest; models with
    /// several honest aggregators come last.
    pub guarantees: Vec<Guarantee>,
    /// The circumstances of the guarantees, with all releases in which one person takes part.
    pub circumstances: Circumstances,
    /// The answer of [`Self::pairs`], once it is computed.
    pub pairs: OnceLock<Vec<ReleasePairs>>,
    /// A label for each coordinate of the aggregate.
    pub labels: Vec<String>,
    /// The seed of the simulation.
    pub seed: u64,
}

/// The guarantee for one person in a trust model as pairs (ε, δ), or the reason why there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct ReleasePairs {
    /// The guarantee of one release.
    pub once: Result<EpsilonDelta, AbsenceReason>,
    /// The guarantee of all releases together.
    pub all: Result<EpsilonDelta, AbsenceReason>,
}

impl ReleasePairs {
    /// The pairs of a policy at the δ of the circumstances, one for all of their releases.
    #[must_use]
    pub fn of(policy: &Policy, model: TrustModel, circumstances: &Circumstances) -> Self {
        let one = circumstances.clone().over(1);
        let once = policy.pair(model, &one);
        let all = match *circumstances == one {
            true => once.clone(),
            false => policy.pair(model, circumstances),
        };
        Self { once, all }
    }
}

impl SimulationPlan {
    /// The pairs in the trust model of each of the guarantees, at the δ of the circumstances. The
    /// first call computes them, in up to some seconds.
    pub fn pairs(&self) -> &[ReleasePairs] {
        self.pairs.get_or_init(|| {
            let (policy, circumstances) = (self.task.policy(), &self.circumstances);
            let models = self.guarantees.iter().map(|guarantee| guarantee.trust_model);
            models.map(|model| ReleasePairs::of(policy, model, circumstances)).collect()
        })
    }

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
