//! Policies, tasks and runs of the tests.

use dp_prio3::{AggregatorNoise, BatchLimits, Budget, ClientNoise, Parts, Policy, Vdaf};
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

/// A histogram of `length` buckets at two aggregators, with Gaussian noise at (`epsilon`, `delta`).
pub(crate) fn gaussian(length: usize, epsilon: &str, delta: &str) -> Policy {
    let (epsilon, delta) = (epsilon.parse().expect("positive"), delta.parse().expect("in range"));
    let budget = Budget::Approximate { epsilon, delta };
    histogram(length, AggregatorNoise::DiscreteGaussian { budget })
}

/// A histogram of `length` buckets at two aggregators, with Laplace noise at ε = 1.
pub(crate) fn laplace(length: usize) -> Policy {
    let budget = Budget::Pure { epsilon: "1".parse().expect("positive") };
    histogram(length, AggregatorNoise::DiscreteLaplace { budget })
}

/// One-hot RAPPOR of this length at two aggregators, which may drop reports at `rate`.
pub(crate) fn rappor(length: usize, epsilon0: &str, rate: &str) -> Policy {
    let policy = Policy::new(Parts {
        vdaf: Vdaf::MultihotCountVec {
            aggregators: 2,
            length,
            max_weight: None,
            chunk_length: None,
        },
        client_noise: Some(ClientNoise::OneHotRappor {
            epsilon0: epsilon0.parse().expect("positive"),
            false_positive_rate: rate.parse().expect("a rate"),
        }),
        aggregator_noise: None,
        batch: BatchLimits { min_reports: 1, max_reports: None },
    });
    policy.expect("valid")
}

fn histogram(length: usize, noise: AggregatorNoise) -> Policy {
    let vdaf = Vdaf::Histogram { aggregators: 2, length, chunk_length: None };
    Policy::with_noise(vdaf, noise).expect("calibrated")
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
