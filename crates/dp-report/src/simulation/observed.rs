//! What a run found, in words and figures.

use dp_simulation::report::Report;
use serde::Serialize;

use super::estimates::Estimates;
use super::summary;
use crate::model::Fact;

/// The estimates beside the truth, and what all trials say together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Observed {
    /// The estimates of the first trial.
    pub estimates: Option<Estimates>,
    /// How `consistent` estimates were made.
    pub post_processing: Option<String>,
    /// What all trials say together. A value without a name belongs to the name before.
    pub summary: Vec<Fact>,
}

impl Observed {
    /// What a run found.
    #[must_use]
    pub fn of(report: Report<'_>) -> Self {
        let Report { plan, outcome } = report;
        let trials = outcome.summary.trials;
        let first = outcome.trials.first();
        Self {
            estimates: first.map(|first| Estimates::of(&plan.labels, &first.coordinates, trials)),
            post_processing: plan
                .post_processing
                .map(|made| format!("consistent: {made}.")),
            summary: summary::facts(&outcome.summary, plan),
        }
    }
}
