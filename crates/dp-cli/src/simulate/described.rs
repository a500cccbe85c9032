//! All that a report of a run says beside its estimates: what was asked, of which data, with which task.
//!
//! It follows from the options, or from the folder in which the parts of a run are. The latter says nothing that is
//! computed from the rest: promises are computed again.

use dp_exact::hexadecimal;
use dp_simulation::data::Reading;
use dp_simulation::parts::{Folder, Run};
use dp_simulation::report::{Functionality, Plan};
use dp_simulation::{Consistency, Population};
use dp_task::Task;
use serde::{Deserialize, Serialize};

use super::known_totals;
use super::posed::{Posed, Stated};
use crate::checkpoints::description::{Description as OfRun, VERSION, digest};
use crate::failure::Failure;
use crate::json::Inputs;

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
    pub(super) reading: Reading,
    /// How many clients there are, and in words.
    pub(super) clients: u64,
    pub(super) clients_in_words: String,
    pub(super) is_ideal: bool,
    pub(super) is_consistent: bool,
    pub(super) trials: u64,
    pub(super) seed: u64,
    pub(super) stated: Stated,
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
    /// What is known before the run, with promises that are computed.
    ///
    /// # Errors
    /// If nothing that protects anybody is promised, and that is not accepted.
    pub(super) fn plan(&self) -> Result<Plan, Failure> {
        let posed = Posed {
            stated: &self.stated,
            task: &self.task,
            from_file: self.from_file,
        };
        let guarantees = posed.guarantees(self.clients)?;
        let plan = Plan::new(
            &self.task,
            self.question.clone(),
            self.clients_in_words.clone(),
            self.labels.clone(),
            guarantees,
            self.seed,
        );
        let mut plan = Plan {
            reading: self.reading,
            synthetic: self.synthetic.clone(),
            functionality: self.functionality(),
            post_processing: self.consistency(),
            ..plan
        };
        posed.add_parameters(&mut plan);
        Ok(plan)
    }

    pub(super) const fn functionality(&self) -> Functionality {
        match self.is_ideal {
            true => Functionality::Ideal,
            false => Functionality::Prio3,
        }
    }

    pub(super) fn consistency(&self) -> Option<Consistency> {
        self.is_consistent.then(|| known_totals(&self.task))
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
    ) -> Result<Run, Failure> {
        let description = Description {
            version: VERSION.to_owned(),
            run: self.clone(),
            measurements: hexadecimal(&population.digest()),
            inputs: inputs.of_run(self.seed),
        };
        description.run(blocks)
    }

    /// What a folder says, and what was typed.
    ///
    /// # Errors
    /// If it says nothing that this program would say.
    pub(super) fn of(folder: &Folder) -> Result<(Self, Inputs), Failure> {
        // The task is built, which is computed.
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
