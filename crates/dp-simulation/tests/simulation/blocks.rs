//! Runs in blocks: the same bits however they are cut, and bytes that are no results are refused.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use dp_prio3::MultihotRappor;
use dp_simulation::{
    BlockResults, BlockResultsError, Consistency, Error, Measurements, Outcome, Population,
    Simulation,
};

/// More than two blocks of them are a trial.
const CLIENTS: u64 = 8000;

fn policy() -> Arc<MultihotRappor> {
    let (rate, epsilon0) = ("1e-2".parse().expect("a rate"), "2".parse().expect("positive"));
    Arc::new(MultihotRappor::vectors(2, 5, 1, epsilon0, &rate).expect("valid"))
}

/// Clients that randomize, of whom some send nothing.
fn rappor(threads: usize) -> Simulation<MultihotRappor> {
    let row = |client: usize| (0..5).map(move |place| place == client % 5);
    let rows = (0..7).map(|client| row(client).collect::<Vec<bool>>());
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

fn outcome(simulation: &Simulation<MultihotRappor>, parts: &[(Range<u64>, Vec<u8>)]) -> Outcome {
    let mut outcome = simulation.outcome_builder();
    for (blocks, payload) in parts {
        let part = simulation.read_results(blocks.clone(), payload).expect("results");
        outcome.add(part).expect("the next ones");
    }
    outcome.outcome().expect("all blocks")
}

/// The outcomes agree in all but times.
fn assert_same(one: &Outcome, other: &Outcome) {
    let untimed = |outcome: &Outcome| {
        let mut outcome = outcome.clone();
        outcome.summary.seconds = 0.0;
        outcome.summary.stage_seconds.clear();
        outcome.trials.iter_mut().for_each(|trial| trial.stages = Default::default());
        outcome
    };
    assert_eq!(untimed(one), untimed(other));
}

/// The results of every block alone, of the run on one thread.
fn blocks_of_rappor() -> &'static [Vec<u8>] {
    static BLOCKS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    BLOCKS.get_or_init(|| {
        let simulation = rappor(1);
        let block = |block| {
            let results = simulation.run_blocks(block..block + 1, &|_| ());
            results.expect("honest parties").payload().expect("encoded")
        };
        (0..simulation.blocks()).map(block).collect()
    })
}

/// The results of one block, as a process reads them.
fn read(process: &Simulation<MultihotRappor>, number: usize) -> BlockResults<MultihotRappor> {
    let first = u64::try_from(number).expect("few");
    process.read_results(first..first + 1, &blocks_of_rappor()[number]).expect("results")
}

#[test]
fn a_run_has_the_same_bits_however_it_is_cut_and_on_any_number_of_threads() {
    let blocks = blocks_of_rappor();
    assert_eq!(blocks.len(), 6);
    let simulation = rappor(2);
    let whole = simulation.run(&|_| ()).expect("honest parties");
    assert!(whole.summary.dropped > 0 && whole.summary.consistent.is_some());
    assert_same(&whole, &rappor(1).run(&|_| ()).expect("honest parties"));
    assert_eq!(whole.summary.results_digest.len(), 64);

    // Every way to put six blocks into ranges; each range is one process, which knows nothing of the others.
    for cuts in 0_u32..32 {
        let process = rappor(1);
        let mut parts: Vec<(Range<u64>, Vec<u8>)> = Vec::new();
        let mut open: Option<BlockResults<_>> = None;
        for (number, payload) in (0_u64..).zip(blocks) {
            let next = process.read_results(number..number + 1, payload).expect("results");
            match &mut open {
                None => open = Some(next),
                Some(open) => process.extend(open, next).expect("the next ones"),
            }
            let is_cut = number == 5 || cuts >> number & 1 == 1;
            if let Some(part) = open.take_if(|_| is_cut) {
                parts.push((part.blocks().clone(), part.payload().expect("encoded")));
            }
        }
        assert_eq!(u32::try_from(parts.len()), Ok(cuts.count_ones() + 1));
        assert_same(&whole, &outcome(&merging(), &parts));
    }

    // A range at once gives what it gives block by block.
    let cut = [0..1, 1..5, 5..6].map(|blocks| {
        let part = simulation.run_blocks(blocks.clone(), &|_| ());
        (blocks, part.expect("honest").payload().expect("encoded"))
    });
    assert_same(&whole, &outcome(&merging(), &cut));
}

#[test]
fn the_trials_of_an_ideal_run_are_blocks() {
    let ideal = |simulation: Simulation<_>| simulation.ideal().expect("a known distribution");
    let simulation = ideal(rappor(1));
    assert_eq!(simulation.blocks(), 2);
    let whole = simulation.run(&|_| ()).expect("honest parties");
    let parts = [1..2, 0..1].map(|blocks| {
        // Another process.
        let part = ideal(rappor(1)).run_blocks(blocks.clone(), &|_| ()).expect("honest");
        (blocks, part.payload().expect("encoded"))
    });
    let [second, first] = parts;
    assert_same(&whole, &outcome(&ideal(merging()), &[first, second]));
}

#[test]
fn bytes_that_are_no_results_are_refused_and_nothing_panics() {
    // All that results can hold: the end of a trial, and the beginning of another one.
    let (simulation, process) = (rappor(1), merging());
    let mut part = read(&process, 1);
    for number in [2, 3] {
        process.extend(&mut part, read(&process, number)).expect("the next ones");
    }
    let payload = part.payload().expect("encoded");
    assert!(process.read_results(1..4, &payload).is_ok());
    for length in 0..payload.len() {
        let refused = process.read_results(1..4, &payload[..length]);
        let is_length =
            matches!(refused, Err(Error::BlockResults(BlockResultsError::Length { .. })));
        assert!(is_length);
    }
    let longer = [&payload[..], &[0]].concat();
    let refused = process.read_results(1..4, &longer).expect_err("longer");
    assert_eq!(refused.to_string(), "the part has more bytes than its blocks take");
    // Every byte altered, one by one: it is refused, or read and put together without harm.
    for place in 0..payload.len() {
        let mut altered = payload.clone();
        altered[place] ^= 0x81;
        if let Ok(part) = process.read_results(1..4, &altered) {
            assert!(place >= 8, "the version");
            let mut outcome = process.outcome_builder();
            outcome.add(read(&process, 0)).expect("the first");
            let _ = outcome.add(part);
        }
    }
    for blocks in [6..7, 3..3, 0..7] {
        let refused = process.read_results(blocks.clone(), &blocks_of_rappor()[0]);
        let is_blocks =
            matches!(refused, Err(Error::BlockResults(BlockResultsError::Blocks { .. })));
        assert!(is_blocks, "{blocks:?}");
    }
    // The last block of a trial has fewer clients.
    let refused = process.read_results(4..5, &blocks_of_rappor()[5]);
    let is_clients = matches!(refused, Err(Error::BlockResults(BlockResultsError::Clients { .. })));
    assert!(is_clients);
    let refused = simulation.run_blocks(4..7, &|_| ()).expect_err("six blocks");
    assert_eq!(refused.to_string(), "blocks is 4..7: expected some of the blocks 0..6");
    let refused = process.run_blocks(0..1, &|_| ()).expect_err("no data");
    assert!(refused.to_string().starts_with("data is none: expected"), "{refused}");
}

#[test]
fn results_follow_each_other() {
    let process = merging();
    let refused = process.outcome_builder().add(read(&process, 1)).expect_err("not the first");
    assert_eq!(refused.to_string(), "a part ends at block 0, and the next one begins at block 1");
    let mut outcome = process.outcome_builder();
    outcome.add(read(&process, 0)).expect("the first");
    let refused = outcome.outcome().expect_err("one of six");
    assert_eq!(refused.to_string(), "1 of 6 blocks are there");
    // The second trial alone has nothing to compare its estimates with.
    let mut second = read(&process, 3);
    process.extend(&mut second, read(&process, 4)).expect("the next ones");
    let refused = process.extend(&mut second, read(&process, 5));
    assert!(matches!(refused, Err(Error::BlockResults(BlockResultsError::UnknownTruth))));
}
