//! Runs in blocks: the same bits however they are cut, and parts that are none are refused.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use dp_prio3::types::Histogram;
use dp_prio3::{Budget, DpPolicy, HistogramLaplace, MultihotRappor};
use dp_simulation::{
    Consistency, Error, Measurements, Outcome, Part, PartError, Population, Simulation, Trials,
};
use dp_task::Measured;

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
        let payload = |part: Part<_>| part.payload().expect("encoded");
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
        let mut open: Option<Part<_>> = None;
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
fn another_seed_has_another_digest_and_a_digest_is_of_the_estimates() {
    let run = |seed, threads| {
        let budget = Budget::Pure {
            epsilon: "1".parse().expect("positive"),
        };
        let buckets = Histogram::new(2, 3).expect("valid");
        let policy = HistogramLaplace::new(buckets, budget).expect("calibrated");
        let population = Population::each_once(vec![0_usize, 1, 2, 2]).expect("some rows");
        let simulation = Simulation::new(Arc::new(policy), population, 3, seed, threads);
        simulation.expect("valid")
    };
    let digest = |outcome: Result<Outcome, Error>| outcome.expect("honest").summary.results_digest;
    let one = digest(run(1, 1).run(&|_| ()));
    assert_eq!(one, digest(run(1, 2).run(&|_| ())));
    assert_ne!(one, digest(run(2, 1).run(&|_| ())));
    // Clients do not randomize: without Prio3 the estimates are the same.
    assert_eq!(one, digest(run(1, 1).run_ideal(&|_| ())));
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

/// All that is in a part: the end of a trial, and the beginning of another one.
fn one_of_each() -> (Trials<MultihotRappor>, Range<u64>, Vec<u8>) {
    let trials = rappor(1).trials().clone();
    let mut part = trials.read_part(1..2, &blocks_of_rappor()[1]);
    let part = part.as_mut().expect("a part");
    for number in 2..4 {
        let next = trials.read_part(
            number as u64..number as u64 + 1,
            &blocks_of_rappor()[number],
        );
        trials
            .extend(part, next.expect("a part"))
            .expect("the next one");
    }
    (trials, 1..4, part.payload().expect("encoded"))
}

#[test]
fn what_is_no_part_is_refused_and_nothing_panics() {
    let (trials, blocks, payload) = one_of_each();
    assert!(trials.read_part(blocks.clone(), &payload).is_ok());
    for length in 0..payload.len() {
        let refused = trials.read_part(blocks.clone(), &payload[..length]);
        assert!(matches!(
            refused,
            Err(Error::Part(PartError::Length { .. }))
        ));
    }
    let longer = [&payload[..], &[0]].concat();
    let refused = trials
        .read_part(blocks.clone(), &longer)
        .expect_err("longer");
    assert_eq!(
        refused.to_string(),
        "the part has more bytes than its 3 blocks take"
    );
    let mut other = payload.clone();
    other[0] = 9;
    let refused = trials.read_part(blocks.clone(), &other);
    assert_eq!(
        refused.expect_err("another version").to_string(),
        "the part has version 9: expected 1"
    );

    // Every byte altered, one by one: it is refused, or read and put together without harm.
    let mut refused = 0;
    for place in 0..payload.len() {
        for bits in [0x01, 0x80, 0xff] {
            let mut altered = payload.clone();
            altered[place] ^= bits;
            match trials.read_part(blocks.clone(), &altered) {
                Err(_) => refused += 1,
                Ok(part) => {
                    let first = trials.read_part(0..1, &blocks_of_rappor()[0]);
                    let mut gathering = trials.gather();
                    gathering.add(first.expect("a part")).expect("the first");
                    let _ = gathering.add(part);
                }
            }
        }
    }
    // Counts, names of batches, and widths of integers do not fit then.
    assert!(
        refused > payload.len() / 4,
        "{refused} of {}",
        payload.len()
    );
}

#[test]
fn parts_are_those_of_their_blocks_and_follow_each_other() {
    let trials = rappor(1).trials().clone();
    let block = |number: usize| &blocks_of_rappor()[number];
    let read = |blocks: Range<u64>, number| trials.read_part(blocks, block(number));
    for blocks in [6..7, 3..3, 0..7] {
        let refused = read(blocks.clone(), 0).expect_err("no such blocks");
        let said = format!(
            "the part has blocks {} to {}: the run has 6",
            blocks.start, blocks.end
        );
        assert_eq!(refused.to_string(), said);
    }
    // The last block of a trial has fewer clients.
    assert!(matches!(
        read(4..5, 5),
        Err(Error::Part(PartError::Clients { .. }))
    ));
    // A block of the second trial has no truth.
    assert!(read(0..1, 3).is_err());
    // One of another trial has none either: its first bytes are read as one, and what follows is no batch of this trial.
    let refused = read(1..2, 4).expect_err("no truth");
    assert!(
        matches!(refused, Error::Part(_) | Error::Batch(_)),
        "{refused:?}"
    );

    let mut gathering = trials.gather();
    let refused = gathering
        .add(read(1..2, 1).expect("a part"))
        .expect_err("not the first");
    assert_eq!(
        refused.to_string(),
        "a part ends at block 0, and the next one begins at block 1"
    );
    let mut gathering = trials.gather();
    gathering
        .add(read(0..1, 0).expect("a part"))
        .expect("the first");
    let refused = gathering.outcome().expect_err("one of six");
    assert_eq!(refused.to_string(), "1 of 6 blocks are there");

    // The second trial alone has nothing to compare its estimates with.
    let mut second = read(3..4, 3).expect("a part");
    trials
        .extend(&mut second, read(4..5, 4).expect("a part"))
        .expect("the next one");
    let refused = trials.extend(&mut second, read(5..6, 5).expect("a part"));
    assert!(matches!(refused, Err(Error::Part(PartError::UnknownTruth))));
}

#[test]
fn blocks_that_there_are_not_are_not_run() {
    fn refused<P: DpPolicy<Measurement: Measured>>(simulation: &Simulation<P>) -> String {
        let work = simulation.work();
        let refused = work.run_blocks(4..7, &|_| ()).expect_err("six blocks");
        refused.to_string()
    }
    assert_eq!(
        refused(&rappor(1)),
        "blocks is 4..7: expected some of the blocks 0..6"
    );
}

#[test]
fn statistics_that_the_estimates_do_not_have_are_refused() {
    let simulation = rappor(1);
    let work = simulation.ideal_work().expect("a known law");
    let part = work.run_blocks(0..1, &|_| ()).expect("a trial");
    let payload = part.payload().expect("encoded");
    let trials = work.trials();
    trials.read_part(0..1, &payload).expect("a part");
    // Behind the version and times, three counts and six times; at the end five coordinates of five numbers.
    let coordinates = payload.len() - 5 * 5 * 8;
    let is_margin = |place: usize| place >= coordinates && (place - coordinates) / 8 % 5 == 3;
    for place in (9 + 9 * 8..payload.len()).filter(|place| !is_margin(*place)) {
        let mut altered = payload.clone();
        altered[place] ^= 0x40;
        let refused = trials.read_part(0..1, &altered);
        let named = Err(PartError::Statistics { trial: 0 });
        let refused = refused.map(|_| ()).map_err(|error| match error {
            Error::Part(error) => error,
            other => panic!("{place}: {other}"),
        });
        assert_eq!(refused, named, "{place}");
    }
}
