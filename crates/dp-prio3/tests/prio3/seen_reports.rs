//! The calls of an aggregator to its store of seen reports.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use dp_prio3::releases::MemoryReleases;
use dp_prio3::replay::{MemoryReports, ReplayCheck, ReportKey, SeenReports, StoreError};
use dp_prio3::verification::verify;
use rand_core::Rng as _;

use crate::support::*;

/// A task whose aggregators share a store of seen reports.
fn with_store(store: &Arc<impl SeenReports + 'static>) -> Task {
    let stores = Stores::new(Arc::clone(store) as _, Arc::new(MemoryReleases::default()));
    Task::with_stores(histogram_laplace(2, 3), 1, || stores.clone())
}

/// A store that loses everything since the last sync in a crash.
#[derive(Debug, Default)]
struct Faulty {
    fails_to_spend: bool,
    fails_to_sync: bool,
    /// Whether it keeps nothing of what it confirms.
    forgets: bool,
    /// What is on the disk, and what is in memory.
    known: Mutex<[HashSet<ReportKey>; 2]>,
}

fn check_space(is_full: bool) -> Result<(), StoreError> {
    if is_full { Err(StoreError::new("no space left")) } else { Ok(()) }
}

impl SeenReports for Faulty {
    fn spend(&self, _: TimeWindow, report: &ReportKey) -> Result<ReplayCheck, StoreError> {
        check_space(self.fails_to_spend)?;
        let new = self.known.lock().expect("valid")[1].insert(*report);
        Ok(if new { ReplayCheck::New } else { ReplayCheck::Repeated })
    }

    fn sync(&self) -> Result<(), StoreError> {
        check_space(self.fails_to_sync)?;
        let [disk, memory] = &mut *self.known.lock().expect("valid");
        if !self.forgets {
            disk.clone_from(memory);
        }
        Ok(())
    }

    fn expire_before(&self, _: TimeWindow) -> Result<(), StoreError> {
        Ok(())
    }
}

#[test]
fn reports_of_expired_and_of_far_windows_are_rejected() {
    let store = Arc::new(MemoryReports::new(3));
    let mut task = with_store(&store);
    let client = task.client.clone();
    let of_window = |window| client.report_in(TimeWindow(window), Bucket(1)).unwrap();
    let [of_0, of_2] = [0, 2].map(of_window);
    for report in [&of_0, &of_2] {
        task.verify(report.clone()).unwrap();
    }
    let early = task.verify(of_window(3)).unwrap_err().to_string();
    assert_eq!(early, "report rejected at stage TimeWindow: window 3 is not open yet");
    assert_eq!(task.verify(of_window(u64::MAX)).unwrap_err().stage, Stage::TimeWindow);

    store.expire_before(TimeWindow(2)).unwrap();
    store.expire_before(TimeWindow(1)).unwrap();
    for (window, report) in [of_0, of_window(1)].into_iter().enumerate() {
        let expired = format!("report rejected at stage TimeWindow: window {window} has expired");
        assert_eq!(task.verify(report).unwrap_err().to_string(), expired);
    }
    // What is spent in a window that is open stays so.
    assert_eq!(task.verify(of_2).unwrap_err().stage, Stage::Replay);
    task.verify(of_window(2)).unwrap();
    task.verify(of_window(4)).unwrap();
    assert_eq!(task.verify(of_window(5)).unwrap_err().stage, Stage::TimeWindow);
    let batch = &task.batches[0];
    assert_eq!((batch.reports(), batch.rejections()[&Stage::TimeWindow]), (4, 5));
}

#[test]
fn a_store_that_fails_accepts_nothing() {
    let store = Arc::new(Faulty { fails_to_spend: true, ..Faulty::default() });
    let mut task = with_store(&store);
    let report = task.report(Bucket(1));
    assert_eq!(
        task.verify(report).unwrap_err().to_string(),
        "report rejected at stage Store: the store cannot be used: no space left"
    );
    let batch = &task.batches[0];
    assert_eq!((batch.reports(), batch.rejections()[&Stage::Store]), (0, 1));
}

#[test]
fn a_share_is_kept_and_released_only_when_its_reports_are_durable() {
    let mut task = with_store(&Arc::new(Faulty { fails_to_sync: true, ..Faulty::default() }));
    task.send(Bucket(1));
    let refused = task.next_batches().remove(0).finish().unwrap_err();
    assert_eq!(refused.to_string(), "the store cannot be used: no space left");
    assert_eq!(task.aggregators[0].released(&batch_name("0")).unwrap(), None);
}

/// A batch makes one store durable: what was spent in another one is not taken. Nor is the share of
/// another aggregator.
#[test]
fn a_batch_takes_the_shares_of_its_aggregator_and_store_only() {
    let mut task = Task::new(histogram_laplace(2, 3), 1);
    let others = task.aggregators_with(Stores::forgotten_at_restart);
    let report = task.report(Bucket(1)).into_shares();
    let outputs = [&task.aggregators, &others].map(|all| verify(all, &report).unwrap());
    let batch = &mut task.batches[0];
    // The first one is its own.
    for foreign in outputs.into_iter().flatten().skip(1) {
        assert_eq!(batch.accumulate(foreign).unwrap_err().stage, Stage::Confirmation);
    }
    assert_eq!((batch.reports(), batch.rejections()[&Stage::Confirmation]), (0, 3));
}

/// Reports that arrive again and again, batches that are released, and crashes at any moment. Gives
/// the most released shares that one report is in.
fn most_releases(forgets: bool) -> u64 {
    let store = Arc::new(Faulty { forgets, ..Faulty::default() });
    let mut task = with_store(&store);
    let reports: Vec<_> = (0..40).map(|_| task.report(Bucket(1))).collect();
    let (mut rng, mut released, mut members) = (rng(1), vec![0; reports.len()], Vec::new());
    for _ in 1..2000 {
        match rng.next_u32() % 20 {
            0 => {
                let [disk, memory] = &mut *store.known.lock().expect("valid");
                memory.clone_from(disk);
            }
            1 if !members.is_empty() => {
                drop(task.finish());
                members.iter().for_each(|member: &usize| released[*member] += 1);
            }
            _ => {
                let number = usize::try_from(rng.next_u32()).expect("valid") % reports.len();
                if task.verify(reports[number].clone()).is_ok() {
                    members.push(number);
                }
                continue;
            }
        }
        // A batch does not outlive a crash, nor its release.
        task.next_batches();
        members.clear();
    }
    released.into_iter().max().expect("valid")
}

#[test]
fn whenever_it_crashes_no_report_is_in_two_released_shares() {
    assert_eq!(most_releases(false), 1);
    // The planted fault: a store that does not keep what it confirmed.
    assert!(most_releases(true) > 1);
}
