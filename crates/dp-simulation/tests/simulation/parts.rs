//! Runs in blocks: the same bits however they are cut, and parts that are none are refused.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use dp_prio3::{DpPolicy, MultihotRappor};
use dp_simulation::{
    BlockResults, Consistency, Error, Measurements, Outcome, PartError, Population, Simulation,
    Trials,
};

/// More than two blocks of them are a trial.
const CLIENTS: u64 = 8000;

/// Clients that randomize, of whom some send nothing.
fn rappor(threads: usize) -> Simulation<MultihotRappor> {
    let rate = "1e-2".parse().expect("a rate");
    let epsilon0 = "2".parse().expect("positive");
    let policy = MultihotRappor::vectors(2, 5, 1, epsilon0, &rate).expect("valid");
    let row = |client: usize| (0..5).map(move |place| place == client % 5);
    let rows = (0..7).map(|client| row(client).collect::<Vec<bool>>());
    let rows = Measurements::bit_vectors(rows).expect("of one length");
    let population = Population::bootstrap(rows, CLIENTS, 3).expect("some clients");
    let simulation = Simulation::new(Arc::new(policy), population, 2, 3, threads).expect("valid");
    simulation.consistent(Consistency::Partition)
}

fn outcome<P: DpPolicy>(trials: &Trials<P>, parts: &[(Range<u64>, Vec<u8>)]) -> Outcome {
    let mut gathering = trials.gather();
    for (blocks, payload) in parts {
        let part = trials.read_part(blocks.clone(), payload).expect("a part");
        gathering.add(part).expect("the next one");
    }
    gathering.outcome().expect("all blocks")
}

/// The outcomes agree in all but times.
fn assert_alike(one: &Outcome, other: &Outcome) {
    let untimed = |outcome: &Outcome| {
        let mut outcome = outcome.clone();
        outcome.summary.seconds = 0.0;
        outcome.summary.stage_seconds.clear();
        let trials = outcome.trials.iter_mut();
        trials.for_each(|trial| trial.stages = Default::default());
        outcome
    };
    assert_eq!(untimed(one), untimed(other));
}

/// What came of every block alone, of the run on one thread.
fn blocks_of_rappor() -> &'static [Vec<u8>] {
    static BLOCKS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    BLOCKS.get_or_init(|| {
        let simulation = rappor(1);
        let work = simulation.work();
        let block = |block| work.run_blocks(block..block + 1, &|_| ());
        let payload = |part: BlockResults<_>| part.payload().expect("encoded");
        let all = (0..work.blocks()).map(|number| payload(block(number).expect("honest parties")));
        all.collect()
    })
}

#[test]
fn a_run_has_the_same_bits_however_it_is_cut_and_on_any_number_of_threads() {
    let blocks = blocks_of_rappor();
    assert_eq!(blocks.len(), 6);
    let simulation = rappor(2);
    let whole = simulation.run(&|_| ()).expect("honest parties");
    assert!(whole.summary.dropped > 0 && whole.summary.consistent.is_some());
    let again = rappor(1).run(&|_| ()).expect("honest parties");
    assert_alike(&whole, &again);
    assert_eq!(whole.summary.results_digest.len(), 64);

    // Every way to put six blocks into ranges; each range is one process, which knows nothing of the others.
    for cuts in 0_u32..32 {
        let merging = rappor(1);
        let trials = merging.trials();
        let mut parts: Vec<(Range<u64>, Vec<u8>)> = Vec::new();
        let mut open: Option<BlockResults<_>> = None;
        let work = merging.work();
        for (number, payload) in (0_u64..).zip(blocks) {
            let next = work.trials().read_part(number..number + 1, payload);
            let next = next.expect("a part");
            match &mut open {
                None => open = Some(next),
                Some(open) => work.extend(open, next).expect("the next one"),
            }
            let is_cut = number == 5 || cuts >> number & 1 == 1;
            if let Some(part) = open.take_if(|_| is_cut) {
                parts.push((part.blocks().clone(), part.payload().expect("encoded")));
            }
        }
        assert_eq!(u32::try_from(parts.len()), Ok(cuts.count_ones() + 1));
        assert_alike(&whole, &outcome(trials, &parts));
    }

    // What a process makes of a range at once is what it makes of it block by block.
    let work = simulation.work();
    let cut = [0..1, 1..5, 5..6].map(|blocks| {
        let part = work.run_blocks(blocks.clone(), &|_| ());
        (blocks, part.expect("honest").payload().expect("encoded"))
    });
    assert_alike(&whole, &outcome(simulation.trials(), &cut));
}

#[test]
fn trials_drawn_from_their_laws_are_blocks() {
    let simulation = rappor(1);
    let work = simulation.ideal_work().expect("a known law");
    assert_eq!(work.blocks(), 2);
    let whole = work.run(&|_| ()).expect("honest parties");
    let parts = [1..2, 0..1].map(|blocks| {
        // Another process.
        let simulation = rappor(1);
        let work = simulation.ideal_work().expect("a known law");
        let part = work.run_blocks(blocks.clone(), &|_| ()).expect("honest");
        (blocks, part.payload().expect("encoded"))
    });
    let [second, first] = parts;
    assert_alike(&whole, &outcome(work.trials(), &[first, second]));
}

#[test]
fn what_is_no_part_is_refused_and_nothing_panics() {
    // All that is in a part: the end of a trial, and the beginning of another one.
    let trials = rappor(1).trials().clone();
    let block = |number: usize| &blocks_of_rappor()[number];
    let read = |number: u64, payload| trials.read_part(number..number + 1, payload);
    let mut part = read(1, block(1)).expect("a part");
    for number in [2, 3] {
        let next = read(number, block(usize::try_from(number).expect("few")));
        trials.extend(&mut part, next.expect("a part")).expect("the next one");
    }
    let payload = part.payload().expect("encoded");
    assert!(trials.read_part(1..4, &payload).is_ok());
    for length in 0..payload.len() {
        let refused = trials.read_part(1..4, &payload[..length]);
        assert!(matches!(refused, Err(Error::Part(PartError::Length { .. }))));
    }
    let longer = [&payload[..], &[0]].concat();
    let refused = trials.read_part(1..4, &longer).expect_err("longer");
    assert_eq!(refused.to_string(), "the part has more bytes than its blocks take");
    // Every byte altered, one by one: it is refused, or read and put together without harm.
    for place in 0..payload.len() {
        let mut altered = payload.clone();
        altered[place] ^= 0x81;
        match trials.read_part(1..4, &altered) {
            Err(_) => {}
            Ok(part) => {
                assert!(place >= 8, "the version");
                let mut gathering = trials.gather();
                gathering.add(read(0, block(0)).expect("a part")).expect("the first");
                let _ = gathering.add(part);
            }
        }
    }
    for blocks in [6..7, 3..3, 0..7] {
        let refused = trials.read_part(blocks.clone(), block(0));
        assert!(matches!(refused, Err(Error::Part(PartError::Blocks { .. }))), "{blocks:?}");
    }
    // The last block of a trial has fewer clients.
    let refused = read(4, block(5));
    assert!(matches!(refused, Err(Error::Part(PartError::Clients { .. }))));
    let simulation = rappor(1);
    let refused = simulation.work().run_blocks(4..7, &|_| ()).expect_err("six blocks");
    assert_eq!(refused.to_string(), "blocks is 4..7: expected some of the blocks 0..6");
}

#[test]
fn parts_follow_each_other() {
    let trials = rappor(1).trials().clone();
    let read = |number: usize| {
        let first = u64::try_from(number).expect("few");
        let part = trials.read_part(first..first + 1, &blocks_of_rappor()[number]);
        part.expect("a part")
    };
    let mut gathering = trials.gather();
    let refused = gathering.add(read(1)).expect_err("not the first");
    assert_eq!(refused.to_string(), "a part ends at block 0, and the next one begins at block 1");
    let mut gathering = trials.gather();
    gathering.add(read(0)).expect("the first");
    let refused = gathering.outcome().expect_err("one of six");
    assert_eq!(refused.to_string(), "1 of 6 blocks are there");
    // The second trial alone has nothing to compare its estimates with.
    let mut second = read(3);
    trials.extend(&mut second, read(4)).expect("the next one");
    let refused = trials.extend(&mut second, read(5));
    assert!(matches!(refused, Err(Error::Part(PartError::UnknownTruth))));
}
