#![doc = include_str!("../docs/document.md")]

mod document;

use dp_calibration::Query;
use dp_prio3::Guarantee;
use dp_prio3::grid::Grid;
use dp_task::Task;

pub use document::{FORMAT, ReportDocument, SCHEMA_VERSION};

use crate::data::RowCounts;
use crate::{Consistency, Outcome};

/// What computes the totals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Functionality {
    /// Prio3: clients report, aggregators verify and add up ([`Simulation::run`](crate::Simulation::run)).
    #[default]
    Prio3,
    /// What Prio3 computes of honest clients, without it: totals are drawn from their exact laws
    /// ([`Simulation::ideal`](crate::Simulation::ideal)).
    Ideal,
}

impl Functionality {
    /// Its name in a document.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prio3 => "prio3",
            Self::Ideal => "ideal",
        }
    }
}

/// The question, the policy that answers it, and what that policy guarantees.
#[derive(Clone, Debug)]
pub struct SimulationPlan {
    /// The policy's short name, as a user asks for it.
    pub policy: String,
    /// The policy and its mechanism, in words.
    pub description: String,
    /// The VDAF, by its name in the specification.
    pub vdaf: String,
    /// What is aggregated.
    pub query: Query,
    /// The grid of the measurements, if they are on one.
    pub grid: Option<Grid>,
    /// The task's digest, in hexadecimal digits.
    pub digest: String,
    /// How many aggregators there are.
    pub aggregators: usize,
    /// What was asked, of which data, in words.
    pub question: String,
    /// The law of synthetic data in words, such as zipf over 40 buckets, if clients draw by one.
    pub synthetic: Option<String>,
    /// How many rows the data have, and what was changed on the way to measurements.
    pub reading: RowCounts,
    /// What becomes of the estimates, if anything.
    pub post_processing: Option<Consistency>,
    /// What computes the totals.
    pub functionality: Functionality,
    /// Which clients there are, in words.
    pub clients: String,
    /// Every parameter of the policy, as the exact string.
    pub parameters: Vec<(&'static str, String)>,
    /// The guarantee in each trust model that matters, from the strongest adversary to the weakest,
    /// first those with at most one honest aggregator.
    pub guarantees: Vec<Guarantee>,
    /// A label for each coordinate of the aggregate.
    pub labels: Vec<String>,
    /// The seed of the simulation.
    pub seed: u64,
}

impl SimulationPlan {
    /// The plan to run the policy of a task on the data that `question` and `clients` describe, with
    /// these guarantees.
    #[must_use]
    pub fn new(
        task: &Task,
        question: String,
        clients: String,
        labels: Vec<String>,
        guarantees: Vec<Guarantee>,
        seed: u64,
    ) -> Self {
        let vdaf = &task.document().vdaf;
        Self {
            policy: task.policy_name().name.to_owned(),
            vdaf: vdaf.kind().name().to_owned(),
            query: task.query().clone(),
            grid: task.grid().cloned(),
            digest: task.digest().to_string(),
            description: task.description().to_owned(),
            aggregators: vdaf.aggregators(),
            question,
            synthetic: None,
            reading: RowCounts::default(),
            post_processing: None,
            functionality: Functionality::Prio3,
            clients,
            parameters: task.parameters().to_vec(),
            guarantees,
            labels,
            seed,
        }
    }
}

/// A plan and its outcome.
#[derive(Clone, Copy, Debug)]
pub struct SimulationReport<'a> {
    /// What was planned.
    pub plan: &'a SimulationPlan,
    /// What happened.
    pub outcome: &'a Outcome,
}
