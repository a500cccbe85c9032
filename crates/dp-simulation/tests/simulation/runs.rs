//! Simulations over real Prio3: every client counts once, and bad input is refused.

use dp_prio3::{BatchLimits, Parts, Policy};
use dp_simulation::{Measurements, Outcome, OutcomeBuilder, Population, Simulation};

use crate::common;

const BUCKETS: usize = 4;

fn gaussian() -> Policy {
    common::gaussian(BUCKETS, "0.906", "1e-9")
}

fn rows(clients: usize) -> Vec<usize> {
    (0..clients).map(|client| client % BUCKETS).collect()
}

fn run_gaussian(population: Population, trials: u64, seed: u64) -> Outcome {
    let simulation = Simulation::new(gaussian(), population, trials, seed, 2).expect("valid");
    simulation.run(&|_| ()).expect("honest parties")
}

fn truths(outcome: &Outcome) -> Vec<f64> {
    let rows = outcome.trials.iter().flat_map(|trial| &trial.coordinates);
    rows.map(|row| row.truth).collect()
}

#[test]
fn every_client_is_counted_once_whatever_the_chunks() {
    for clients in [1_u32, 31, 32, 33, 97] {
        let rows = rows(usize::try_from(clients).expect("small"));
        let population = Population::each_once(rows).expect("some rows");
        let outcome = run_gaussian(population, 1, 5);
        let truth: f64 = truths(&outcome).iter().sum();
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
        truths(&run_gaussian(population, trials, 9))
    };
    let one = truth(1);
    assert_eq!(truth(2), [one.clone(), one.clone()].concat());
    assert_eq!(one.iter().sum::<f64>(), 60.0);
}

/// What is refused of records, the command that puts them together tests.
#[test]
fn trials_of_another_run_are_refused() {
    let rows: Vec<usize> = (0..900).map(|client| client % 5).collect();
    let population = Population::each_once(rows).expect("rows");
    let policy = common::rappor(5, "2", "1e-2");
    let simulation = Simulation::new(policy.clone(), population, 4, 3, 1).expect("valid");
    for trials in [3..5, 2..2] {
        let refused = simulation.run_trials(trials.clone(), &|_| ()).expect_err("four trials");
        let said = format!("trials is {trials:?}: expected some of the trials 0..4");
        assert_eq!(refused.to_string(), said);
    }
    // Some clients send nothing.
    let records = simulation.run_trials(0..2, &|_| ()).expect("honest parties");
    let records = serde_json::to_string(&records).expect("JSON");
    let other = records.replacen("\"dropped\":", "\"dropped\":1", 1);
    let mut outcome = OutcomeBuilder::new(policy, 900, 4).expect("valid");
    let refused = outcome.add(serde_json::from_str(&other).expect("records"));
    let refused = refused.expect_err("more clients").to_string();
    assert!(refused.ends_with("expected 900, the clients of each trial"), "{refused}");
}

#[test]
fn bad_input_is_refused_with_its_name() {
    assert!(Population::each_once(Vec::<usize>::new()).is_err());
    let none = Population::bootstrap(vec![1usize], 0, 1).expect_err("no clients");
    assert_eq!(none.to_string(), "clients is 0: expected at least 1");
    let batch = BatchLimits { min_reports: 1, max_reports: Some(5) };
    let few = || Policy::new(Parts { batch, ..gaussian().parts().clone() }).expect("a policy");
    let (bucket, bit) = (Measurements::from(vec![0, BUCKETS]), Measurements::from(vec![true]));
    for (policy, rows, trials, refused) in [
        (gaussian(), rows(1).into(), 0, "trials is 0: expected at least 1"),
        (
            few(),
            rows(6).into(),
            1,
            "clients is 6: expected at most 5, the reports that the policy allows in a batch",
        ),
        (
            gaussian(),
            bucket,
            1,
            "row 2: measurement is 4: expected an integer from 0 to 3; 1 of 2 rows do not fit, the largest value is 4",
        ),
        // A policy of buckets takes no bits.
        (
            gaussian(),
            bit,
            1,
            "row 1: measurement is \"a vector of integers\": expected a bucket; 1 of 1 rows do not fit",
        ),
    ] {
        let population = Population::each_once(rows).expect("rows");
        let found = Simulation::new(policy, population, trials, 1, 1);
        assert_eq!(found.expect_err(refused).to_string(), refused);
    }
}
