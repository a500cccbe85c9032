//! Aggregate shares say what they are about, and are released once. The collector refuses altered
//! ones.

use std::sync::Arc;

use dp_prio3::releases::{MemoryReleases, ReleaseKey, ReleaseStore, StoreError};
use dp_prio3::replay::MemoryReports;
use prio::codec::Encode as _;

use crate::support::*;

#[test]
fn shares_of_another_task_are_refused() {
    let mut task = Task::new(histogram_laplace(2, 4), 5);
    task.send(Bucket(1));
    let own = task.finish();
    assert!(task.collector.collect(&own).is_ok());

    // Another epsilon, under the same context.
    let mut weaker = Task::new(noise_parts(histogram(2, 4), laplace(pure("100"))), 6);
    weaker.send(Bucket(1));
    let foreign = weaker.finish();
    // Another context, with the same policy.
    let elsewhere = Collector::new(task.policy.clone(), b"elsewhere").unwrap();
    let one_of_each = [own[0].clone(), foreign[1].clone()];
    for (collector, shares, aggregator) in [
        (&task.collector, &foreign[..], 0),
        (&elsewhere, &own, 0),
        (&task.collector, &one_of_each, 1),
    ] {
        let refused = collector.collect(shares).unwrap_err().to_string();
        let begins = format!("task of aggregator {aggregator} is ");
        assert!(refused.starts_with(&begins), "{refused}");
    }
}

/// One report that aggregators of either key verified, and then two batches of as many reports
/// under one name. The range is so wide that mixed totals lie in it as often as not.
#[test]
fn shares_of_other_reports_or_keys_are_refused_however_wide_the_range() {
    let parts = || noise_parts(sum_vec(2, 5, 1 << 106), laplace(pure("1")));
    let mut tasks = [1, 2].map(|seed| Task::new(parts(), seed));
    let measurement = Integers(&[1, 2, 3, 4, 5]);
    let report = tasks[0].report(measurement);
    let [first, other_key] = tasks.each_mut().map(|task| {
        task.verify(report.clone()).unwrap();
        task.finish()
    });
    tasks[0].send(measurement);
    let second = tasks[0].finish();
    let collector = &tasks[0].collector;
    for shares in [&first, &other_key, &second] {
        assert!(collector.collect(shares).is_ok());
    }
    let mixed = [first[0].clone(), second[1].clone()];
    let refused = collector.collect(&mixed).unwrap_err().to_string();
    assert!(refused.starts_with("batch of aggregator 1 is "), "{refused}");
    let renamed =
        mixed.map(|share| EncodedAggregateShare { batch: batch_name("one name"), ..share });
    for mixed in [renamed, [first[0].clone(), other_key[1].clone()]] {
        let refused = collector.collect(&mixed).unwrap_err().to_string();
        assert!(refused.starts_with("checksum of aggregator 1 is "), "{refused}");
    }
}

/// A batch of these reports by aggregators that start with these releases and no seen reports.
fn released_again(
    task: &mut Task,
    reports: &[Report],
    releases: &Arc<dyn ReleaseStore>,
) -> Result<EncodedAggregateShare, BatchError> {
    let seen = Arc::new(MemoryReports::default());
    let stores = || Stores::new(Arc::clone(&seen) as _, Arc::clone(releases));
    task.aggregators = task.aggregators_with(stores);
    task.batches = batches(&task.aggregators, 1);
    for report in reports {
        task.verify(report.clone()).expect("honest reports");
    }
    task.batches.remove(0).finish()
}

fn no_releases() -> Arc<dyn ReleaseStore> {
    Arc::new(MemoryReleases::default())
}

#[test]
fn who_asks_again_for_a_batch_gets_the_same_noise() {
    let mut task = Task::new(histogram_laplace(2, 4), 5);
    let reports = [0, 1, 2, 3].map(|bucket| task.report(Bucket(bucket)));
    let batch = batch_name("1");
    assert_eq!(task.aggregators[0].released(&batch).unwrap(), None);
    let releases = no_releases();
    let first = released_again(&mut task, &reports, &releases).unwrap();
    for _ in 0..3 {
        assert_eq!(released_again(&mut task, &reports, &releases).unwrap(), first);
        // Nor are the reports needed, which an aggregator that remembers them would refuse.
        assert_eq!(task.aggregators[0].released(&batch).unwrap().as_ref(), Some(&first));
    }
    assert_eq!(task.aggregators[0].released(&batch_name("other")).unwrap(), None);
    // One report fewer under the same name: the difference would be that report.
    let refused = released_again(&mut task, &reports[1..], &releases).unwrap_err();
    assert!(matches!(refused, BatchError::AlreadyReleased { .. }));
    // Elsewhere the noise is fresh, so the store is what makes the shares equal.
    let fresh = released_again(&mut task, &reports, &no_releases()).unwrap();
    assert_ne!(fresh.share, first.share);
}

/// Gives back a share, whatever was asked for.
#[derive(Debug)]
struct MixedUp(Vec<u8>);

impl ReleaseStore for MixedUp {
    fn keep(&self, _: &ReleaseKey, _: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(Some(self.0.clone()))
    }

    fn find(&self, batch: &ReleaseKey) -> Result<Option<Vec<u8>>, StoreError> {
        self.keep(batch, &[])
    }
}

/// What the store has of this batch is released in its place. A share that differs from it in
/// anything but the noise is not.
#[test]
fn a_share_of_anything_else_is_not_released_for_a_batch() {
    let mut task = Task::new(histogram_laplace(2, 4), 5);
    let reports = [task.report(Bucket(1))];
    let own = released_again(&mut task, &reports, &no_releases()).unwrap();
    let mut from_store = |share: &EncodedAggregateShare| {
        let store: Arc<dyn ReleaseStore> = Arc::new(MixedUp(share.get_encoded().unwrap()));
        released_again(&mut task, &reports, &store)
    };
    assert_eq!(from_store(&own).unwrap(), own);

    let mut others = [(); 4].map(|()| own.clone());
    others[0].task.0[31] ^= 1;
    others[1].batch = batch_name("another");
    others[2].reports += 1;
    others[3].checksum.0[31] ^= 1;
    for other in &others {
        let refused = from_store(other).unwrap_err();
        assert!(matches!(refused, BatchError::AlreadyReleased { .. }));
    }
    let released = |share: &EncodedAggregateShare| {
        let store = Arc::new(MixedUp(share.get_encoded().unwrap()));
        let stores = || Stores::new(Arc::new(MemoryReports::default()), Arc::clone(&store) as _);
        task.aggregators_with(stores)[0].released(&batch_name("1"))
    };
    assert_eq!(released(&own).unwrap(), Some(own.clone()));
    let helpers = EncodedAggregateShare { aggregator: 1, ..own };
    for other in [&others[0], &others[1], &helpers] {
        let refused = released(other).unwrap_err().to_string();
        assert!(refused.contains("under batch 1 it keeps a share of aggregator"), "{refused}");
    }
}

/// So that two batches of other reports have the same checksum by chance only, and what merged ones
/// hold is known.
#[test]
fn the_checksum_of_reports_is_the_exclusive_or_of_theirs() {
    let mut task = Task::new(histogram_laplace(2, 4), 5);
    let reports = [0, 1, 2].map(|bucket| task.report(Bucket(bucket)));
    let mut checksum =
        |reports: &[Report]| released_again(&mut task, reports, &no_releases()).unwrap().checksum.0;
    let each = reports.each_ref().map(|report| checksum(std::slice::from_ref(report)));
    let sum = |which: &[usize]| {
        std::array::from_fn(|at| which.iter().fold(0, |sum, place| sum ^ each[*place][at]))
    };
    assert_eq!(checksum(&reports[..2]), sum(&[0, 1]));
    assert_eq!(checksum(&reports), sum(&[0, 1, 2]));
}

/// The collector's error on the shares of three aggregators over five reports, after `alter`.
fn refusal(alter: impl FnOnce(&mut Vec<EncodedAggregateShare>)) -> CollectError {
    let mut task = Task::new(histogram_laplace(3, 4), 5);
    [0, 1, 2, 3, 3].into_iter().for_each(|bucket| task.send(Bucket(bucket)));
    let mut shares = task.finish();
    alter(&mut shares);
    task.collector.collect(&shares).expect_err("altered shares are refused")
}

#[test]
fn a_missing_an_additional_and_a_doubled_share_are_refused() {
    let alterations: [(&Alteration<Vec<EncodedAggregateShare>>, &str); 5] = [
        (&|shares| drop(shares.pop()), "[0, 1]"),
        (&|shares| shares.push(shares[0].clone()), "[0, 0, 1, 2]"),
        (&|shares| shares[2] = shares[0].clone(), "[0, 0, 1]"),
        (&|shares| shares[2].aggregator = 3, "[0, 1, 3]"),
        (&Vec::clear, "[]"),
    ];
    for (alter, present) in alterations {
        let error = refusal(alter);
        assert!(matches!(error, CollectError::NotOneOfEach { last: 2, .. }));
        let said = format!("of the aggregators {present}: expected one of each from 0 to 2");
        assert_eq!(error.to_string(), format!("aggregate shares {said}"));
    }
}

#[test]
fn truncated_lengthened_and_unreduced_shares_are_refused() {
    let alterations: [&Alteration<Vec<u8>>; 4] = [
        &|bytes| bytes.truncate(bytes.len() - 1),
        &|bytes| bytes.push(0),
        &Vec::clear,
        // All ones exceeds the modulus.
        &|bytes| bytes[..16].fill(0xff),
    ];
    for alter in alterations {
        let error = refusal(|shares| alter(&mut shares[1].share));
        assert!(matches!(error, CollectError::Malformed { aggregator: 1, .. }));
        let said = "the aggregate share of aggregator 1 cannot be decoded: ";
        assert!(error.to_string().starts_with(said), "{error}");
    }
}
