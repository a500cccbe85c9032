//! Trials of several processes: the same bits as of one, and records that do not fit are refused.

use std::ops::Range;

use dp_prio3::{BatchLimits, ClientNoise, Parts, Policy, Vdaf};
use dp_simulation::{
    Consistency, Measurements, Outcome, PercentilesAndRanges, Population, Simulation, TrialRecords,
};

use crate::common::{laplace, untimed};

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
    let rows = Measurements::bit_vectors(rows).expect("of one length");
    let population = Population::bootstrap(rows, CLIENTS, 3).expect("some clients");
    let simulation = Simulation::new(policy(), population, 4, 3, threads).expect("valid");
    simulation.consistent(Consistency::Partition)
}

/// What a process without the data puts together.
fn merging() -> Simulation {
    let simulation = Simulation::without_data(policy(), CLIENTS, 4, 3).expect("valid");
    simulation.consistent(Consistency::Partition)
}

/// Percentiles and ranges of a histogram, with data or without.
fn percentiles(has_data: bool) -> Simulation {
    let people = Population::bootstrap((0..12).collect::<Vec<usize>>(), CLIENTS, 3);
    let simulation = match has_data {
        true => Simulation::new(laplace(12), people.expect("clients"), 4, 3, 2),
        false => Simulation::without_data(laplace(12), CLIENTS, 4, 3),
    };
    let question = PercentilesAndRanges::of("50,90").expect("percentiles");
    let question = PercentilesAndRanges { ranges: vec![0..4, 2..12], ..question };
    let simulation = simulation.and_then(|simulation| simulation.percentiles_and_ranges(question));
    simulation.expect("a histogram").consistent(Consistency::Partition)
}

/// The JSON of these trials, as one process writes it.
fn json(simulation: &Simulation, trials: Range<u64>) -> String {
    let records = simulation.run_trials(trials.clone(), &|_| ()).expect("honest parties");
    assert_eq!(records.trials(), trials);
    serde_json::to_string(&records).expect("JSON")
}

/// The outcome of trials that are cut in these places, without times.
fn merged(running: &Simulation, merging: &Simulation, cuts: &[u64]) -> Outcome {
    let mut outcome = merging.outcome_builder();
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
        assert_eq!(whole, merged(&rappor(1), &merging(), cuts));
    }
    let ideal = |simulation: Simulation| simulation.ideal().expect("a known distribution");
    let whole = untimed(ideal(rappor(2)).run(&|_| ()).expect("honest parties"));
    assert_eq!(whole, merged(&ideal(rappor(1)), &ideal(merging()), &[0, 1, 4]));
}

#[test]
fn percentiles_and_ranges_have_the_same_bits_in_any_number_of_processes() {
    for is_ideal in [false, true] {
        let of = |has_data| match is_ideal {
            true => percentiles(has_data).ideal().expect("a distribution"),
            false => percentiles(has_data),
        };
        let whole = untimed(of(true).run(&|_| ()).expect("honest parties"));
        assert_eq!(whole, merged(&of(true), &of(false), &[0, 1, 4]));
        // Cumulative counts are kept of the first trial alone.
        for (number, trial) in whole.trials.iter().enumerate() {
            let found = trial.distribution.as_ref().expect("percentiles");
            let lengths = (found.percentiles.len(), found.ranges.len(), found.counts.len());
            assert_eq!(lengths, (2, 2, if number == 0 { 11 } else { 0 }));
        }
    }
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
fn altered_records_are_refused_or_read_without_harm() {
    let simulation = rappor(1);
    let text = json(&simulation, 0..2);
    let add = |bytes: &[u8]| {
        let records: TrialRecords = serde_json::from_slice(bytes).ok()?;
        merging().outcome_builder().add(records).ok()
    };
    assert_eq!(add(text.as_bytes()), Some(()));
    for place in 0..text.len() {
        assert!(add(&text.as_bytes()[..place]).is_none(), "JSON that is cut is no JSON");
        if place % 7 == 0 {
            let mut altered = text.clone().into_bytes();
            altered[place] ^= 1;
            let _ = add(&altered);
        }
    }
    let other = text.replacen("\"dropped\":", "\"dropped\":1", 1);
    assert_ne!(text, other);
    let records = serde_json::from_str(&other).expect("records");
    let refused = merging().outcome_builder().add(records).expect_err("more clients");
    assert!(refused.to_string().ends_with("expected 900, the clients of each trial"), "{refused}");
}

#[test]
fn trials_follow_each_other() {
    let simulation = rappor(1);
    let run = |trials| simulation.run_trials(trials, &|_| ());
    let process = merging();
    let refused = process.outcome_builder().add(run(1..2).expect("a trial")).expect_err("not 0");
    assert_eq!(refused.to_string(), "trials is 1..2: expected the next ones of 0..4");
    let mut outcome = process.outcome_builder();
    outcome.add(run(0..3).expect("three trials")).expect("the first");
    let refused = outcome.outcome().expect_err("three of four");
    assert_eq!(refused.to_string(), "trials is 3: expected all 4");
    for trials in [3..5, 2..2] {
        let refused = run(trials.clone()).expect_err("four trials").to_string();
        assert_eq!(refused, format!("trials is {trials:?}: expected some of the trials 0..4"));
    }
    let refused = process.run_trials(0..1, &|_| ()).expect_err("no data");
    assert!(refused.to_string().starts_with("data is none: expected"), "{refused}");
}
