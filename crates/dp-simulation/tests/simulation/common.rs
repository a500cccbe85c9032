//! Policies, tasks and runs of the tests.

use dp_prio3::Policy;
use dp_simulation::dp_task::{NoiseParameters, PolicyName, Task, VdafSize};
use dp_simulation::{
    Consistency, GridUnits, Outcome, PercentilesAndRanges, Population, Simulation,
};

/// The task of a policy by its name, with these parameters.
pub(crate) fn task(policy: &str, given: &[(&str, &str)], size: &VdafSize, clients: u64) -> Task {
    let policy = PolicyName::find(policy).expect("a policy");
    let mut parameters = NoiseParameters::default();
    let epsilon = |text: &str| Some(text.parse().expect("an epsilon"));
    for (name, text) in given {
        match *name {
            "epsilon" => parameters.epsilon = epsilon(text),
            "epsilon0" => parameters.epsilon0 = epsilon(text),
            "local_epsilon" => parameters.local_epsilon = epsilon(text),
            "delta" => parameters.delta = Some(text.parse().expect("a delta")),
            "rho" => parameters.rho = Some(text.parse().expect("a rho")),
            "false_positive_rate" => {
                parameters.false_positive_rate = Some(text.parse().expect("a rate"));
            }
            _ => panic!("no parameter {name}"),
        }
    }
    let document = policy.document(&parameters, size, clients).expect("a document");
    Task::accepting_weak_guarantee(document).expect("a task")
}

/// A policy over `length` buckets or bits, by its name and these parameters.
fn policy(name: &str, given: &[(&str, &str)], length: usize) -> Policy {
    let size = VdafSize { length, max_measurement: 1, max_weight: Some(1), grid: None };
    task(name, given, &size, 1 << 20).policy().clone()
}

/// A histogram of `length` buckets with Gaussian noise at (`epsilon`, `delta`).
pub(crate) fn gaussian(length: usize, epsilon: &str, delta: &str) -> Policy {
    policy("histogram-gaussian", &[("epsilon", epsilon), ("delta", delta)], length)
}

/// One-hot RAPPOR of this length, which may drop reports at `rate`.
pub(crate) fn rappor(length: usize, epsilon0: &str, rate: &str) -> Policy {
    let given = [("epsilon0", epsilon0), ("false_positive_rate", rate)];
    policy("multihot-one-hot-rappor", &given, length)
}

/// The outcome of trials of a task on two threads, in the units of its grid. Estimates are also
/// made consistent if there is a question about percentiles and ranges.
pub(crate) fn ran(
    task: &Task,
    population: Population,
    (trials, seed): (u64, u64),
    is_ideal: bool,
    question: Option<PercentilesAndRanges>,
) -> Outcome {
    let simulation = Simulation::new(task.policy().clone(), population, trials, seed, 2);
    let mut simulation = simulation.expect("valid");
    if is_ideal {
        simulation = simulation.ideal().expect("a known distribution");
    }
    if let Some(units) = GridUnits::of(task) {
        simulation = simulation.in_units(units);
    }
    if let Some(question) = question {
        simulation = simulation.consistent(Consistency::Partition);
        simulation = simulation.percentiles_and_ranges(question).expect("a histogram");
    }
    simulation.run(&|_| ()).expect("honest parties")
}

/// The mean of independent values and its standard error.
pub(crate) fn mean(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count: f64 = values.clone().map(|_| 1.0).sum();
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / count / count).sqrt())
}
