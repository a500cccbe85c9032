//! Simulations of a task whose policy's type is not known.

use std::sync::Arc;

use dp_prio3::DpPolicy;
use dp_simulation::dp_task::{
    FromMeasurement, NoiseParameters, PolicyName, PolicyVisitor, Task, VdafSize,
};
use dp_simulation::{
    Consistency, GridUnits, Outcome, PercentilesAndRanges, Population, Simulation,
};

/// The task of a policy by its name, with these parameters.
pub(crate) fn task(policy: &str, given: &[(&str, &str)], size: &VdafSize, clients: u64) -> Task {
    let policy = PolicyName::find(policy).expect("a policy");
    let mut parameters = NoiseParameters::default();
    for (name, value) in given {
        *parameters.get_mut(name).expect("a parameter") = Some((*value).to_owned());
    }
    let document = policy.document(&parameters, size, clients).expect("a document");
    Task::accepting_weak_guarantee(document).expect("a task")
}

/// What runs on two threads, for any policy.
pub(crate) struct Run {
    pub(crate) population: Population,
    pub(crate) trials: u64,
    pub(crate) seed: u64,
    pub(crate) is_ideal: bool,
    /// The units of a grid.
    pub(crate) units: Option<GridUnits>,
    /// Percentiles and ranges; estimates are then made consistent as well.
    pub(crate) question: Option<PercentilesAndRanges>,
}

impl PolicyVisitor for Run {
    type Output = Outcome;

    fn visit<P: DpPolicy<Measurement: FromMeasurement> + 'static>(self, policy: P) -> Outcome {
        let Self { population, trials, seed, .. } = self;
        let simulation = Simulation::new(Arc::new(policy), population, trials, seed, 2);
        let mut simulation = simulation.expect("valid");
        if self.is_ideal {
            simulation = simulation.ideal().expect("a known distribution");
        }
        if let Some(units) = self.units {
            simulation = simulation.in_units(units);
        }
        if let Some(question) = self.question {
            simulation = simulation.consistent(Consistency::Partition);
            simulation = simulation.percentiles_and_ranges(question).expect("a histogram");
        }
        simulation.run(&|_| ()).expect("honest parties")
    }
}

/// The outcome without its times.
pub(crate) fn untimed(mut outcome: Outcome) -> Outcome {
    outcome.summary.seconds = 0.0;
    outcome
}
