//! What plans predict is what is observed over real Prio3.
//!
//! **False alarms.** The margin of noise of aggregators is the least integer m with P(|X| > m) ≤ 1/20, so
//! that of N independent errors the number beyond m, and that beyond m − 1, is on the wrong side of N/20
//! by a relative entropy of ln(2·10⁹ · jobs)/N or more with a probability of at most 10⁻⁹ for all jobs
//! together (Chernoff). Where clients add noise the errors are normal up to some percent: P is between
//! 0.035 and 0.065 then. One error of a trial counts where those of a trial depend on each other.

use std::sync::Arc;

use dp_planner::{Against, Choice, Error, Job, Wanted, plan};
use dp_prio3::DpPolicy;
use dp_simulation::{Coordinate, Measurements, Population, Simulation};
use dp_task::{Measured, PolicyVisitor, VdafType};
use rand::{RngExt as _, SeedableRng as _};

use crate::answers::{approximate, job};

struct Run {
    rows: Measurements,
    trials: u64,
    seed: u64,
}

impl PolicyVisitor for Run {
    type Output = Vec<Vec<Coordinate>>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: Measured> + 'static,
    {
        let population = Population::each_once(self.rows).expect("clients");
        let policy = Arc::new(policy);
        let simulation = Simulation::new(policy, population, self.trials, self.seed, 1);
        let outcome = simulation.expect("a run").run(&|_| {}).expect("an outcome");
        let trials = outcome.trials.into_iter();
        trials.map(|trial| trial.coordinates).collect()
    }
}

/// A measurement of each client: equal shares of the buckets, something for everybody elsewhere.
fn rows(choice: &Choice, job: &Job) -> Measurements {
    let clients = usize::try_from(job.clients).expect("few");
    let length = usize::try_from(job.estimates()).expect("few");
    let ones = |client: usize| (0..length).map(move |place| place == client % length);
    let vdaf = choice.policy.vdaf;
    let rows = 0..clients;
    match vdaf {
        VdafType::Count => {
            Measurements::bit_vectors(rows.map(|row| [row % 3 == 0])).map(Measurements::single)
        }
        VdafType::Histogram | VdafType::MultihotCountVec => {
            if vdaf == VdafType::Histogram {
                let buckets: Vec<usize> = rows.map(|row| row % length).collect();
                Ok(Measurements::from(buckets))
            } else {
                Measurements::bit_vectors(rows.map(|row| ones(row).collect::<Vec<_>>()))
            }
        }
        VdafType::Sum | VdafType::Average => {
            let rows = rows.map(|row| [u128::try_from(row % 7).expect("small")]);
            Measurements::integer_vectors(rows).map(Measurements::single)
        }
        VdafType::SumVec | VdafType::L1BoundSum => {
            let row = |row| ones(row).map(u128::from).collect::<Vec<_>>();
            Measurements::integer_vectors(rows.map(row))
        }
    }
    .expect("measurements")
}

/// a·ln(a/p) + (1 − a)·ln((1 − a)/(1 − p))
fn entropy(a: f64, p: f64) -> f64 {
    let part = |a: f64, p: f64| if a > 0.0 { a * (a / p).ln() } else { 0.0 };
    part(a, p) + part(1.0 - a, 1.0 - p)
}

/// How often errors were beyond the margin, and beyond a little less.
fn check(choice: &Choice, (job, wanted): (&Job, &Wanted), trials: u64, seed: u64, jobs: f64) {
    let run = Run {
        rows: rows(choice, job),
        trials,
        seed,
    };
    let task = choice.task(wanted).expect("a task");
    let observed = task.with_policy(run);
    let unit = match choice.policy.vdaf {
        VdafType::Average => 1.0 / dp_exact::directed::count(job.clients),
        _ => 1.0,
    };
    let is_of_answers = choice.policy.name.starts_with("histogram-response");
    let per_trial = if is_of_answers { 1 } else { usize::MAX };
    let errors = observed
        .iter()
        .flat_map(|trial| trial.iter().take(per_trial));
    let errors: Vec<f64> = errors
        .map(|estimate| estimate.error().abs() / unit)
        .collect();
    let margin = choice.errors.margin_95 / unit;
    let has_clients = choice.policy.client_noise.is_some();
    let beyond = |margin: f64| {
        let beyond = errors.iter().filter(|error| **error > margin).count();
        dp_exact::directed::index(beyond) / dp_exact::directed::index(errors.len())
    };
    let (most, least, step) = match has_clients {
        true => (0.065, 0.035, 0.0),
        false => (0.05, 0.05, 0.5),
    };
    let allowed = (2e9 * jobs).ln() / dp_exact::directed::index(errors.len());
    let name = choice.policy.name;
    let (above, below) = (beyond(margin + 1e-6), beyond(margin - step));
    assert!(
        above <= most || entropy(above, most) < allowed,
        "{name}: {above} > {most}"
    );
    assert!(
        below >= least || entropy(below, least) < allowed,
        "{name}: {below} < {least}"
    );
}

/// A job at random, small enough to run.
fn random(rng: &mut rand::rngs::StdRng) -> (Job, Wanted) {
    let length = rng.random_range(2..7);
    let query = match rng.random_range(0..7) {
        0 => "count".to_owned(),
        1 => format!("sum:{}", rng.random_range(7..50)),
        2 => format!("average:{}", rng.random_range(7..50)),
        3 => format!("sumvec:{length}:{}", rng.random_range(1..9)),
        4 => format!("multihot:{length}:{}", rng.random_range(1..=length)),
        5 => format!("l1boundsum:{length}:{}", rng.random_range(1..20)),
        _ => format!("histogram:{length}"),
    };
    let job = Job {
        releases: [1, 1, 4, 30][rng.random_range(0..4)],
        aggregators: rng.random_range(2..4),
        ..job(&query, rng.random_range(60..200))
    };
    let epsilon = ["1/2", "1", "3"][rng.random_range(0..3)];
    let wanted = Wanted {
        scope: if rng.random_bool(0.5) {
            dp_planner::Scope::Total
        } else {
            dp_planner::Scope::Release
        },
        against: [Against::OneAggregator, Against::Collector][rng.random_range(0..2)],
        ..Wanted::budget(approximate(epsilon, "1e-6")).expect("a budget")
    };
    (job, wanted)
}

/// Of some random jobs the best choice, and one of the others.
#[test]
fn predicted_margins_are_observed_for_a_few_random_jobs() -> Result<(), Error> {
    const JOBS: u32 = 4;
    let mut rng = rand::rngs::StdRng::seed_from_u64(13);
    for seed in 0..u64::from(JOBS) {
        let (job, wanted) = random(&mut rng);
        let plan = plan(&job, &wanted)?;
        let other = rng.random_range(0..plan.choices.len());
        for choice in [&plan.choices[0], &plan.choices[other]] {
            check(choice, (&job, &wanted), 60, seed, f64::from(4 * JOBS));
        }
    }
    Ok(())
}
