//! A report counts once: its id is spent when an aggregator begins to verify it.

use std::sync::Arc;
use std::thread;

use crate::support::{CONTEXT, Task, batch_name, histogram_laplace, laplace};
use dp_prio3::message::{Report, ReportShare};
use dp_prio3::types::Count;
use dp_prio3::types::Histogram;
use dp_prio3::verification::{verify, verify_into};
use dp_prio3::{
    Aggregator, AggregatorNoise, BatchError, Client, DpPolicy as _, Stage, TimeWindow, VerifyKey,
};
use prio::codec::Encode as _;
use prio::vdaf::Client as _;

fn task() -> Task<AggregatorNoise<Histogram>> {
    Task::new(histogram_laplace(2, 3), 1)
}

#[test]
fn a_replayed_report_is_rejected_and_counted_and_the_totals_are_right() {
    let mut task = task();
    let report = task.report(&1);
    task.verify(report.clone()).unwrap();
    for _ in 0..5 {
        let rejection = task.verify(report.clone()).unwrap_err();
        assert_eq!(rejection.stage, Stage::Replay);
        assert_eq!(
            rejection.to_string(),
            "report rejected at stage Replay: this report has been verified before"
        );
    }
    task.send(&2);
    for batch in &task.batches {
        assert_eq!(batch.rejections()[&Stage::Replay], 5);
        assert_eq!(batch.rejections().values().sum::<u64>(), 5);
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

/// An attacker who learns a nonce before its report arrives cannot shut the honest client out: a
/// report of his own under that nonce, valid or not, has another id.
#[test]
fn another_report_under_the_nonce_of_an_honest_one_spends_nothing_of_it() {
    let mut task = task();
    let honest = task.report(&1);
    let mut invalid = task.bound(&honest);
    invalid.private[0].input_share[3] ^= 1;
    let invalid = task.bound(&invalid);
    assert_eq!(task.verify(invalid).unwrap_err().stage, Stage::Proof);

    let nonce = honest.public.nonce;
    let (public, shares) = task.policy.vdaf().shard(CONTEXT, &2, &nonce).unwrap();
    let shares = shares.iter().map(|share| share.get_encoded().unwrap()).collect();
    let public = public.get_encoded().unwrap();
    let valid = Report::bind(task.client.task(), nonce, TimeWindow(0), public, shares).unwrap();
    task.verify(valid.clone()).unwrap();

    task.verify(honest.clone()).unwrap();
    for report in [valid, honest] {
        assert_eq!(task.verify(report).unwrap_err().stage, Stage::Replay);
    }
    // Both count, and do not cancel in the checksum.
    let checksums: Vec<_> = task.finish().iter().map(|share| share.checksum).collect();
    assert_eq!(checksums[0], checksums[1]);
    assert_ne!(checksums[0], dp_prio3::ReportChecksum::default());
}

/// It may arrive whole the next time, and unreadable reports take no memory.
#[test]
fn a_report_that_is_altered_on_its_way_or_unreadable_is_not_spent() {
    let mut task = task();
    let honest = task.report(&1);
    let mut truncated = honest.clone();
    truncated.private[0].input_share.pop();
    let bound = task.bound(&truncated);
    for _ in 0..3 {
        let rejection = task.verify(truncated.clone()).unwrap_err();
        assert_eq!(rejection.stage, Stage::Binding);
        let rejection = task.verify(bound.clone()).unwrap_err();
        assert_eq!(rejection.stage, Stage::Upload);
    }
    task.verify(honest).unwrap();
}

#[test]
fn of_threads_that_race_for_a_report_one_verifies() {
    let mut task = task();
    let reports: Vec<_> = (0..40).map(|_| task.report(&1).into_shares()).collect();
    let leader = &task.aggregators[0];
    let verified = |report: &[ReportShare]| leader.verify_init(&report[0]).is_ok();
    let successes: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..6)
            .map(|_| scope.spawn(|| reports.iter().filter(|report| verified(report)).count()))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(successes, reports.len());
}

/// A malicious client gives the aggregators different public parts, so that what is one
/// contribution would be of two reports, and the checksums of the whole batch would disagree.
#[test]
fn aggregators_that_were_given_different_reports_notice_it_before_they_count() {
    let mut task = Task::new(laplace(Count::new(2).unwrap(), "1"), 1);
    let first = task.report(&true);
    let mut second = first.clone();
    second.public.nonce[0] ^= 1;
    // The shares of a count fit together under any two nonces.
    let second = task.bound(&second).into_shares();
    let first = first.into_shares();
    let [leader, helper] = &task.aggregators[..] else {
        panic!("two aggregators");
    };

    let (leader_state, leader_share) = leader.verify_init(&first[0]).unwrap();
    let (helper_state, helper_share) = helper.verify_init(&second[1]).unwrap();
    let shares = [leader_share, helper_share];
    for refused in [leader.combine(&leader_state, &shares), helper.combine(&helper_state, &shares)]
    {
        assert_eq!(refused.unwrap_err().stage, Stage::VerifierShares);
    }
}

/// Also with another key, under which the same shares would reveal more to the other aggregator.
#[test]
fn two_aggregators_of_one_number_and_task_in_one_process_are_one() {
    let task = task();
    let context = b"two aggregators in one process";
    let client = Client::new(Arc::clone(&task.policy), context).unwrap();
    let aggregator = |id: usize, key: u8| {
        let key = VerifyKey::from_bytes([key; 32]);
        Aggregator::new(Arc::clone(&task.policy), id, key, context).unwrap()
    };
    let report = client.report(&1).unwrap().into_shares();
    let first = [aggregator(0, 1), aggregator(1, 1)];
    let name = batch_name("one");
    let mut batches = [first[0].new_batch(&name), first[1].new_batch(&name)];
    verify_into(&first, &mut batches, &report).unwrap();
    for key in [1, 2] {
        let again = verify(&[aggregator(0, key), aggregator(1, key)], &report);
        assert_eq!(again.unwrap_err().stage, Stage::Replay);
    }

    // Neither is a batch released twice.
    let [batch, _] = batches;
    batch.finish().unwrap();
    let second = [aggregator(0, 1), aggregator(1, 1)];
    let mut batches = [second[0].new_batch(&name), second[1].new_batch(&name)];
    let other = client.report(&2).unwrap().into_shares();
    verify_into(&second, &mut batches, &other).unwrap();
    let [batch, _] = batches;
    let refused = batch.finish().unwrap_err();
    assert!(matches!(refused, BatchError::AlreadyReleased { .. }));

    // Of another task or number they are others.
    let stranger =
        Aggregator::new(Arc::clone(&task.policy), 0, VerifyKey::from_bytes([1; 32]), CONTEXT);
    let report = task.client.report(&1).unwrap().into_shares();
    assert!(stranger.unwrap().verify_init(&report[0]).is_ok());
}
