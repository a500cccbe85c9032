//! Runs in blocks: the same bits however they are cut, and bytes that are no results are refused.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use dp_exact::Epsilon;
use dp_prio3::types::Histogram;
use dp_prio3::{AggregatorNoise, DpPolicy, MultihotRappor};
use dp_simulation::dp_task::FromMeasurement;
use dp_simulation::{
    BlockResults, Consistency, Error, Measurements, Outcome, PercentilesAndRanges, Population,
    Simulation,
};

use crate::common::untimed;

/// Three blocks of a trial of short vectors, the last one small.
const CLIENTS: u64 = 7700;

fn policy() -> Arc<MultihotRappor> {
    let (rate, epsilon0) = ("1e-2".parse().expect("a rate"), "2".parse().expect("positive"));
    Arc::new(MultihotRappor::vectors(2, 5, 1, epsilon0, &rate).expect("valid"))
}

/// Clients that randomize; some send nothing.
fn rappor(threads: usize) -> Simulation<MultihotRappor> {
    let rows = (0..7).map(|client| (0..5).map(|place| place == client % 5).collect::<Vec<bool>>());
    let rows = Measurements::bit_vectors(rows).expect("of one length");
    let population = Population::bootstrap(rows, CLIENTS, 3).expect("some clients");
    let simulation = Simulation::new(policy(), population, 2, 3, threads).expect("valid");
    simulation.consistent(Consistency::Partition)
}

/// What a process without the data puts together.
fn merging() -> Simulation<MultihotRappor> {
    let simulation = Simulation::without_data(policy(), CLIENTS, 2, 3).expect("valid");
    simulation.consistent(Consistency::Partition)
}

/// Percentiles and ranges of a histogram, with data or without.
fn percentiles(has_data: bool) -> Simulation<AggregatorNoise<Histogram>> {
    let epsilon = "1".parse::<Epsilon>().expect("positive");
    let policy = AggregatorNoise::laplace(Histogram::new(2, 12).expect("valid"), epsilon);
    let policy = Arc::new(policy.expect("valid"));
    // Two blocks of a trial.
    let clients = 3500;
    let people = Population::bootstrap((0..12).collect::<Vec<usize>>(), clients, 3);
    let simulation = match has_data {
        true => Simulation::new(policy, people.expect("clients"), 2, 3, 2),
        false => Simulation::without_data(policy, clients, 2, 3),
    };
    let question = PercentilesAndRanges::of("50,90").expect("percentiles");
    let question = PercentilesAndRanges { ranges: vec![0..4, 2..12], ..question };
    let simulation = simulation.and_then(|simulation| simulation.percentiles_and_ranges(question));
    simulation.expect("a histogram").consistent(Consistency::Partition)
}

fn outcome<P: DpPolicy<Measurement: FromMeasurement>>(
    simulation: &Simulation<P>,
    parts: &[(Range<u64>, Vec<u8>)],
) -> Outcome {
    let mut outcome = simulation.outcome_builder();
    for (blocks, payload) in parts {
        let part = BlockResults::read(blocks.clone(), payload).expect("results");
        outcome.add(part).expect("the next ones");
    }
    outcome.outcome().expect("all blocks")
}

/// These blocks with their results as bytes.
fn part<P: DpPolicy<Measurement: FromMeasurement>>(
    simulation: &Simulation<P>,
    blocks: Range<u64>,
) -> (Range<u64>, Vec<u8>) {
    let results = simulation.run_blocks(blocks.clone(), &|_| ()).expect("honest parties");
    (blocks, results.payload().expect("encoded"))
}

/// The outcomes agree in all but times.
fn assert_same(one: &Outcome, other: &Outcome) {
    assert_eq!(untimed(one.clone()), untimed(other.clone()));
}

/// The results of every block alone, of the run on one thread.
fn blocks_of_rappor() -> &'static [Vec<u8>] {
    static BLOCKS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    BLOCKS.get_or_init(|| {
        let simulation = rappor(1);
        (0..simulation.blocks()).map(|block| part(&simulation, block..block + 1).1).collect()
    })
}

/// The results of one block, as a process reads them.
fn read(number: usize) -> BlockResults {
    let first = u64::try_from(number).expect("few");
    BlockResults::read(first..first + 1, &blocks_of_rappor()[number]).expect("results")
}

/// The results of the first block, and then these.
fn after_the_first(blocks: Range<u64>, payload: &[u8]) -> Result<(), Error> {
    static PROCESS: OnceLock<Simulation<MultihotRappor>> = OnceLock::new();
    let mut outcome = PROCESS.get_or_init(merging).outcome_builder();
    outcome.add(read(0)).expect("the first");
    outcome.add(BlockResults::read(blocks, payload)?)
}

#[test]
fn a_run_has_the_same_bits_however_it_is_cut_and_on_any_number_of_threads() {
    let blocks = blocks_of_rappor();
    assert_eq!(blocks.len(), 6);
    let simulation = rappor(2);
    let whole = simulation.run(&|_| ()).expect("honest parties");
    assert!(whole.summary.dropped > 0 && whole.summary.estimates.consistent.is_some());
    assert_eq!(whole.summary.results_digest.len(), 64);
    let single = (0..6).zip(blocks).map(|(block, payload)| (block..block + 1, payload.clone()));
    assert_same(&whole, &outcome(&merging(), &single.collect::<Vec<_>>()));

    // Each range is of one process, which knows nothing of the others.
    for cuts in [&[0, 1, 5, 6][..], &[0, 4, 6]] {
        let ranges = cuts.windows(2).map(|ends| part(&simulation, ends[0]..ends[1]));
        assert_same(&whole, &outcome(&merging(), &ranges.collect::<Vec<_>>()));
    }
}

#[test]
fn percentiles_and_ranges_have_the_same_bits_however_a_run_is_cut() {
    for is_ideal in [false, true] {
        let of = |has_data| match is_ideal {
            true => percentiles(has_data).ideal().expect("a distribution"),
            false => percentiles(has_data),
        };
        let (simulation, blocks) = (of(true), of(true).blocks());
        let whole = simulation.run(&|_| ()).expect("honest parties");
        let parts = [0..1, 1..blocks].map(|blocks| part(&of(true), blocks));
        assert_same(&whole, &outcome(&of(false), &parts));
        // Cumulative counts are kept of the first trial alone.
        for (number, trial) in whole.trials.iter().enumerate() {
            let found = trial.distribution.as_ref().expect("percentiles");
            let lengths = (found.percentiles.len(), found.ranges.len(), found.counts.len());
            assert_eq!(lengths, (2, 2, if number == 0 { 11 } else { 0 }));
        }
    }
}

#[test]
fn the_trials_of_an_ideal_run_are_blocks() {
    let ideal = |simulation: Simulation<_>| simulation.ideal().expect("a known distribution");
    let simulation = ideal(rappor(1));
    assert_eq!(simulation.blocks(), 2);
    let whole = simulation.run(&|_| ()).expect("honest parties");
    // Other processes.
    let [second, first] = [1..2, 0..1].map(|blocks| part(&ideal(rappor(1)), blocks));
    assert_same(&whole, &outcome(&ideal(merging()), &[first, second]));
}

#[test]
fn bytes_that_are_no_results_are_refused_and_nothing_panics() {
    // All that results can hold: the end of a trial, and the beginning of another one.
    let simulation = rappor(1);
    let (_, payload) = part(&simulation, 1..4);
    after_the_first(1..4, &payload).expect("the next ones");
    let format = |bytes: &[u8]| {
        let refused = after_the_first(1..4, bytes).expect_err("no results").to_string();
        assert!(refused.starts_with("the part is not what its blocks come to: "), "{refused}");
    };
    // JSON that is cut is no JSON; an altered byte is refused, or read without harm.
    for place in 0..payload.len() {
        assert!(BlockResults::read(1..4, &payload[..place]).is_err());
        let mut altered = payload.clone();
        altered[place] ^= 1;
        let _ = after_the_first(1..4, &altered);
    }
    format(&payload[..payload.len() - 1]);
    let text = String::from_utf8(payload).expect("JSON");
    for (one, other) in [("\"truth\":[", "\"truth\":[1,"), ("\"trials\":[", "\"trials\":[7")] {
        assert!(text.contains(one), "{one}");
        format(text.replacen(one, other, 1).as_bytes());
    }
    let foreign = text.replacen("\"totals\":[", "\"totals\":[0,", 1);
    assert!(matches!(after_the_first(1..4, foreign.as_bytes()), Err(Error::Batch(_))));
    for blocks in [6..7, 3..3, 1..7] {
        let refused = after_the_first(blocks, &blocks_of_rappor()[0]).expect_err("six blocks");
        assert!(refused.to_string().ends_with("expected some of the blocks 0..6"), "{refused}");
    }
    // The last block of a trial has fewer clients.
    let refused = after_the_first(1..2, &blocks_of_rappor()[2]).expect_err("fewer");
    assert!(refused.to_string().contains(" clients, expected "), "{refused}");
    let refused = simulation.run_blocks(4..7, &|_| ()).expect_err("six blocks");
    assert_eq!(refused.to_string(), "blocks is 4..7: expected some of the blocks 0..6");
    let refused = merging().run_blocks(0..1, &|_| ()).expect_err("no data");
    assert!(refused.to_string().starts_with("data is none: expected"), "{refused}");
}

#[test]
fn results_follow_each_other() {
    let process = merging();
    let refused = process.outcome_builder().add(read(1)).expect_err("not the first");
    assert_eq!(refused.to_string(), "a part ends at block 0, and the next one begins at block 1");
    let mut outcome = process.outcome_builder();
    outcome.add(read(0)).expect("the first");
    let refused = outcome.outcome().expect_err("one of six");
    assert_eq!(refused.to_string(), "1 of 6 blocks are there");
}
