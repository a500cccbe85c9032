//! Totals from their laws beside the clients one by one, and beside real Prio3.

use std::sync::Arc;

use dp_prio3::randomizers::{KaryRandomizedResponse, RandomizedResponse};
use dp_prio3::types::{Count, Histogram};
use dp_prio3::{
    Budget, ClientNoise, DpPolicy, HistogramGaussian, MultihotRappor, PolicyDescription,
};
use dp_simulation::{Measurements, Outcome, Population, Simulation};
use dp_task::Measured;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// Trials of each side.
const TRIALS: u64 = 4000;

/// Two means of independent trials differ by more than so many standard errors with probability below 1e-10.
const LIMIT: f64 = 6.5;

fn simulation<P>(policy: Arc<P>, rows: Measurements, trials: u64) -> Simulation<P>
where
    P: DpPolicy<Measurement: Measured>,
{
    let population = Population::each_once(rows).expect("some rows");
    Simulation::new(policy, population, trials, 5, 1).expect("valid")
}

/// Reports and the first two estimates of a trial.
type Seen = [f64; 3];

fn of_ideal(outcome: &Outcome) -> Vec<Seen> {
    let trials = outcome.trials.iter();
    let seen = trials.map(|trial| {
        let estimate = |place: usize| trial.coordinates.get(place).map_or(0.0, |c| c.estimate);
        [float(trial.reports), estimate(0), estimate(1)]
    });
    seen.collect()
}

/// The same by every client's randomizer, one after the other: reports add up as `add` says.
fn of_clients<P: DpPolicy>(
    policy: &P,
    clients: &[Box<P::Measurement>],
    length: usize,
    add: impl Fn(&dp_prio3::ShardedMeasurement<P>, &mut [i128]),
) -> Vec<Seen> {
    let mut rng = ChaCha20Rng::seed_from_u64(6);
    let trial = |_| {
        let (mut totals, mut reports) = (vec![0; length], 0);
        for client in clients {
            if let Ok(report) = policy.randomize(client, &mut rng) {
                reports += 1;
                add(&report, &mut totals);
            }
        }
        let estimates = PolicyDescription::estimate(policy, &totals, reports);
        let estimate = |place: usize| estimates.get(place).map_or(0.0, |estimate| estimate.value);
        [float(reports), estimate(0), estimate(1)]
    };
    (0..TRIALS).map(trial).collect()
}

/// By how many standard errors the means, squares and products of both sides differ, at most.
fn difference(one: &[Seen], other: &[Seen]) -> f64 {
    let centre = mean(one.iter().map(|seen| seen[0])).0;
    let of = |seen: &Seen| [seen[0] - centre, seen[1], seen[2]];
    let statistics: [fn([f64; 3]) -> f64; 8] = [
        |seen| seen[0],
        |seen| seen[1],
        |seen| seen[2],
        |seen| seen[0] * seen[0],
        |seen| seen[1] * seen[1],
        |seen| seen[0] * seen[1],
        |seen| seen[0] * seen[2],
        |seen| seen[1] * seen[2],
    ];
    let z = statistics.map(|statistic| {
        let (mean_one, error_one) = mean(one.iter().map(|seen| statistic(of(seen))));
        let (mean_other, error_other) = mean(other.iter().map(|seen| statistic(of(seen))));
        (mean_one - mean_other).abs() / (error_one.hypot(error_other) + f64::MIN_POSITIVE)
    });
    z.into_iter().fold(0.0, f64::max)
}

/// The mean and its standard error.
fn mean(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count: f64 = values.clone().map(|_| 1.0).sum();
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / count / count).sqrt())
}

fn float(number: u64) -> f64 {
    f64::from(u32::try_from(number).expect("few"))
}

#[test]
fn estimates_are_those_of_a_run_where_clients_do_not_randomize() {
    let budget = Budget::approximate("1".parse().expect("one"), "1e-6".parse().expect("small"));
    let policy = HistogramGaussian::new(Histogram::new(3, 4).expect("valid"), budget);
    let policy = Arc::new(policy.expect("calibrated"));
    let rows: Vec<usize> = (0..50).map(|client| client * client % 4).collect();
    let simulation = simulation(policy, rows.into(), 3);
    let (real, ideal) = (simulation.run(&|_| ()), simulation.run_ideal(&|_| ()));
    let (real, ideal) = (real.expect("a run"), ideal.expect("a run"));
    let coordinates = |outcome: &Outcome| -> Vec<_> {
        outcome
            .trials
            .iter()
            .map(|trial| trial.coordinates.clone())
            .collect()
    };
    assert_eq!(coordinates(&real), coordinates(&ideal));
    assert_eq!(ideal.trials[0].reports, 50);
}

fn bits(length: usize, of: impl Fn(usize, usize) -> bool) -> Vec<Vec<bool>> {
    let row = |client| (0..length).map(|place| of(client, place)).collect();
    (0..24).map(row).collect()
}

fn add_bits(report: &Vec<bool>, totals: &mut [i128]) {
    totals
        .iter_mut()
        .zip(report)
        .for_each(|(total, bit)| *total += i128::from(*bit));
}

/// By how much the ideal run of vectors of which many are not sent differs from its clients.
fn rappor(policy: MultihotRappor, vectors: &[Vec<bool>]) -> f64 {
    let rows = Measurements::bit_vectors(vectors.iter()).expect("of one length");
    let policy = Arc::new(policy);
    let ideal = simulation(Arc::clone(&policy), rows, TRIALS).run_ideal(&|_| ());
    let ideal = ideal.expect("a run");
    assert!(ideal.summary.dropped > TRIALS, "drops are frequent");
    let clients: Vec<Box<[bool]>> = vectors
        .iter()
        .map(|row| row.clone().into_boxed_slice())
        .collect();
    let real = of_clients(&*policy, &clients, vectors[0].len(), add_bits);
    difference(&of_ideal(&ideal), &real)
}

#[test]
fn vectors_that_may_be_dropped_have_the_law_of_their_clients() {
    let (epsilon0, rate) = ("1/2", "0.3".parse().expect("a rate"));
    let epsilon0 = || epsilon0.parse().expect("positive");
    let one_hot = MultihotRappor::one_hot(2, 6, epsilon0(), &rate).expect("valid");
    let vectors = bits(6, |client, place| client % 5 == place);
    assert!(rappor(one_hot, &vectors) < LIMIT);
    let several = MultihotRappor::vectors(2, 6, 3, epsilon0(), &rate).expect("valid");
    let vectors = bits(6, |client, place| client % 4 > place);
    assert!(rappor(several, &vectors) < LIMIT);
}

#[test]
fn answers_and_single_bits_have_the_law_of_their_clients() {
    let epsilon = || "0.8".parse().expect("positive");
    let response = KaryRandomizedResponse::new(epsilon(), 3).expect("valid");
    let policy = ClientNoise::new(Histogram::new(2, 3).expect("valid"), response);
    let policy = Arc::new(policy.expect("valid"));
    let clients: Vec<usize> = (0..20).map(|client| client % 4 / 2).collect();
    let ideal = simulation(Arc::clone(&policy), clients.clone().into(), TRIALS);
    let ideal = ideal.run_ideal(&|_| ()).expect("a run");
    let boxed: Vec<Box<usize>> = clients.into_iter().map(Box::new).collect();
    let real = of_clients(&*policy, &boxed, 3, |answer, totals| totals[*answer] += 1);
    assert!(difference(&of_ideal(&ideal), &real) < LIMIT);

    let response = RandomizedResponse::new(epsilon()).expect("valid");
    let policy = ClientNoise::new(Count::new(2).expect("valid"), response);
    let policy = Arc::new(policy.expect("valid"));
    let clients: Vec<bool> = (0..20).map(|client| client % 3 == 0).collect();
    let ideal = simulation(Arc::clone(&policy), clients.clone().into(), TRIALS);
    let ideal = ideal.run_ideal(&|_| ()).expect("a run");
    let boxed: Vec<Box<bool>> = clients.into_iter().map(Box::new).collect();
    let real = of_clients(&*policy, &boxed, 1, |bit, totals| {
        totals[0] += i128::from(*bit)
    });
    assert!(difference(&of_ideal(&ideal), &real) < LIMIT);
}

#[test]
fn a_bootstrap_of_a_thousand_million_clients_adds_up() {
    let budget = Budget::approximate("1".parse().expect("one"), "1e-6".parse().expect("small"));
    let policy = HistogramGaussian::new(Histogram::new(2, 5).expect("valid"), budget);
    let rows: Vec<usize> = vec![0, 1, 1, 2, 4];
    let clients = 1_000_000_000;
    let population = Population::bootstrap(rows, clients, 3).expect("clients");
    let simulation = Simulation::new(Arc::new(policy.expect("calibrated")), population, 2, 9, 1);
    let outcome = simulation
        .expect("valid")
        .run_ideal(&|_| ())
        .expect("a run");
    for trial in &outcome.trials {
        let truth: Vec<f64> = trial.coordinates.iter().map(|c| c.truth).collect();
        assert_eq!(truth.iter().sum::<f64>().to_bits(), 1e9_f64.to_bits());
        // Ten deviations of a binomial number.
        let expected = [0.2, 0.4, 0.2, 0.0, 0.2].map(|part| part * 1e9);
        for (truth, expected) in truth.iter().zip(expected) {
            assert!((truth - expected).abs() <= 155_000.0, "{truth}");
        }
        assert!(trial.coordinates.iter().all(|c| c.error().abs() < 300.0));
    }
}
