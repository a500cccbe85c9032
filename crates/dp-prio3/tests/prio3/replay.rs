//! A report counts once: its nonce is spent when an aggregator begins to verify it.

use std::thread;

use crate::support::{Task, histogram_laplace, laplace};
use dp_prio3::message::ReportShare;
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::verification::{verify, verify_into};
use dp_prio3::{Aggregator, HistogramLaplace, Stage};

fn task() -> Task<HistogramLaplace> {
    Task::new(histogram_laplace(2, 3), 1)
}

#[test]
fn a_replayed_report_is_rejected_and_counted_and_the_totals_are_right() {
    let mut task = task();
    let report = task.report(&1);
    task.verify(report.clone()).unwrap();
    for _ in 0..5 {
        let rejection = task.verify(report.clone()).unwrap_err();
        assert_eq!(rejection.stage(), Stage::Replay);
        assert_eq!(
            rejection.to_string(),
            "report rejected at stage replay: \
             a report of this nonce has been verified before"
        );
    }
    task.send(&2);
    for batch in &task.batches {
        assert_eq!(batch.rejections().at(Stage::Replay), 5);
        assert_eq!(batch.rejections().total(), 5);
    }
    assert_eq!(task.exact_totals(), (2, vec![0, 1, 1]));
}

/// What prio alone does: the planted fault of all tests here.
#[test]
fn without_the_defence_a_replayed_report_counts_again() {
    let mut task = task().without_replay_defence();
    let report = task.report(&1);
    for _ in 0..5 {
        task.verify(report.clone()).unwrap();
    }
    assert_eq!(task.exact_totals(), (5, vec![0, 5, 0]));
}

#[test]
fn a_report_is_not_taken_into_a_later_batch_either() {
    let mut task = task();
    let report = task.report(&1);
    task.verify(report.clone()).unwrap();
    task.finish();
    assert_eq!(task.verify(report).unwrap_err().stage(), Stage::Replay);
}

#[test]
fn another_report_of_a_seen_nonce_is_rejected_whatever_became_of_the_first() {
    let mut task = task();
    let first = task.report(&1);
    let mut second = task.report(&2);
    second.nonce = first.nonce;
    task.verify(first).unwrap();
    assert_eq!(task.verify(second).unwrap_err().stage(), Stage::Replay);

    let honest = task.report(&1);
    let mut altered = honest.clone();
    altered.input_shares[0][3] ^= 1;
    assert!(task.verify(altered).is_err());
    assert_eq!(task.verify(honest).unwrap_err().stage(), Stage::Replay);
    assert_eq!(task.exact_totals(), (1, vec![0, 1, 0]));
}

/// It may arrive whole the next time, and what is not read takes no memory.
#[test]
fn an_unreadable_report_does_not_spend_its_nonce() {
    let mut task = task();
    let honest = task.report(&1);
    let mut truncated = honest.clone();
    truncated.input_shares[0].pop();
    for _ in 0..3 {
        let rejection = task.verify(truncated.clone()).unwrap_err();
        assert_eq!(rejection.stage(), Stage::Upload);
    }
    task.verify(honest).unwrap();
}

#[test]
fn clones_of_an_aggregator_share_what_they_have_seen() {
    let mut task = task();
    let report = task.report(&1).into_shares();
    let clones = task.aggregators.clone();
    verify(&clones, &report).unwrap();
    let rejection = verify(&task.aggregators, &report).unwrap_err();
    assert_eq!(rejection.stage(), Stage::Replay);
}

#[test]
fn of_threads_that_race_for_a_nonce_one_verifies() {
    let mut task = task();
    let reports: Vec<_> = (0..40).map(|_| task.report(&1).into_shares()).collect();
    let leader = &task.aggregators[0];
    let verified = |report: &[ReportShare]| leader.verify_init(&report[0]).is_ok();
    let successes: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..6)
            .map(|_| scope.spawn(|| reports.iter().filter(|report| verified(report)).count()))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    assert_eq!(successes, reports.len());
}

/// A malicious client sends two valid reports of one nonce, and they reach the two aggregators in
/// different orders.
#[test]
fn two_reports_of_one_nonce_in_different_orders_count_once_at_most() {
    let mut task = task();
    let first = task.report(&1);
    let mut second = task.report(&2);
    second.nonce = first.nonce;
    let (first, second) = (first.into_shares(), second.into_shares());
    let [leader, helper] = &task.aggregators[..] else {
        panic!("two aggregators");
    };

    let (leader_state, leader_share) = leader.verify_init(&first[0]).unwrap();
    let (helper_state, helper_share) = helper.verify_init(&second[1]).unwrap();
    let late = leader.verify_init(&second[0]).unwrap_err();
    assert_eq!(late.stage(), Stage::Replay);
    let late = helper.verify_init(&first[1]).unwrap_err();
    assert_eq!(late.stage(), Stage::Replay);

    let shares = [leader_share, helper_share];
    assert!(leader.combine(&leader_state, &shares).is_err());
    assert!(helper.combine(&helper_state, &shares).is_err());
}

/// The same, with shares that do fit together. Then each aggregator has one output of them.
#[test]
fn a_report_and_its_copy_at_the_other_aggregator_count_once() {
    let mut task = task();
    let report = task.report(&1).into_shares();
    let copy = report.clone();
    let mixed = [report[0].clone(), copy[1].clone()];
    verify_into(&task.aggregators, &mut task.batches, &mixed).unwrap();
    let mixed = [copy[0].clone(), report[1].clone()];
    assert!(verify_into(&task.aggregators, &mut task.batches, &mixed).is_err());
    assert_eq!(task.exact_totals(), (1, vec![0, 1, 0]));
}

/// Whether an honest report verifies under another nonce.
fn verifies_renamed<V: MeasurementType>(measurement_type: V, measurement: &V::Measurement) -> bool {
    let mut task = Task::new(laplace(measurement_type, "1"), 1);
    let mut report = task.report(measurement);
    report.nonce[5] ^= 1;
    task.verify(report).is_ok()
}

/// A proof without joint randomness does not depend on the nonce: there the encryption that
/// carries a report share must authenticate the nonce, or a copy under another name counts.
#[test]
fn which_types_bind_a_report_to_its_nonce_is_as_documented() {
    assert!(verifies_renamed(Count::new(2).unwrap(), &true));
    assert!(verifies_renamed(Sum::new(2, 5).unwrap(), &3));
    assert!(verifies_renamed(Average::new(2, 5).unwrap(), &3));
    assert!(!verifies_renamed(Histogram::new(2, 3).unwrap(), &1));
    let sum_vec = SumVec::new(2, 2, 3).unwrap();
    assert!(!verifies_renamed(sum_vec, &[1, 3][..]));
    let multihot = MultihotCountVec::new(2, 3, 2).unwrap();
    assert!(!verifies_renamed(multihot, &[true, false, true][..]));
    assert!(!verifies_renamed(
        L1BoundSum::new(2, 2, 3).unwrap(),
        &[1, 2][..]
    ));
}

#[test]
fn every_aggregator_remembers_for_itself() {
    let mut task = Task::new(histogram_laplace(5, 2), 1);
    let report = task.report(&1).into_shares();
    for (aggregator, share) in task.aggregators.iter().zip(&report) {
        assert!(aggregator.verify_init(share).is_ok());
        assert!(aggregator.verify_init(share).is_err());
    }
    let forgetful: Vec<_> = task
        .aggregators
        .drain(..)
        .map(Aggregator::without_replay_defence)
        .collect();
    verify(&forgetful, &report).unwrap();
}
