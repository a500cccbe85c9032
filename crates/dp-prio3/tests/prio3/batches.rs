//! What a batch holds, from which another batch goes on, and its bounds. They have two sides: what
//! is at one is taken, what is one beyond is refused.

use dp_prio3::SignedField as _;
use prio::codec::Encode;
use prio::field::Field128;

use crate::support::*;

/// Two buckets, from a number of reports to 3.
fn task(min_reports: u64) -> Task {
    Task::new(limited_parts(&histogram_laplace(2, 2), min_reports, 3), 21)
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
        let [task, untouched] = [1, 1].map(task);
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
    let more = task(2).aggregators[0].new_batch(&batch_name("a day"));
    assert!(matches!(more.holding(&[2, -1], 4), Err(BatchError::BatchFull { reports: 4, .. })));
}

#[test]
fn a_batch_is_merged_with_one_of_its_aggregator_and_name_only() {
    let (task, untouched, other_task) = (task(2), task(2), Task::new(histogram_laplace(2, 2), 21));
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

/// The shares of two aggregators of a batch with 2 reports.
fn shares(task: &Task) -> Vec<EncodedAggregateShare> {
    let batches = [0, 1].map(|aggregator| holding(task, aggregator, "a day", 2));
    batches.map(|batch| state(batch).1).to_vec()
}

#[test]
fn a_collector_takes_as_many_reports_as_a_batch_may_have_and_no_others() {
    let task = task(2);
    let mut shares = shares(&task);
    for reports in [0, 1, 2, 3, 4, u64::MAX] {
        shares.iter_mut().for_each(|share| share.reports = reports);
        let collected = task.collector.collect(&shares);
        if (2..=3).contains(&reports) {
            assert_eq!(collected.unwrap().reports, reports);
        } else {
            let said = format!("reports is {reports}: expected an integer from 2 to 3");
            assert_eq!(collected.unwrap_err().to_string(), said);
        }
    }
}

#[test]
fn a_total_at_the_end_of_its_range_is_taken_and_one_beyond_is_not() {
    let task = task(2);
    let mut shares = shares(&task);
    let range = task.policy.total_range(2);
    let (lowest, highest) = (*range.start(), *range.end());
    let encoded = |totals: [i128; 2]| {
        let entries = totals.map(|total| Field128::from_signed(total).expect("fits"));
        entries.map(|entry| entry.get_encoded().unwrap()).concat()
    };
    shares[1].share = encoded([0, 0]);
    for index in 0..2 {
        for total in [lowest - 1, lowest, 0, highest, highest + 1] {
            // They add up to the number of reports, or almost.
            let mut totals = [(2 - total).clamp(lowest, highest); 2];
            totals[index] = total;
            shares[0].share = encoded(totals);
            let collected = task.collector.collect(&shares);
            if range.contains(&total) {
                assert_eq!(collected.unwrap().totals, totals);
            } else {
                let said = format!("total {index} is {total}, outside {lowest} to {highest}: ");
                let error = collected.expect_err("beyond the range");
                assert!(error.to_string().starts_with(&said), "{error}");
                assert!(matches!(error, CollectError::OutOfRange { total: t, .. } if t == total));
            }
        }
    }
    // The sum of both is 2 and noise.
    let Err(CollectError::SumOutOfRange { sum, reports: 2, reach }) =
        task.collector.estimates(&[highest, highest], 2)
    else {
        panic!("totals of another batch")
    };
    assert_eq!(sum, 2 * highest);
    assert!(task.collector.estimates(&[1, 1 - reach], 2).is_ok());
    assert!(task.collector.estimates(&[1, 2 + reach], 2).is_err());
}

#[test]
fn a_batch_goes_on_from_the_totals_of_its_reports() {
    let mut task = Task::new(histogram_laplace(2, 3), 1);
    task.send(Bucket(0));
    task.send(Bucket(2));
    let (reports, totals) = task.exact_totals();
    assert_eq!((reports, &totals[..]), (2, &[1, 0, 1][..]));

    // The leader's batch holds all of them, the helper's nothing; a further report joins both.
    task.send(Bucket(2));
    let mut resumed = batches(&task.aggregators, 1).into_iter();
    for (batch, share) in task.batches.iter_mut().zip([&totals[..], &[0; 3]]) {
        let resumed = resumed.next().expect("two aggregators").holding(share, 2);
        batch.merge(resumed.expect("as many entries")).expect("of one aggregator");
    }
    let mut altered = task.report(Bucket(1));
    altered.public.public_share.push(0);
    task.verify(altered).expect_err("an altered report");
    for batch in &task.batches {
        assert_eq!((batch.reports(), batch.rejections().values().sum::<u64>()), (3, 1));
    }
    // The collector accepts their shares: they are of the same reports.
    assert_eq!(task.exact_totals(), (3, vec![1, 0, 2]));
}

#[test]
fn a_share_of_another_length_or_beyond_the_field_is_refused() {
    let task = Task::new(histogram_laplace(2, 3), 1);
    let refused = |share: &[i128]| {
        let batch = batches(&task.aggregators, 0).remove(0).holding(share, 1);
        batch.expect_err("no share of it").to_string()
    };
    assert_eq!(refused(&[0; 2]), "share length is 2: expected 3");
    assert!(refused(&[0, i128::MIN, 0]).starts_with(&format!("total is {}: expected", i128::MIN)));
}
