//! Bounds have two sides: what is at one is taken, what is one beyond is refused.

use std::collections::HashSet;

use crate::support::{
    CONTEXT, Task, alone, batch_name, epsilon, histogram_laplace, laplace, rational, rng,
};
use dp_calibration::Budget;
use dp_ledger::{Ledger, Terms};
use dp_prio3::message::EncodedAggregateShare;
use dp_prio3::randomizers::RandomizedResponse;
use dp_prio3::replay::{MemoryReports, OpenWindows, ReportKey, Seen, SeenReports};
use dp_prio3::spending::{SpendingCollector, SpendingError};
use dp_prio3::types::{Count, L1BoundSum, MAX_INPUT_LENGTH, MeasurementType, SumVec};
use dp_prio3::{
    Batch, BatchError, ClientNoise, CollectError, Collector, CompensatedRappor, HistogramLaplace,
    MultihotRappor, PolicyDescription, Rejections, SignedField, Stage, TrustModel, Window,
};
use prio::codec::Encode;
use prio::field::Field128;

/// Two buckets, from 2 to 3 reports.
fn task() -> Task<HistogramLaplace> {
    let policy = histogram_laplace(2, 2).with_max_reports(3).expect("valid");
    Task::new(policy.with_min_reports(2).expect("valid"), 21)
}

fn holding(
    task: &Task<HistogramLaplace>,
    aggregator: usize,
    name: &str,
    reports: u64,
) -> Batch<HistogramLaplace> {
    let batch = task.aggregators[aggregator].new_batch(&batch_name(name));
    let batch = batch.holding(&[2, -1], reports);
    batch.expect("no more than are allowed")
}

fn state(batch: &Batch<HistogramLaplace>) -> Vec<u8> {
    let mut bytes = Vec::new();
    batch.write_state(&mut bytes).expect("fits");
    bytes
}

#[test]
fn batches_merge_up_to_the_most_reports_and_are_left_as_they_are_beyond() {
    let task = task();
    for (one, other) in [(0, 3), (1, 2), (3, 0), (2, 2), (1, 3), (3, 1), (3, 3)] {
        let mut batch = holding(&task, 0, "a day", one);
        let before = state(&batch);
        let merged = batch.merge(holding(&task, 0, "a day", other));
        if one + other <= 3 {
            merged.expect("no more than are allowed");
            assert_eq!(batch.reports(), one + other);
        } else {
            let full = BatchError::BatchFull {
                reports: one + other,
                max_reports: 3,
            };
            assert_eq!(merged.unwrap_err().to_string(), full.to_string());
            assert_eq!(state(&batch), before);
        }
    }
    let more = task.aggregators[0].new_batch(&batch_name("a day"));
    assert!(matches!(
        more.holding(&[2, -1], 4),
        Err(BatchError::BatchFull { reports: 4, .. })
    ));
}

#[test]
fn a_batch_is_merged_with_one_of_its_aggregator_and_name_only() {
    let task = task();
    let other_task = Task::new(histogram_laplace(2, 2), 21);
    for other in [
        holding(&task, 1, "a day", 1),
        holding(&task, 0, "another day", 1),
        holding(&other_task, 0, "a day", 1),
    ] {
        let mut batch = holding(&task, 0, "a day", 1);
        let before = state(&batch);
        assert!(matches!(batch.merge(other), Err(BatchError::ForeignBatch)));
        assert_eq!(state(&batch), before);
    }
}

/// The shares of two aggregators of a batch of so many reports.
fn shares(task: &Task<HistogramLaplace>, reports: u64) -> Vec<EncodedAggregateShare> {
    let finish = |aggregator| {
        let batch = holding(task, aggregator, &reports.to_string(), reports);
        batch.finish_seeded(&mut rng(3)).expect("released")
    };
    vec![finish(0), finish(1)]
}

#[test]
fn batches_are_released_from_the_fewest_reports_on() {
    let task = task();
    for reports in [0, 1] {
        let batch = holding(&task, 0, &reports.to_string(), reports);
        let refused = batch.finish_seeded(&mut rng(3)).unwrap_err();
        assert!(matches!(
            refused,
            BatchError::TooFewReports { reports: said, min_reports: 2, .. } if said == reports
        ));
    }
    for reports in [2, 3] {
        let released = shares(&task, reports);
        assert_eq!(task.collector.collect(&released).unwrap().reports, reports);
    }
}

#[test]
fn a_collector_takes_as_many_reports_as_a_batch_may_have_and_no_others() {
    let task = task();
    let mut shares = shares(&task, 2);
    for (reports, accepted) in [
        (0, false),
        (1, false),
        (2, true),
        (3, true),
        (4, false),
        (u64::MAX, false),
    ] {
        for share in &mut shares {
            share.reports = reports;
        }
        match task.collector.collect(&shares) {
            Ok(collection) => assert!(accepted && collection.reports == reports),
            Err(CollectError::TooFewReports { min_reports: 2, .. }) => assert!(reports < 2),
            Err(CollectError::TooManyReports { max_reports: 3, .. }) => assert!(reports > 3),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_total_at_the_end_of_its_range_is_taken_and_one_beyond_is_not() {
    let task = task();
    let mut shares = shares(&task, 2);
    let range = task.collector.policy().total_range(2);
    let (lowest, highest) = (*range.start(), *range.end());
    let encoded = |totals: [i128; 2]| {
        let entries = totals.map(|total| Field128::from_signed(total).expect("fits"));
        entries.map(|entry| entry.get_encoded().unwrap()).concat()
    };
    shares[1].share = encoded([0, 0]);
    for index in 0..2 {
        for total in [lowest - 1, lowest, 0, highest, highest + 1] {
            let mut totals = [1, 1];
            totals[index] = total;
            shares[0].share = encoded(totals);
            let collected = task.collector.collect(&shares);
            if range.contains(&total) {
                assert_eq!(collected.unwrap().totals, totals);
            } else {
                let expected = CollectError::OutOfRange {
                    index,
                    total,
                    lowest,
                    highest,
                };
                assert_eq!(collected, Err(expected));
            }
        }
    }
}

#[test]
fn totals_of_randomized_reports_reach_from_nothing_to_all_bits() {
    let response = RandomizedResponse::new(epsilon("1")).unwrap();
    let count = ClientNoise::new(Count::new(2).unwrap(), response).unwrap();
    assert_eq!(count.total_range(10), 0..=10);
    // 55 of 60 are honest: each of two aggregators adds the bits of 45.
    let clients = MultihotRappor::one_hot(2, 4, epsilon("2"), &rational("1e-9")).unwrap();
    let compensated = CompensatedRappor::new(clients, 100, 5).unwrap();
    assert_eq!(compensated.total_range(60), 0..=60 + 2 * 45);
    assert_eq!(compensated.total_range(105), 0..=105);
    let vectors = laplace(SumVec::new(2, 3, 7).unwrap(), "1");
    let noise = -vectors.total_range(10).start();
    assert_eq!(*vectors.total_range(10).end(), 70 + noise);
}

#[test]
fn a_collector_pays_for_a_batch_of_exactly_the_fewest_reports() {
    let task = task();
    let limit = Budget::Pure {
        epsilon: epsilon("100"),
    };
    let model = TrustModel::OneAggregatorOneClient;
    let purse = Ledger::new(Terms::new(limit).with_trust_model(model)).unwrap();
    let collector = Collector::new(task.policy.clone(), CONTEXT).unwrap();
    let collector = SpendingCollector::new(collector, purse, model, &alone()).unwrap();
    // The policy's own bound counts where it is larger.
    assert_eq!(collector.cost().minimum_batch(), 2);
    let mut collector = collector.with_minimum_batch(1).with_minimum_batch(3);
    assert_eq!(collector.cost().minimum_batch(), 3);
    assert!(matches!(
        collector.collect("two", &shares(&task, 2)),
        Err(SpendingError::TooFewReports {
            reports: 2,
            minimum: 3
        })
    ));
    assert!(collector.ledger().entries().is_empty());
    let paid = collector.collect("three", &shares(&task, 3)).unwrap();
    assert_eq!(paid.collection.reports, 3);
}

#[test]
fn every_stage_is_counted_by_itself_and_has_a_name_of_its_own() {
    let names: HashSet<String> = Stage::ALL.iter().map(Stage::to_string).collect();
    assert_eq!(names.len(), Stage::ALL.len());
    assert!(names.contains("replay") && names.contains("batch full"));
    assert!(Stage::ALL.is_sorted());
    let mut all = Rejections::default();
    for (place, stage) in (1..).zip(Stage::ALL) {
        let mut counts = Rejections::default();
        counts.add(stage);
        counts.add(stage);
        all.add(stage);
        for other in Stage::ALL {
            assert_eq!(counts.at(other), if other == stage { 2 } else { 0 });
        }
        assert_eq!((counts.total(), all.total()), (2, place));
    }
}

#[test]
fn the_rejections_of_merged_batches_add_up() {
    let mut task = task();
    let mut altered = task.report(&1);
    altered.public.public_share.push(0);
    let rejection = task.verify(altered).unwrap_err();
    let batch = |rejections| {
        let mut batch = holding(&task, 0, "a day", 1);
        (0..rejections).for_each(|_| batch.reject(&rejection));
        batch
    };
    let mut one = batch(2);
    one.merge(batch(5)).unwrap();
    assert_eq!(one.rejections().at(rejection.stage()), 7);
    assert_eq!(one.rejections().total(), 7);
}

#[test]
fn windows_are_open_from_the_first_on_and_never_open_again() {
    let said = |open: OpenWindows, window| open.refuses(Window(window));
    let open = OpenWindows::new(Window(5), 3);
    for (window, expected) in [
        (0, Some(Seen::Expired)),
        (4, Some(Seen::Expired)),
        (5, None),
        (7, None),
        (8, Some(Seen::Early)),
        (u64::MAX, Some(Seen::Early)),
    ] {
        assert_eq!(said(open, window), expected, "{window}");
    }
    assert_eq!(open.advanced(Window(4)), open);
    assert_eq!(open.advanced(Window(6)), OpenWindows::new(Window(6), 3));
    let last = OpenWindows::new(Window(u64::MAX), 2);
    assert_eq!(said(last, u64::MAX), None);
    assert_eq!(said(OpenWindows::new(Window(0), 0), 0), Some(Seen::Early));

    let store = MemoryReports::new(2);
    let spend = |window, key| store.spend(Window(window), &ReportKey([key; 32])).unwrap();
    assert_eq!((spend(0, 1), spend(1, 1)), (Seen::New, Seen::New));
    assert_eq!((spend(0, 1), spend(2, 1)), (Seen::Repeated, Seen::Early));
    store.expire_before(Window(1)).unwrap();
    store.expire_before(Window(0)).unwrap();
    // What is spent in a window that is open stays so.
    assert_eq!((spend(0, 2), spend(1, 1)), (Seen::Expired, Seen::Repeated));
    assert_eq!((spend(2, 1), spend(3, 1)), (Seen::New, Seen::Early));
}

/// Each entry and their sum take ⌊log₂ max⌋ + 1 bits, all of them at most 2^24; and entries that are all as large as
/// one may be add up to at most (p − 1)/2, p = 2^128 − 7·2^66 + 1.
#[test]
fn bounded_sums_are_taken_up_to_the_last_bit_and_the_last_sum() {
    let chunks = |length, max, chunk| L1BoundSum::with_chunk_length(2, length, max, chunk);
    for (length, max, bits) in [
        (1, 1, 2),
        (4, 3, 10),
        (4, 4, 15),
        (7, 255, 64),
        (7, 256, 72),
    ] {
        assert!(chunks(length, max, bits).is_ok());
        assert!(chunks(length, max, 1).is_ok());
        for refused in [0, bits + 1] {
            assert_eq!(
                chunks(length, max, refused).unwrap_err().to_string(),
                format!("chunk_length is {refused}: expected an integer from 1 to {bits}")
            );
        }
        let vectors = laplace(L1BoundSum::new(2, length, max).unwrap(), "1");
        assert_eq!(vectors.measurement_type().max_entry(), max);
        let noise = -vectors.total_range(10).start();
        let largest = i128::try_from(10 * max).unwrap();
        assert_eq!(*vectors.total_range(10).end(), largest + noise);
    }

    let half = i128::MAX.unsigned_abs() - (7 << 65) + 1;
    for length in [1, 2, 3, 1000] {
        let max = half / u128::try_from(length).unwrap();
        assert!(L1BoundSum::new(2, length, max).is_ok(), "{length}");
        let refused = L1BoundSum::new(2, length, max + 1).unwrap_err();
        assert_eq!(refused.name(), "max_measurement", "{refused}");
        assert!(L1BoundSum::new(2, length, 0).is_err());
    }
    // Four bits each, those of the sum among them.
    let most = MAX_INPUT_LENGTH / 4 - 1;
    assert!(L1BoundSum::new(2, most, 15).is_ok());
    for length in [0, most + 1] {
        assert_eq!(
            L1BoundSum::new(2, length, 15).unwrap_err().to_string(),
            format!("length is {length}: expected an integer from 1 to {most}")
        );
    }
}
