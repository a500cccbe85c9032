//! The calls of an aggregator to its store of seen reports.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use dp_prio3::Measurement::Bucket;
use dp_prio3::message::ReportShare;
use dp_prio3::releases::{MemoryReleases, ReleaseKey, ReleaseStore};
use dp_prio3::replay::{
    MemoryReports, ReplayCheck, ReportKey, SeenReports, StoreError, TimeWindow,
};
use dp_prio3::verification::verify_into;
use dp_prio3::{Batch, BatchError, Stage, Stores};
use rand_core::Rng as _;

use crate::support::{Task, batch_name, batches, histogram_laplace, rng};

/// A task whose aggregators share a store of seen reports.
fn with_store(store: &Arc<dyn SeenReports>) -> Task {
    let releases = Arc::new(MemoryReleases::default());
    let stores = Stores::new(Arc::clone(store), releases);
    Task::with_stores(histogram_laplace(2, 3), 1, || stores.clone())
}

#[test]
fn reports_of_expired_and_of_far_windows_are_rejected() {
    let store: Arc<dyn SeenReports> = Arc::new(MemoryReports::new(3));
    let mut task = with_store(&store);
    let of_window = |task: &mut Task, window: u64| {
        let report = task.client.report_in(TimeWindow(window), Bucket(1)).unwrap();
        (report.clone(), task.verify(report))
    };
    let (of_0, taken) = of_window(&mut task, 0);
    taken.unwrap();
    let (of_2, taken) = of_window(&mut task, 2);
    taken.unwrap();
    let early = of_window(&mut task, 3).1.unwrap_err();
    assert_eq!(early.to_string(), "report rejected at stage TimeWindow: window 3 is not open yet");
    let early = of_window(&mut task, u64::MAX).1.unwrap_err();
    assert_eq!(early.stage, Stage::TimeWindow);

    store.expire_before(TimeWindow(2)).unwrap();
    store.expire_before(TimeWindow(1)).unwrap();
    for report in [of_0, task.client.report_in(TimeWindow(1), Bucket(1)).unwrap()] {
        let window = report.public.window;
        let expired = task.verify(report).unwrap_err();
        assert_eq!(
            expired.to_string(),
            format!("report rejected at stage TimeWindow: window {} has expired", window.0)
        );
    }
    // What is spent in a window that is open stays so.
    assert_eq!(task.verify(of_2).unwrap_err().stage, Stage::Replay);
    of_window(&mut task, 2).1.unwrap();
    of_window(&mut task, 4).1.unwrap();
    assert_eq!(of_window(&mut task, 5).1.unwrap_err().stage, Stage::TimeWindow);
    let batch = &task.batches[0];
    assert_eq!((batch.reports(), batch.rejections()[&Stage::TimeWindow]), (4, 5));
}

/// A store without space, from some point on.
#[derive(Debug, Default)]
struct Failing {
    spends: bool,
    known: MemoryReports,
}

impl SeenReports for Failing {
    fn spend(&self, window: TimeWindow, report: &ReportKey) -> Result<ReplayCheck, StoreError> {
        if self.spends {
            self.known.spend(window, report)
        } else {
            Err(StoreError::new("no space left"))
        }
    }

    fn sync(&self) -> Result<(), StoreError> {
        Err(StoreError::new("no space left"))
    }

    fn expire_before(&self, _: TimeWindow) -> Result<(), StoreError> {
        Err(StoreError::new("no space left"))
    }
}

#[test]
fn a_store_that_fails_accepts_nothing() {
    let store: Arc<dyn SeenReports> = Arc::new(Failing::default());
    let mut task = with_store(&store);
    let report = task.report(Bucket(1));
    let rejection = task.verify(report).unwrap_err();
    assert_eq!(
        rejection.to_string(),
        "report rejected at stage Store: the store cannot be used: no space left"
    );
    assert_eq!(task.batches[0].rejections()[&Stage::Store], 1);
    assert_eq!(task.batches[0].reports(), 0);
}

/// Panics if a share is kept.
#[derive(Debug)]
struct Untouched;

impl ReleaseStore for Untouched {
    fn keep(&self, _: &ReleaseKey, _: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        panic!("a share was kept before it was durable which reports are in it");
    }

    fn find(&self, _: &ReleaseKey) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(None)
    }
}

#[test]
fn a_share_is_kept_and_released_only_when_its_reports_are_durable() {
    let seen = Arc::new(Failing { spends: true, ..Failing::default() });
    let stores = Stores::new(seen, Arc::new(Untouched));
    let mut task = Task::with_stores(histogram_laplace(2, 3), 1, || stores.clone());
    task.send(Bucket(1));
    let refused = task.next_batches().remove(0).finish().unwrap_err();
    assert_eq!(refused.to_string(), "the store cannot be used: no space left");
}

/// A batch makes one store durable: what was spent in another one is not taken.
#[test]
fn a_batch_takes_no_report_that_was_spent_elsewhere() {
    let task = Task::new(histogram_laplace(2, 3), 1);
    let others = task.aggregators_with(Stores::forgotten_at_restart);
    let report = task.client.report(Bucket(1)).unwrap().into_shares();
    let outputs = dp_prio3::verification::verify(&others, &report).unwrap();
    let mut batch = task.aggregators[0].new_batch(&batch_name("a"));
    for output in outputs {
        assert_eq!(batch.accumulate(output).unwrap_err().stage, Stage::Confirmation);
    }
    let other = others[0].new_batch(&batch_name("a"));
    assert!(matches!(batch.merge(other), Err(BatchError::ForeignBatch)));
}

/// A store that loses everything since the last sync in a crash. With `syncs` false it is broken.
#[derive(Debug)]
struct Crashing {
    syncs: bool,
    /// What is on the disk, and what is in memory.
    known: Mutex<[HashSet<ReportKey>; 2]>,
}

impl Crashing {
    fn crash(&self) {
        let [disk, memory] = &mut *self.known.lock().expect("valid");
        memory.clone_from(disk);
    }
}

impl SeenReports for Crashing {
    fn spend(&self, _: TimeWindow, report: &ReportKey) -> Result<ReplayCheck, StoreError> {
        let new = self.known.lock().expect("valid")[1].insert(*report);
        Ok(if new { ReplayCheck::New } else { ReplayCheck::Repeated })
    }

    fn sync(&self) -> Result<(), StoreError> {
        let [disk, memory] = &mut *self.known.lock().expect("valid");
        if self.syncs {
            disk.clone_from(memory);
        }
        Ok(())
    }

    fn expire_before(&self, _: TimeWindow) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Reports that arrive again and again, batches that are released, and crashes at any moment. Gives
/// the most released shares that one report is in.
fn most_releases(syncs: bool) -> u64 {
    let store = Arc::new(Crashing { syncs, known: Mutex::default() });
    let seen: Arc<dyn SeenReports> = Arc::clone(&store) as _;
    let mut task = with_store(&seen);
    let reports: Vec<Vec<ReportShare>> =
        (0..40).map(|_| task.report(Bucket(1)).into_shares()).collect();
    let mut rng = rng(1);
    let mut released = vec![0; reports.len()];
    let aggregators = &task.aggregators;
    let (mut sums, mut members) = (batches(aggregators, 0), Vec::new());
    for step in 1..2000_u64 {
        match rng.next_u32() % 20 {
            0 => store.crash(),
            1 if !members.is_empty() => {
                sums.into_iter().for_each(|batch: Batch| drop(batch.finish().expect("valid")));
                members.iter().for_each(|member: &usize| released[*member] += 1);
            }
            _ => {
                let number = usize::try_from(rng.next_u32()).expect("valid") % reports.len();
                if verify_into(aggregators, &mut sums, &reports[number]).is_ok() {
                    members.push(number);
                }
                continue;
            }
        }
        // A batch does not outlive a crash, nor its release.
        (sums, members) = (batches(aggregators, step), Vec::new());
    }
    released.into_iter().max().expect("valid")
}

#[test]
fn whenever_it_crashes_no_report_is_in_two_released_shares() {
    assert_eq!(most_releases(true), 1);
    // The planted fault: a store that does not keep what it confirmed.
    assert!(most_releases(false) > 1);
}
