//! Aggregators that are started again: no report counts twice, no batch is released with other
//! noise, and what was released can be had again though its reports are refused.

use std::path::Path;
use std::sync::Arc;

use dp_prio3::message::{EncodedAggregateShare, ReportShare};
use dp_prio3::store::{DirectoryReleases, DirectoryReports};
use dp_prio3::verification::verify_into;
use dp_prio3::{
    Aggregator, AggregatorNoise, Amount, BatchError, BatchName, Client, Measurement, Policy, Stage,
    Stores, Vdaf, VerifyKey,
};

const CONTEXT: &[u8] = b"restarts";

fn policy() -> Policy {
    let histogram = Vdaf::Histogram { aggregators: 2, length: 5, chunk_length: None };
    let (epsilon, delta) = ("1".parse().expect("valid"), "1e-9".parse().expect("valid"));
    let budget = Amount::Approximate { epsilon, delta };
    Policy::with_noise(histogram, AggregatorNoise::DiscreteGaussian { budget }).expect("valid")
}

fn day() -> BatchName {
    "2026-07-01".parse().expect("valid")
}

/// Two aggregators as a process starts them, with a store that both share.
fn start(folder: &Path, key: u8) -> [Aggregator; 2] {
    let path = folder.join("seen");
    let seen = if path.exists() {
        DirectoryReports::open(path, 1)
    } else {
        DirectoryReports::create(path, 1)
    };
    let seen = Arc::new(seen.expect("valid"));
    let releases = Arc::new(DirectoryReleases::open(folder).expect("valid"));
    let stores = Stores::new(seen, releases);
    [0, 1].map(|number| {
        let key = VerifyKey::from_bytes([key; 32]);
        Aggregator::new(policy(), number, key, CONTEXT, stores.clone()).expect("valid")
    })
}

/// How many of the reports are taken, and the batch of the leader.
fn run(
    aggregators: &[Aggregator; 2],
    reports: &[Vec<ReportShare>],
) -> (usize, Result<EncodedAggregateShare, BatchError>) {
    let mut batches = [0, 1].map(|number: usize| aggregators[number].new_batch(&day()));
    let mut taken = 0;
    for report in reports {
        match verify_into(aggregators, &mut batches, report) {
            Ok(()) => taken += 1,
            Err(rejection) => assert_eq!(rejection.stage, Stage::Replay),
        }
    }
    let [leader, _] = batches;
    (taken, leader.finish())
}

#[test]
fn what_was_released_is_given_again_and_its_reports_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let client = Client::new(policy(), CONTEXT).unwrap();
    let reports: Vec<_> = (0..5)
        .map(|bucket| client.report(Measurement::Bucket(bucket)).unwrap().into_shares())
        .collect();
    let aggregators = start(folder.path(), 1);
    assert_eq!(aggregators[0].released(&day()).unwrap(), None);
    let (taken, released) = run(&aggregators, &reports[..4]);
    let released = released.unwrap();
    assert_eq!((taken, released.reports), (4, 4));
    drop(aggregators);

    // With the same key and, later, with another one.
    for key in [1, 2] {
        let aggregators = start(folder.path(), key);
        let (taken, again) = run(&aggregators, &reports[..4]);
        assert_eq!(taken, 0);
        assert!(matches!(again, Err(BatchError::TooFewReports { .. })));
        let known = aggregators[0].released(&day()).unwrap();
        assert_eq!(known.as_ref(), Some(&released));
        // The helper released nothing, nor anybody another day.
        assert_eq!(aggregators[1].released(&day()).unwrap(), None);
        let tomorrow = "2026-07-02".parse().unwrap();
        assert_eq!(aggregators[0].released(&tomorrow).unwrap(), None);
    }

    let (taken, other) = run(&start(folder.path(), 1), &reports);
    assert_eq!(taken, 1);
    assert!(matches!(other, Err(BatchError::AlreadyReleased { .. })));
}
