//! Trials of several processes: records that do not fit are refused.

use std::ops::Range;

use dp_simulation::{Measurements, OutcomeBuilder, Population, Simulation};

use crate::common::rappor;

const CLIENTS: u64 = 900;

/// Four trials of clients that randomize; some send nothing.
fn trials() -> Simulation {
    let rows = (0..7).map(|client| (0..5).map(|place| place == client % 5).collect::<Vec<bool>>());
    let rows = Measurements::vectors(rows).expect("of one length");
    let population = Population::bootstrap(rows, CLIENTS, 3).expect("some clients");
    Simulation::new(rappor(5, "2", "1e-2"), population, 4, 3, 1).expect("valid")
}

/// What a process without the data puts together.
fn merging() -> OutcomeBuilder {
    OutcomeBuilder::new(rappor(5, "2", "1e-2"), CLIENTS, 4).expect("valid")
}

/// The JSON of these trials, as one process writes it.
fn json(simulation: &Simulation, trials: Range<u64>) -> String {
    let records = simulation.run_trials(trials.clone(), &|_| ()).expect("honest parties");
    assert_eq!(records.trials(), trials);
    serde_json::to_string(&records).expect("JSON")
}

#[test]
fn records_of_other_clients_are_refused() {
    let other = json(&trials(), 0..2).replacen("\"dropped\":", "\"dropped\":1", 1);
    let records = serde_json::from_str(&other).expect("records");
    let refused = merging().add(records).expect_err("more clients");
    assert!(refused.to_string().ends_with("expected 900, the clients of each trial"), "{refused}");
}

#[test]
fn trials_follow_each_other() {
    let simulation = trials();
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
