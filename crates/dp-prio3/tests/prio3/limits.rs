//! Bounds have two sides: what is at one is taken, what is one beyond is refused.

use dp_prio3::message::EncodedAggregateShare;
use dp_prio3::{Batch, BatchError, CollectError, SignedField as _};
use prio::codec::Encode;
use prio::field::Field128;

use crate::support::{Task, batch_name, histogram_laplace, limited_parts, rng};

/// Two buckets, from 2 to 3 reports.
fn task() -> Task {
    Task::new(limited_parts(&histogram_laplace(2, 2), 2, 3), 21)
}

/// A batch with this number of reports, and the totals 2 and −1.
fn holding(task: &Task, aggregator: usize, name: &str, reports: u64) -> Batch {
    let batch = task.aggregators[aggregator].new_batch(&batch_name(name));
    batch.holding(&[2, -1], reports).expect("no more than are allowed")
}

/// What the batch shows and releases, which is equal for equal batches.
fn state(batch: Batch) -> (String, EncodedAggregateShare) {
    (format!("{batch:?}"), batch.finish_seeded(&mut rng(3)).expect("released"))
}

#[test]
fn batches_merge_up_to_the_most_reports_and_are_left_as_they_are_beyond() {
    for (one, other) in [(0, 3), (1, 2), (3, 0), (2, 2), (1, 3), (3, 1), (3, 3)] {
        // Two tasks with their own stores, but one key: their states are equal.
        let [task, untouched] = [(); 2].map(|()| {
            let parts = limited_parts(&histogram_laplace(2, 2), 1, 3);
            Task::new(parts, 21)
        });
        let mut batch = holding(&task, 0, "a day", one);
        let merged = batch.merge(holding(&task, 0, "a day", other));
        if one + other <= 3 {
            merged.expect("no more than are allowed");
            assert_eq!(batch.reports(), one + other);
        } else {
            let full = BatchError::BatchFull { reports: one + other, max_reports: 3 };
            assert_eq!(merged.unwrap_err().to_string(), full.to_string());
            assert_eq!(state(batch), state(holding(&untouched, 0, "a day", one)));
        }
    }
    let more = task().aggregators[0].new_batch(&batch_name("a day"));
    assert!(matches!(more.holding(&[2, -1], 4), Err(BatchError::BatchFull { reports: 4, .. })));
}

#[test]
fn a_batch_is_merged_with_one_of_its_aggregator_and_name_only() {
    let (task, untouched, other_task) = (task(), task(), Task::new(histogram_laplace(2, 2), 21));
    let mut batch = holding(&task, 0, "a day", 2);
    for other in [
        holding(&task, 1, "a day", 1),
        holding(&task, 0, "another day", 1),
        holding(&other_task, 0, "a day", 1),
        // Another store of seen reports.
        holding(&untouched, 0, "a day", 1),
    ] {
        assert!(matches!(batch.merge(other), Err(BatchError::ForeignBatch)));
    }
    assert_eq!(state(batch), state(holding(&untouched, 0, "a day", 2)));
}

/// The shares of two aggregators of a batch with a given number of reports.
fn shares(task: &Task, reports: u64) -> Vec<EncodedAggregateShare> {
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
    for (reports, accepted) in
        [(0, false), (1, false), (2, true), (3, true), (4, false), (u64::MAX, false)]
    {
        for share in &mut shares {
            share.reports = reports;
        }
        match task.collector.collect(&shares) {
            Ok(collection) => assert!(accepted && collection.reports == reports),
            Err(error) => {
                let said = format!("reports is {reports}: expected an integer from 2 to 3");
                assert!(!accepted && error.to_string() == said, "{error}");
            }
        }
    }
}

#[test]
fn a_total_at_the_end_of_its_range_is_taken_and_one_beyond_is_not() {
    let task = task();
    let mut shares = shares(&task, 2);
    let range = task.policy.total_range(2);
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
                let said = format!("total {index} is {total}, outside {lowest} to {highest}: ");
                let error = collected.expect_err("beyond the range");
                assert!(
                    matches!(&error, CollectError::OutOfRange { total: out, .. } if *out == total)
                );
                assert!(error.to_string().starts_with(&said), "{error}");
            }
        }
    }
}
