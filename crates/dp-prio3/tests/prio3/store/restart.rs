//! Aggregators that are started again: no report counts twice, no batch is released with other
//! noise, and what was released can be had again though its reports are refused.

use std::path::Path;
use std::sync::Arc;

use dp_prio3::store::{DirectoryReleases, DirectoryReports};

use super::place;
use crate::support::*;

/// The aggregators start as a process starts them, with stores that they share.
fn restart(task: &mut Task, folder: &Path) {
    // Stores that are open cannot be opened again.
    task.batches.clear();
    task.aggregators.clear();
    let seen = DirectoryReports::open(folder.join("seen"), 1).expect("valid");
    let releases = DirectoryReleases::open(folder).expect("valid");
    let stores = Stores::new(Arc::new(seen), Arc::new(releases));
    task.aggregators = task.aggregators_with(|| stores.clone());
    task.batches = batches(&task.aggregators, 0);
}

/// How many of the reports are taken, and the batch of the leader.
fn run(task: &mut Task, reports: &[Report]) -> (usize, Result<EncodedAggregateShare, BatchError>) {
    let mut taken = 0;
    for report in reports {
        match task.verify(report.clone()) {
            Ok(()) => taken += 1,
            Err(rejection) => assert_eq!(rejection.stage, Stage::Replay),
        }
    }
    (taken, task.batches.remove(0).finish())
}

#[test]
fn what_was_released_is_given_again_and_its_reports_are_refused() {
    let (folder, seen) = place();
    drop(DirectoryReports::create(seen, 1).unwrap());
    let mut task = Task::new(histogram_gaussian(2, 5), 1);
    let reports = [0, 1, 2, 3, 4].map(|bucket| task.report(Bucket(bucket)));
    let (day, tomorrow) = (batch_name("0"), batch_name("1"));
    restart(&mut task, folder.path());
    assert_eq!(task.aggregators[0].released(&day).unwrap(), None);
    let (taken, released) = run(&mut task, &reports[..4]);
    let released = released.unwrap();
    assert_eq!((taken, released.reports), (4, 4));

    // With the same key and, later, with another one.
    for key in [task.key.clone(), VerifyKey::from_bytes([2; 32])] {
        task.key = key;
        restart(&mut task, folder.path());
        let (taken, again) = run(&mut task, &reports[..4]);
        assert_eq!(taken, 0);
        assert!(matches!(again, Err(BatchError::TooFewReports { .. })));
        let [leader, helper] = [0, 1].map(|number: usize| &task.aggregators[number]);
        assert_eq!(leader.released(&day).unwrap().as_ref(), Some(&released));
        // The helper released nothing, nor anybody another day.
        assert_eq!(helper.released(&day).unwrap(), None);
        assert_eq!(leader.released(&tomorrow).unwrap(), None);
    }

    restart(&mut task, folder.path());
    let (taken, other) = run(&mut task, &reports);
    assert_eq!(taken, 1);
    assert!(matches!(other, Err(BatchError::AlreadyReleased { .. })));
}
