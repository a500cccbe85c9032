//! The task of a run, and what is promised.

use dp_exact::{Delta, ParameterError, Refusal, integer};
use dp_prio3::{Circumstances, Guarantee, TrustModel};
use dp_simulation::report::Plan;
use dp_task::{AggregatorNoise, Parameters, Task};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::options::Options;

/// What the options say of promises, as it was typed.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stated {
    honest_clients: Option<String>,
    honest_aggregators: Option<String>,
    delta: Option<String>,
    accept_weak_promise: bool,
}

impl Stated {
    /// By these options.
    pub(super) fn by(options: &Options) -> Self {
        Self {
            honest_clients: options.honest_clients.clone(),
            honest_aggregators: options.honest_aggregators.clone(),
            delta: options.delta.clone(),
            accept_weak_promise: options.accept_weak_promise,
        }
    }

    /// The δ at which promises are stated.
    fn delta(&self) -> Result<Delta, ParameterError> {
        let parameters = Parameters {
            delta: self.delta.clone(),
            ..Parameters::default()
        };
        parameters.stated_delta()
    }
}

/// The task of a run, and what the options say beside it.
pub(super) struct Posed<'a> {
    pub(super) stated: &'a Stated,
    pub(super) task: &'a Task,
    /// Whether a file says what the task is.
    pub(super) from_file: bool,
}

impl Posed<'_> {
    /// What is promised to so many clients, in every trust model that matters.
    pub(super) fn guarantees(&self, reports: u64) -> Result<Vec<Guarantee>, Failure> {
        let least = self.task.min_reports();
        if reports < least {
            let accepted = format!("at least {least}, the task's batch.min_reports");
            return Err(ParameterError::new("clients", reports, accepted).into());
        }
        let circumstances = self.circumstances(reports)?;
        let models = self.trust_models()?;
        let models = models.into_iter();
        let guarantees: Vec<Guarantee> = models
            .map(|model| self.task.guarantee_in(model, &circumstances))
            .collect();
        self.check_strength(&guarantees)?;
        Ok(guarantees)
    }

    /// What the policy's own parameters leave out: which task it is of, and its grid.
    pub(super) fn add_parameters(&self, plan: &mut Plan) {
        let task = self.task;
        if self.from_file {
            let digest = task.digest().to_string();
            plan.parameters.push(("task", task.name().to_owned()));
            plan.parameters.push(("task_digest", digest));
        }
        if let Some(grid) = task.grid() {
            let granularity = grid.granularity().to_string();
            plan.parameters.push(("grid_low", grid.low().to_string()));
            plan.parameters.push(("grid_high", grid.high().to_string()));
            plan.parameters.push(("grid_granularity", granularity));
        }
    }

    /// The three trust models, and those that count on more honest aggregators, if the options or
    /// the task name some.
    fn trust_models(&self) -> Result<Vec<TrustModel>, Failure> {
        let aggregators = self.task.document().vdaf.aggregators();
        let honest = match &self.stated.honest_aggregators {
            Some(honest) => integer("honest-aggregators", honest, 1..=aggregators)?,
            None => usize::from(self.task.trust_model().honest_aggregators()),
        };
        Ok(TrustModel::with_honest_aggregators(honest)?)
    }

    /// Refuses a run of which no promise protects anybody, unless that is accepted.
    fn check_strength(&self, guarantees: &[Guarantee]) -> Result<(), Refusal> {
        let protects = |guarantee: &Guarantee| guarantee.budget().is_some() && !guarantee.is_weak;
        let accepted = if self.from_file {
            self.task.accepts_weak_promise()
        } else {
            self.stated.accept_weak_promise
        };
        if accepted || guarantees.iter().any(protects) {
            return Ok(());
        }
        let accepted = "this option, as every promise has an epsilon above 20 or a delta above \
                        0.001: it protects nobody";
        Err(Refusal::missing("accept-weak-promise", accepted))
    }

    /// Which clients are honest: by the options, else by the task, else every client that the policy
    /// does not assume to be malicious.
    fn circumstances(&self, clients: u64) -> Result<Circumstances, Failure> {
        let of_task = self.task.circumstances();
        let noise = self.task.document().aggregator_noise.as_ref();
        let malicious = noise.map_or(0, AggregatorNoise::assumed_malicious_clients);
        let most = clients.saturating_sub(malicious);
        let honest_clients = match &self.stated.honest_clients {
            Some(honest) => integer("honest-clients", honest, 1..=most)?,
            None => self.task.document().trust.honest_clients.unwrap_or(most),
        };
        let delta = if self.from_file {
            of_task.delta().clone()
        } else {
            self.stated.delta()?
        };
        Ok(Circumstances::new(honest_clients, delta))
    }
}
