//! Simulations over real Prio3: every client counts once, and bad input is refused.

use dp_prio3::{BatchLimits, Parts, Policy};
use dp_simulation::{Coordinate, Outcome, Population, Simulation};

use crate::common;

const BUCKETS: usize = 4;

fn gaussian() -> Policy {
    common::gaussian(BUCKETS, "0.906", "1e-9")
}

fn rows(clients: usize) -> Vec<usize> {
    (0..clients).map(|client| client % BUCKETS).collect()
}

fn run_gaussian(clients: usize, trials: u64, seed: u64, threads: usize) -> Outcome {
    let population = Population::each_once(rows(clients)).expect("some rows");
    Simulation::new(gaussian(), population, trials, seed, threads)
        .expect("valid")
        .run(&|_| ())
        .expect("honest parties")
}

fn coordinates(outcome: &Outcome) -> Vec<Coordinate> {
    let trials = outcome.trials.iter();
    trials.flat_map(|trial| trial.coordinates.clone()).collect()
}

#[test]
fn every_client_is_counted_once_whatever_the_chunks() {
    for clients in [1_u32, 31, 32, 33, 97] {
        let rows = usize::try_from(clients).expect("small");
        let outcome = run_gaussian(rows, 1, 5, 2);
        let truth: f64 = coordinates(&outcome).iter().map(|row| row.truth).sum();
        assert_eq!(truth, f64::from(clients));
        assert_eq!(outcome.trials[0].reports, u64::from(clients));
        assert_eq!(outcome.summary.clients, u64::from(clients));
        assert_eq!(outcome.summary.rejected, 0);
    }
}

#[test]
fn progress_adds_up_to_the_clients_of_all_trials() {
    let done = std::sync::atomic::AtomicU64::new(0);
    let population = Population::each_once(rows(75)).expect("some rows");
    let simulation = Simulation::new(gaussian(), population, 3, 1, 2).expect("valid");
    let count = |clients| {
        done.fetch_add(clients, std::sync::atomic::Ordering::Relaxed);
    };
    simulation.run(&count).expect("honest parties");
    assert_eq!(done.into_inner(), 225);
}

#[test]
fn a_bootstrap_draws_the_same_rows_in_every_trial_and_for_every_policy() {
    let truth = |trials| {
        let population = Population::bootstrap(rows(10), 60, 9).expect("some clients");
        let simulation = Simulation::new(gaussian(), population, trials, 9, 2).expect("valid");
        let outcome = simulation.run(&|_| ()).expect("honest parties");
        let all = coordinates(&outcome);
        all.iter().map(|row| row.truth).collect::<Vec<_>>()
    };
    let one = truth(1);
    assert_eq!(truth(2), [one.clone(), one.clone()].concat());
    assert_eq!(one.iter().sum::<f64>(), 60.0);
}

#[test]
fn bad_input_is_refused_with_its_name() {
    assert!(Population::each_once(Vec::<usize>::new()).is_err());
    let none = Population::bootstrap(vec![1usize], 0, 1).expect_err("no clients");
    assert_eq!(none.to_string(), "clients is 0: expected at least 1");
    let population = Population::each_once(vec![0usize]).expect("one row");
    let none = Simulation::new(gaussian(), population, 0, 1, 1).expect_err("no trials");
    assert_eq!(none.to_string(), "trials is 0: expected at least 1");

    let batch = BatchLimits { min_reports: 1, max_reports: Some(5) };
    let few = Policy::new(Parts { batch, ..gaussian().parts().clone() }).expect("room for five");
    let population = Population::each_once(rows(6)).expect("six rows");
    let many = Simulation::new(few, population, 1, 1, 1).expect_err("one too many");
    assert!(many.to_string().starts_with("clients is 6: expected at most 5"));

    let population = Population::each_once(vec![0usize, BUCKETS]).expect("two rows");
    let simulation = Simulation::new(gaussian(), population, 1, 1, 1).expect("valid");
    let refused = simulation.run(&|_| ()).expect_err("no such bucket");
    assert_eq!(
        refused.to_string(),
        "client 1: measurement is hidden: expected an integer from 0 to 3"
    );

    // A policy of buckets takes no bits.
    let population = Population::each_once(vec![true]).expect("one row");
    let simulation = Simulation::new(gaussian(), population, 1, 1, 1).expect("valid");
    let refused = simulation.run(&|_| ()).expect_err("a bit");
    assert_eq!(
        refused.to_string(),
        "client 0: measurement is \"a vector of integers\": expected a bucket"
    );
}
