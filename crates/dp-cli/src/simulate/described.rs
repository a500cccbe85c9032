//! All that a report of a run says beside its estimates: what was asked, of which data, with which task, and what is
//! guaranteed.
//!
//! It follows from the options, or from the folder in which the parts of a run are. The latter says nothing that is
//! computed from the rest: guarantees are computed again.

use dp_exact::{Delta, ParameterError, Refusal, hexadecimal, parse_integer};
use dp_prio3::{Circumstances, Guarantee, TrustModel};
use dp_simulation::checkpoints::{RunFolder, RunIdentity};
use dp_simulation::data::RowCounts;
use dp_simulation::report::{Functionality, SimulationPlan};
use dp_simulation::{Consistency, Population};
use dp_task::{AggregatorNoise, NoiseParameters, Task};
use serde::{Deserialize, Serialize};

use crate::checkpoints::{Description as OfRun, VERSION, digest};
use crate::failure::Failure;
use crate::json::Inputs;
use crate::options::Trust;
use crate::questions::is_one_hot;

/// The kind of run that a folder is said to be of.
pub(crate) const KIND: &str = "simulate";

/// The run of a task.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Described {
    pub(super) task: Task,
    pub(super) from_file: bool,
    pub(super) question: String,
    /// The law of synthetic data, in words.
    pub(super) synthetic: Option<String>,
    pub(super) labels: Vec<String>,
    pub(super) reading: RowCounts,
    /// How many clients there are, and in words.
    pub(super) clients: u64,
    pub(super) clients_in_words: String,
    pub(super) is_ideal: bool,
    pub(super) is_consistent: bool,
    pub(super) trials: u64,
    pub(super) seed: u64,
    /// Who is said to be honest, and the δ that is typed.
    pub(super) stated: Trust,
    pub(super) stated_delta: Option<String>,
}

/// What a folder says of a run.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Description {
    /// Of the program that began it.
    version: String,
    run: Described,
    /// SHA-256 over what the clients measure, in hexadecimal digits.
    measurements: String,
    /// What was typed, which names files by their paths: those of another process may differ.
    inputs: Inputs,
}

impl Described {
    /// What is known before the run, with guarantees that are computed.
    pub(super) fn plan(&self) -> Result<SimulationPlan, Failure> {
        let plan = SimulationPlan::new(
            &self.task,
            self.question.clone(),
            self.clients_in_words.clone(),
            self.labels.clone(),
            self.guarantees()?,
            self.seed,
        );
        let mut plan = SimulationPlan {
            reading: self.reading,
            synthetic: self.synthetic.clone(),
            functionality: self.functionality(),
            post_processing: self.consistency(),
            ..plan
        };
        // What the policy's own parameters leave out.
        if self.from_file {
            let name = self.task.name().to_owned();
            plan.parameters.push(("task", name));
            plan.parameters.push(("task_digest", self.task.digest().to_string()));
        }
        if let Some(grid) = self.task.grid() {
            plan.parameters.extend([
                ("grid_low", grid.low().to_string()),
                ("grid_high", grid.high().to_string()),
                ("grid_granularity", grid.granularity().to_string()),
            ]);
        }
        Ok(plan)
    }

    /// What is guaranteed to the clients in the three trust models, and in those that count on more honest aggregators,
    /// if the options or the task name some.
    fn guarantees(&self) -> Result<Vec<Guarantee>, Failure> {
        let least = self.task.min_reports();
        if self.clients < least {
            let accepted = format!("at least {least}, the task's batch.min_reports");
            return Err(ParameterError::new("clients", self.clients, accepted).into());
        }
        let circumstances = self.circumstances()?;
        let aggregators = self.task.document().vdaf.aggregators();
        let honest = match &self.stated.honest_aggregators {
            Some(honest) => parse_integer("honest-aggregators", honest, 1..=aggregators)?,
            None => usize::from(self.task.trust_model().honest_aggregators()),
        };
        let models = TrustModel::with_honest_aggregators(honest)?.into_iter();
        let guarantees: Vec<Guarantee> =
            models.map(|model| self.task.guarantee_in(model, &circumstances)).collect();
        let protects = |guarantee: &Guarantee| guarantee.budget().is_some() && !guarantee.is_weak;
        let is_accepted = match self.from_file {
            true => self.task.accepts_weak_guarantee(),
            false => self.stated.accept_weak_guarantee,
        };
        if !is_accepted && !guarantees.iter().any(protects) {
            let accepted = "this option, as every guarantee has an epsilon above 20 or a delta above \
                            0.001: it protects nobody";
            return Err(Refusal::missing("accept-weak-guarantee", accepted).into());
        }
        Ok(guarantees)
    }

    /// Which clients are honest: by the options, else by the task, else every client that the policy
    /// does not assume to be malicious.
    fn circumstances(&self) -> Result<Circumstances, Failure> {
        let document = self.task.document();
        let noise = document.aggregator_noise.as_ref();
        let malicious = noise.map_or(0, AggregatorNoise::assumed_malicious_clients);
        let most = self.clients.saturating_sub(malicious);
        let honest_clients = match &self.stated.honest_clients {
            Some(honest) => parse_integer("honest-clients", honest, 1..=most)?,
            None => document.trust.honest_clients.unwrap_or(most),
        };
        let delta: Delta = match self.from_file {
            true => self.task.circumstances().delta().clone(),
            false => {
                NoiseParameters { delta: self.stated_delta.clone(), ..NoiseParameters::default() }
                    .guarantee_delta()?
            }
        };
        Ok(Circumstances::new(honest_clients, delta))
    }

    pub(super) const fn functionality(&self) -> Functionality {
        match self.is_ideal {
            true => Functionality::Ideal,
            false => Functionality::Prio3,
        }
    }

    /// What is known of the totals: of vectors in which exactly one bit is set also their sum.
    pub(super) fn consistency(&self) -> Option<Consistency> {
        let randomizer = self.task.policy_name().client_noise;
        self.is_consistent.then(|| match randomizer {
            Some(randomizer) if is_one_hot(randomizer) => Consistency::Partition,
            _ => Consistency::of(self.task.query()),
        })
    }

    /// The low end and the step of the grid of the measurements, if they are on one, and whether means are
    /// estimated, and not totals.
    pub(super) fn units(&self) -> Option<(f64, f64, bool)> {
        let grid = self.task.grid()?;
        let are_means = self.task.divisor(self.clients) == self.clients;
        Some((grid.low().to_f64(), grid.granularity().to_f64(), are_means))
    }

    /// The run for its folder, of so many blocks.
    pub(super) fn run(
        &self,
        population: &Population,
        inputs: &Inputs,
        blocks: u64,
    ) -> Result<RunIdentity, Failure> {
        let description = Description {
            version: VERSION.to_owned(),
            run: self.clone(),
            measurements: hexadecimal(&population.digest()),
            inputs: inputs.of_run(self.seed),
        };
        description.run(blocks)
    }

    /// What a folder says, and what was typed.
    pub(super) fn of(folder: &RunFolder) -> Result<(Self, Inputs), Failure> {
        let description = <Description as OfRun>::of(folder)?;
        Ok((description.run, description.inputs))
    }
}

impl OfRun for Description {
    const KIND: &str = KIND;

    fn version(&self) -> &str {
        &self.version
    }

    /// SHA-256 over all but what was typed.
    fn digest(&self) -> Result<[u8; 32], Failure> {
        let run = serde_json::to_vec(&self.run).map_err(Failure::other)?;
        let parts = [self.version.as_bytes(), self.measurements.as_bytes(), &run];
        Ok(digest(KIND, &parts))
    }
}
