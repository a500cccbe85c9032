//! Aggregate shares say what they are about, and are released once.

use std::sync::Arc;

use dp_prio3::Measurement::{Bucket, Integers};
use dp_prio3::message::{EncodedAggregateShare, ReportShare};
use dp_prio3::releases::{MemoryReleases, ReleaseKey, ReleaseStore, StoreError};
use dp_prio3::replay::MemoryReports;
use dp_prio3::verification::verify_into;
use dp_prio3::{BatchError, Collector, Parts, Stores};
use prio::codec::Encode as _;

use crate::support::{
    CONTEXT, Task, batch_name, batches, histogram, histogram_laplace, laplace, limited_parts,
    noise_parts, policy_of, pure, sum_vec,
};

fn four_buckets(epsilon: &str) -> Parts {
    noise_parts(histogram(2, 4), laplace(pure(epsilon)))
}

#[test]
fn shares_of_another_task_are_refused() {
    let mut task = Task::new(four_buckets("0.1"), 5);
    task.send(Bucket(1));
    let own = task.finish();
    assert!(task.collector.collect(&own).is_ok());

    // Another epsilon, under the same context.
    let mut weaker = Task::new(four_buckets("100"), 6);
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
        let begins = format!("aggregator {aggregator} sends a share of task ");
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
    assert!(refused.starts_with("aggregator 1 sends batch "), "{refused}");
    let renamed =
        mixed.map(|share| EncodedAggregateShare { batch: batch_name("one name"), ..share });
    for mixed in [renamed, [first[0].clone(), other_key[1].clone()]] {
        let refused = collector.collect(&mixed).unwrap_err().to_string();
        assert_eq!(refused, "aggregator 1 adds up other reports than aggregator 0");
    }
}

/// Empty seen reports, and these releases.
fn remembering(releases: &Arc<dyn ReleaseStore>) -> Stores {
    Stores::new(Arc::new(MemoryReports::default()), Arc::clone(releases))
}

/// A batch of these buckets, as often as it is verified anew: as after a restart.
fn released_again(
    task: &Task,
    reports: &[Vec<ReportShare>],
    releases: &Arc<dyn ReleaseStore>,
) -> Result<EncodedAggregateShare, BatchError> {
    let aggregators = task.aggregators_with(|| remembering(releases).without_replay_defence());
    let mut batches = batches(&aggregators, 1);
    for report in reports {
        verify_into(&aggregators, &mut batches, report).expect("honest reports");
    }
    batches.remove(0).finish()
}

#[test]
fn who_asks_again_for_a_batch_gets_the_same_noise() {
    let mut task = Task::new(histogram_laplace(2, 4), 5);
    let reports: Vec<_> = (0..4).map(|bucket| task.report(Bucket(bucket)).into_shares()).collect();
    let releases: Arc<dyn ReleaseStore> = Arc::new(MemoryReleases::default());
    let first = released_again(&task, &reports, &releases).unwrap();
    for _ in 0..3 {
        assert_eq!(released_again(&task, &reports, &releases).unwrap(), first);
    }
    // Nor are the reports needed, which an aggregator that remembers them would refuse.
    assert_eq!(task.aggregators[0].released(&first.batch).unwrap(), None);
    let aggregator = task.aggregators_with(|| remembering(&releases)).remove(0);
    assert_eq!(aggregator.released(&first.batch).unwrap().as_ref(), Some(&first));
    assert_eq!(aggregator.released(&batch_name("other")).unwrap(), None);
    // Elsewhere the noise is fresh, so the store is what makes the shares equal.
    let elsewhere: Arc<dyn ReleaseStore> = Arc::new(MemoryReleases::default());
    let fresh = released_again(&task, &reports, &elsewhere).unwrap();
    assert_ne!(fresh.share, first.share);

    // One report fewer under the same name: the difference would be that report.
    let refused = released_again(&task, &reports[1..], &releases).unwrap_err();
    assert!(matches!(refused, BatchError::AlreadyReleased { .. }));
}

/// Gives back a share, whatever was asked for.
#[derive(Debug)]
struct MixedUp(Vec<u8>);

impl ReleaseStore for MixedUp {
    fn keep(&self, _: &ReleaseKey, _: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(Some(self.0.clone()))
    }

    fn find(&self, _: &ReleaseKey) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(Some(self.0.clone()))
    }
}

/// What the store has of this batch is released in its place. A share that differs from it in
/// anything but the noise is not.
#[test]
fn a_share_of_anything_else_is_not_released_for_a_batch() {
    let mut task = Task::new(histogram_laplace(2, 4), 5);
    let reports = [task.report(Bucket(1)).into_shares()];
    let memory: Arc<dyn ReleaseStore> = Arc::new(MemoryReleases::default());
    let own = released_again(&task, &reports, &memory).unwrap();
    let from_store = |share: &EncodedAggregateShare| {
        let store: Arc<dyn ReleaseStore> = Arc::new(MixedUp(share.get_encoded().unwrap()));
        released_again(&task, &reports, &store)
    };
    assert_eq!(from_store(&own).unwrap(), own);

    let mut others = [(); 4].map(|()| own.clone());
    others[0].task.0[31] ^= 1;
    others[1].batch = batch_name("another");
    others[2].reports += 1;
    others[3].checksum.0[31] ^= 1;
    for other in others {
        let refused = from_store(&other).unwrap_err();
        assert!(matches!(refused, BatchError::AlreadyReleased { .. }));
    }
}

/// So that two batches of other reports have the same checksum by chance only, and what merged ones
/// hold is known.
#[test]
fn the_checksum_of_reports_is_the_exclusive_or_of_theirs() {
    let mut task = Task::new(histogram_laplace(2, 4), 5);
    let reports = [0, 1, 2].map(|bucket| task.report(Bucket(bucket)).into_shares());
    let checksum = |which: &[usize]| {
        let releases: Arc<dyn ReleaseStore> = Arc::new(MemoryReleases::default());
        let reports: Vec<_> = which.iter().map(|place| reports[*place].clone()).collect();
        released_again(&task, &reports, &releases).unwrap().checksum.0
    };
    let each = [0, 1, 2].map(|place| checksum(&[place]));
    let sum = |one: [u8; 32], other: [u8; 32]| {
        let mut bytes = one.into_iter().zip(other);
        [(); 32].map(|()| bytes.next().map_or(0, |(one, other)| one ^ other))
    };
    assert_eq!(checksum(&[0, 1]), sum(each[0], each[1]));
    assert_eq!(checksum(&[0, 1, 2]), sum(sum(each[0], each[1]), each[2]));
}

#[test]
fn every_parameter_and_the_context_are_part_of_the_digest() {
    let digest =
        |parts: Parts, context: &[u8]| *Collector::new(policy_of(parts), context).unwrap().task();
    let own = digest(four_buckets("0.1"), CONTEXT);
    assert_eq!(own, digest(four_buckets("0.10"), CONTEXT));
    assert_ne!(own, digest(four_buckets("0.2"), CONTEXT));
    assert_ne!(own, digest(four_buckets("0.1"), b"b"));
    assert_ne!(own, digest(limited_parts(&four_buckets("0.1"), 1, 7), CONTEXT));
    let task = Task::new(four_buckets("0.1"), 1);
    assert_eq!((task.aggregators[1].task(), task.client.task()), (&own, &own));
}
