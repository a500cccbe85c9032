//! Trials of several processes: the same bits as of one, and records that do not fit are refused.

use std::ops::Range;

use dp_simulation::{Consistency, Measurements, Outcome, OutcomeBuilder, Population, Simulation};

use crate::common::{rappor, untimed};

const CLIENTS: u64 = 900;

/// Four trials of clients that randomize; some send nothing.
fn trials(threads: usize) -> Simulation {
    let rows = (0..7).map(|client| (0..5).map(|place| place == client % 5).collect::<Vec<bool>>());
    let rows = Measurements::vectors(rows).expect("of one length");
    let population = Population::bootstrap(rows, CLIENTS, 3).expect("some clients");
    let simulation =
        Simulation::new(rappor(5, "2", "1e-2"), population, 4, 3, threads).expect("valid");
    simulation.consistent(Consistency::Partition)
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
    let whole = trials(2).run(&|_| ()).expect("honest parties");
    assert!(whole.summary.dropped > 0 && whole.summary.estimates.consistent.is_some());
    assert_eq!(whole.summary.results_digest.len(), 64);
    let whole = untimed(whole);
    for cuts in [&[0, 1, 2, 3, 4][..], &[0, 3, 4], &[0, 4]] {
        assert_eq!(whole, merged(&trials(1), merging(), cuts));
    }
    let ideal = |simulation: Simulation| simulation.ideal().expect("a known distribution");
    let whole = untimed(ideal(trials(2)).run(&|_| ()).expect("honest parties"));
    assert_eq!(whole, merged(&ideal(trials(1)), merging(), &[0, 1, 4]));
}

#[test]
fn records_of_other_clients_are_refused() {
    let other = json(&trials(1), 0..2).replacen("\"dropped\":", "\"dropped\":1", 1);
    let records = serde_json::from_str(&other).expect("records");
    let refused = merging().add(records).expect_err("more clients");
    assert!(refused.to_string().ends_with("expected 900, the clients of each trial"), "{refused}");
}

#[test]
fn trials_follow_each_other() {
    let simulation = trials(1);
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
