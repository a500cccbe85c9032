//! Trials of several processes: the same bits as of one, and records that do not fit are refused.

use std::ops::Range;

use dp_prio3::{BatchLimits, ClientNoise, Parts, Policy, Vdaf};
use dp_simulation::{Consistency, Measurements, Outcome, OutcomeBuilder, Population, Simulation};

use crate::common::untimed;

const CLIENTS: u64 = 900;

fn policy() -> Policy {
    let policy = Policy::new(Parts {
        vdaf: Vdaf::MultihotCountVec {
            aggregators: 2,
            length: 5,
            max_weight: None,
            chunk_length: None,
        },
        client_noise: Some(ClientNoise::SymmetricRappor {
            epsilon0: "2".parse().expect("positive"),
            input_weight: 1,
            false_positive_rate: "1e-2".parse().expect("a rate"),
        }),
        aggregator_noise: None,
        batch: BatchLimits { min_reports: 1, max_reports: None },
    });
    policy.expect("valid")
}

/// Four trials of clients that randomize; some send nothing.
fn rappor(threads: usize) -> Simulation {
    let rows = (0..7).map(|client| (0..5).map(|place| place == client % 5).collect::<Vec<bool>>());
    let rows = Measurements::vectors(rows).expect("of one length");
    let population = Population::bootstrap(rows, CLIENTS, 3).expect("some clients");
    let simulation = Simulation::new(policy(), population, 4, 3, threads).expect("valid");
    simulation.consistent(Consistency::Partition)
}

/// What a process without the data puts together.
fn merging() -> OutcomeBuilder {
    OutcomeBuilder::new(policy(), CLIENTS, 4).expect("valid")
}

/// The JSON of these trials, as one process writes it.
fn json(simulation: &Simulation, trials: Range<u64>) -> String {
    let records = simulation.run_trials(trials.clone(), &|_| ()).expect("honest parties");
    assert_eq!(records.trials(), trials);
    serde_json::to_string(&records).expect("JSON")
}

/// The outcome of trials that are cut in these places, without times.
fn merged(running: &Simulation, mut outcome: OutcomeBuilder, cuts: &[u64]) -> Outcome {
    for ends in cuts.windows(2) {
        let read = serde_json::from_str(&json(running, ends[0]..ends[1])).expect("records");
        outcome.add(read).expect("the next ones");
    }
    untimed(outcome.outcome().expect("all trials"))
}

#[test]
fn a_run_has_the_same_bits_in_any_number_of_processes_and_threads() {
    let whole = rappor(2).run(&|_| ()).expect("honest parties");
    assert!(whole.summary.dropped > 0 && whole.summary.estimates.consistent.is_some());
    assert_eq!(whole.summary.results_digest.len(), 64);
    let whole = untimed(whole);
    for cuts in [&[0, 1, 2, 3, 4][..], &[0, 3, 4], &[0, 4]] {
        assert_eq!(whole, merged(&rappor(1), merging(), cuts));
    }
    let ideal = |simulation: Simulation| simulation.ideal().expect("a known distribution");
    let whole = untimed(ideal(rappor(2)).run(&|_| ()).expect("honest parties"));
    assert_eq!(whole, merged(&ideal(rappor(1)), merging(), &[0, 1, 4]));
}

#[test]
fn errors_of_all_trials_have_a_mean_and_a_largest_one() {
    let outcome = rappor(1).run(&|_| ()).expect("honest parties");
    let rows = outcome.trials.iter().flat_map(|trial| &trial.coordinates);
    let errors: Vec<f64> = rows.map(|row| row.error().abs()).collect();
    assert_eq!(errors.len(), 20);
    let found = outcome.summary.estimates;
    assert!((found.mean_absolute_error - errors.iter().sum::<f64>() / 20.0).abs() < 1e-9);
    assert_eq!(found.largest_error, errors.iter().copied().fold(0.0, f64::max));
}

#[test]
fn records_of_other_clients_are_refused() {
    let other = json(&rappor(1), 0..2).replacen("\"dropped\":", "\"dropped\":1", 1);
    let records = serde_json::from_str(&other).expect("records");
    let refused = merging().add(records).expect_err("more clients");
    assert!(refused.to_string().ends_with("expected 900, the clients of each trial"), "{refused}");
}

#[test]
fn trials_follow_each_other() {
    let simulation = rappor(1);
    let run = |trials| simulation.run_trials(trials, &|_| ());
    let refused = merging().add(run(1..2).expect("a trial")).expect_err("not 0");
    assert_eq!(refused.to_string(), "trials is 1..2: expected the next ones of 0..4");
    let mut outcome = merging();
    outcome.add(run(0..3).expect("three trials")).expect("the first");
    let refused = outcome.outcome().expect_err("three of four");
    assert_eq!(refused.to_string(), "trials is 3: expected all 4");
    for trials in [3..5, 2..2] {
        let refused = run(trials.clone()).expect_err("four trials").to_string();
        assert_eq!(refused, format!("trials is {trials:?}: expected some of the trials 0..4"));
    }
}
