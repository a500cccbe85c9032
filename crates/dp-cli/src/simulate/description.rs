//! The description of a run: everything that its report says beside the estimates.
//!
//! It follows from the options, or is read from a file of trials. The file has no guarantees: they
//! are computed again.

use dp_calibration::Refusal;
use dp_exact::{Delta, ParameterError, parse_integer};
use dp_prio3::{Circumstances, Guarantee, TrustModel};
use dp_simulation::report::SimulationPlan;
use dp_simulation::{Consistency, GridUnits, Population, Simulation};
use dp_task::DEFAULT_DELTA;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::options::TrustOptions;
use crate::tasks::check_batch;

/// The run of a task, and the survey that it answers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SimulationRun {
    pub(super) plan: SimulationPlan,
    pub(super) from_file: bool,
    pub(super) clients: u64,
    pub(super) is_consistent: bool,
    pub(super) trials: u64,
    pub(super) trust: TrustOptions,
    /// The value of --delta as it was typed, if it was.
    pub(super) typed_delta: Option<String>,
}

impl SimulationRun {
    /// The simulation of the run over these clients, with its units and post-processing, on this
    /// number of threads: 0 is one for each processor.
    pub(super) fn simulation(
        &self,
        population: Population,
        threads: usize,
    ) -> Result<Simulation, Failure> {
        let policy = self.plan.task.policy().clone();
        let mut simulation =
            Simulation::new(policy, population, self.trials, self.plan.seed, threads)?;
        if self.plan.is_ideal {
            simulation = simulation.ideal()?;
        }
        if let Some(units) = GridUnits::of(&self.plan.task) {
            simulation = simulation.in_units(units);
        }
        if let Some(consistency) = self.plan.post_processing {
            simulation = simulation.consistent(consistency);
        }
        if let Some(question) = &self.plan.percentiles {
            simulation = simulation.percentiles_and_ranges(question.clone())?;
        }
        Ok(simulation)
    }

    /// The unit of the steps of progress: `trials` if totals are drawn without reports, else
    /// `reports`.
    pub(super) const fn unit(&self) -> &'static str {
        if self.plan.is_ideal { "trials" } else { "reports" }
    }

    /// The run with those fields of its plan that follow from others: guarantees, circumstances,
    /// post-processing and parameters. `Err` if [`Self::guarantees`] refuses.
    pub(super) fn complete(mut self) -> Result<Self, Failure> {
        let guarantees = self.guarantees()?;
        let circumstances = self.circumstances()?.over(self.plan.task.releases());
        let plan = &mut self.plan;
        plan.guarantees = guarantees;
        plan.circumstances = circumstances;
        plan.post_processing = self.is_consistent.then(|| Consistency::of_task(&plan.task));
        plan.parameters = plan.task.policy().parameters();
        // The parameters of the policy do not include these.
        if self.from_file {
            plan.parameters.push(("task", plan.task.document().name.clone()));
            plan.parameters.push(("task_digest", plan.task.digest().to_string()));
        }
        if let Some(grid) = plan.task.grid() {
            plan.parameters.extend([
                ("grid_low", grid.low().to_string()),
                ("grid_high", grid.high().to_string()),
                ("grid_granularity", grid.granularity().to_string()),
            ]);
        }
        Ok(self)
    }

    /// The guarantees of one release by trust model. `Err` for a batch that is too small, and if
    /// none protects anybody and the options or the task do not accept that.
    fn guarantees(&self) -> Result<Vec<Guarantee>, Failure> {
        check_batch(&self.plan.task, self.clients)?;
        let circumstances = self.circumstances()?;
        let aggregators = self.plan.task.document().vdaf.aggregators();
        let honest = match &self.trust.honest_aggregators {
            Some(honest) => parse_integer("honest-aggregators", honest, 1..=aggregators)?,
            None => usize::from(self.plan.task.trust_model().honest_aggregators()),
        };
        let models = TrustModel::with_honest_aggregators(honest)?.into_iter();
        let guarantees: Vec<Guarantee> =
            models.map(|model| self.plan.task.policy().guarantee(model, &circumstances)).collect();
        let protects = |guarantee: &Guarantee| guarantee.budget().is_some() && !guarantee.is_weak;
        let is_accepted = match self.from_file {
            true => self.plan.task.document().trust.accept_weak_guarantee,
            false => self.trust.accept_weak_guarantee,
        };
        if !is_accepted && !guarantees.iter().any(protects) {
            let accepted = "this option, as every guarantee has an epsilon above 20 or a delta above \
                            0.001: it protects nobody";
            return Err(Refusal::missing("accept-weak-guarantee", accepted).into());
        }
        Ok(guarantees)
    }

    /// The honest clients and the δ on which guarantees count: as typed; else for a task of a file
    /// as it says, otherwise all clients but the assumed malicious ones, and the default δ.
    fn circumstances(&self) -> Result<Circumstances, Failure> {
        let of_task = self.plan.task.circumstances();
        let most = self.clients.saturating_sub(self.plan.task.policy().assumed_malicious());
        let honest_clients = match &self.trust.honest_clients {
            Some(honest) => parse_integer("honest-clients", honest, 1..=most)?,
            None if self.from_file => of_task.honest_clients,
            None => most,
        };
        let delta: Delta = match &self.typed_delta {
            Some(typed) => typed.parse().map_err(|error: ParameterError| error.renamed("delta"))?,
            None if self.from_file => of_task.delta.clone(),
            None => DEFAULT_DELTA.parse()?,
        };
        Ok(Circumstances { honest_clients, delta, ..of_task.clone() })
    }
}
