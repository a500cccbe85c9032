//! Stores across a fork: only one process verifies a report and releases a batch.

use std::cell::RefCell;
use std::error::Error;
use std::sync::Arc;

use dp_prio3::message::ReportShare;
use dp_prio3::releases::StoreError;
use dp_prio3::replay::{MemoryReports, ReplayCheck, ReportKey, SeenReports, TimeWindow};
use dp_prio3::store::{DirectoryReleases, DirectoryReports};
use dp_prio3::verification::verify_into;
use dp_prio3::{
    Aggregator, AggregatorNoise, Batch, BatchError, BatchName, Budget, Client, Forked, Measurement,
    Policy, Stage, Stores, Vdaf, VerifyKey,
};
use dp_tests::fork::{Child, alone, two};
use prio::codec::Encode as _;

const REFUSED: &[u8] = b"refused";

pub(crate) fn policy() -> Policy {
    let histogram = Vdaf::Histogram { aggregators: 2, length: 5, chunk_length: None };
    let budget = Budget::Pure { epsilon: "1".parse().expect("positive") };
    let policy = Policy::with_noise(histogram, AggregatorNoise::DiscreteLaplace { budget });
    policy.expect("calibrated")
}

/// Leader and helper of the task `task`, which share these stores.
fn aggregators(task: &str, stores: &Stores) -> [Aggregator; 2] {
    let (policy, key) = (policy(), VerifyKey::from_bytes([7; 32]));
    [0, 1].map(|id| {
        let (policy, key) = (policy.clone(), key.clone());
        Aggregator::new(policy, id, key, task.as_bytes(), stores.clone()).expect("valid")
    })
}

/// The shares of one report for the task, leader first.
fn report(task: &str) -> Vec<ReportShare> {
    let client = Client::new(policy(), task.as_bytes()).expect("a short context");
    client.report(Measurement::Bucket(3)).expect("valid").into_shares()
}

fn name() -> BatchName {
    "a day".parse().expect("a name")
}

/// The leader's batch with one report.
fn batch(aggregators: &[Aggregator; 2], task: &str) -> Batch {
    let mut batches = aggregators.each_ref().map(|one| one.new_batch(&name()));
    verify_into(aggregators, &mut batches, &report(task)).expect("valid");
    let [leader, _] = batches;
    leader
}

/// `refused` if the store refuses a forked process, else `kept` or the error's message.
fn said<T>(result: Result<T, StoreError>) -> Vec<u8> {
    let Err(error) = result else {
        return b"kept".to_vec();
    };
    match error.source().and_then(|source| source.downcast_ref::<Forked>()) {
        Some(_) => REFUSED.to_vec(),
        None => error.to_string().into_bytes(),
    }
}

/// The share of the released batch, or [`said`] for its error.
fn finished(batch: &RefCell<Option<Batch>>) -> Vec<u8> {
    let batch = batch.borrow_mut().take().expect("one release in each process");
    match batch.finish() {
        Ok(share) => share.get_encoded().expect("short"),
        Err(BatchError::Store(error)) => said::<()>(Err(error)),
        Err(error) => error.to_string().into_bytes(),
    }
}

/// `verified`, `refused` if the store refuses the report, or the message of another rejection.
fn verified(aggregator: &Aggregator, report: &ReportShare) -> Vec<u8> {
    match aggregator.verify_init(report) {
        Ok(_) => b"verified".to_vec(),
        Err(rejection) if rejection.stage == Stage::Store => REFUSED.to_vec(),
        Err(rejection) => rejection.to_string().into_bytes(),
    }
}

#[test]
fn a_batch_with_stores_in_memory_is_released_by_the_process_that_made_them() {
    let _alone = alone();
    let task = "released by one";
    let aggregators = aggregators(task, &Stores::forgotten_at_restart());
    let batch = RefCell::new(Some(batch(&aggregators, task)));
    assert_eq!(two(|| finished(&batch)), [REFUSED, REFUSED]);
    assert_eq!(two(|| said(aggregators[0].released(&name()))), [REFUSED, REFUSED]);
    let share = finished(&batch);
    let kept = aggregators[0].released(&name()).unwrap().expect("it was released");
    assert_eq!(kept.get_encoded().unwrap(), share);
}

/// An aggregator that a forked process makes with these stores is refused too.
#[test]
fn a_report_is_verified_by_the_process_that_made_the_store_in_memory() {
    let _alone = alone();
    let task = "verified by one";
    let stores = Stores::forgotten_at_restart();
    let parents = aggregators(task, &stores);
    let report = report(task);
    assert_eq!(two(|| verified(&parents[0], &report[0])), [REFUSED, REFUSED]);
    let own = || verified(&aggregators(task, &stores)[0], &report[0]);
    assert_eq!(two(own), [REFUSED, REFUSED]);
    assert_eq!(verified(&parents[0], &report[0]), b"verified");
}

#[test]
fn seen_reports_on_the_disk_are_of_the_process_that_opened_them() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen");
    let seen = Arc::new(DirectoryReports::create(&path, 8).unwrap());
    let task = "seen on the disk";
    let releases = Arc::new(DirectoryReleases::open(folder.path()).unwrap());
    let stores = Stores::new(Arc::<DirectoryReports>::clone(&seen), releases);
    let aggregators = aggregators(task, &stores);
    let leaders = RefCell::new(Some(batch(&aggregators, task)));
    let spent = |key| seen.spend(TimeWindow(0), &ReportKey([key; 32]));
    assert_eq!(spent(1).unwrap(), ReplayCheck::New);

    assert_eq!(two(|| finished(&leaders)), [REFUSED, REFUSED]);
    assert_eq!(two(|| said(spent(2))), [REFUSED, REFUSED]);
    assert_eq!(two(|| said(seen.sync())), [REFUSED, REFUSED]);
    assert_eq!(two(|| said(seen.expire_before(TimeWindow(1)))), [REFUSED, REFUSED]);
    let open = || DirectoryReports::open(&path, 8).map_or(REFUSED.to_vec(), |_| b"open".to_vec());
    assert_eq!(two(open), [REFUSED, REFUSED]);

    // The process that opened it goes on, and finds all that it spent.
    assert_eq!(spent(1).unwrap(), ReplayCheck::Repeated);
    assert_eq!(spent(2).unwrap(), ReplayCheck::New);
    finished(&leaders);
    drop((aggregators, stores, seen));
    let seen = DirectoryReports::open(&path, 8).unwrap();
    assert_eq!(seen.spend(TimeWindow(0), &ReportKey([2; 32])).unwrap(), ReplayCheck::Repeated);
}

/// Three processes release one batch: each draws its own noise, and all return the first share.
#[test]
fn releases_on_the_disk_are_shared_by_all_processes() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let releases = Arc::new(DirectoryReleases::open(folder.path()).unwrap());
    let stores = Stores::new(Arc::new(MemoryReports::default()), releases);
    let task = "released on the disk";
    let aggregators = aggregators(task, &stores.without_replay_defence());
    let batch = RefCell::new(Some(batch(&aggregators, task)));
    let children: Vec<Child> = (0..3).map(|_| Child::start(|| finished(&batch))).collect();
    let mut shares: Vec<_> = children.into_iter().map(Child::join).collect();
    shares.push(finished(&batch));
    assert!(shares.iter().all(|share| *share == shares[0]));
    let kept = aggregators[0].released(&name()).unwrap().expect("it was released");
    assert_eq!(kept.get_encoded().unwrap(), shares[0]);
}
