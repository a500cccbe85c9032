//! A report counts once: its id is spent when an aggregator begins to verify it.

use std::thread;

use prio::codec::Encode as _;
use prio::vdaf::Client as _;
use prio::vdaf::prio3::Prio3;

use crate::support::*;

/// What prio alone does, without the defence, is the planted fault of all tests here.
#[test]
fn a_replayed_report_is_rejected_and_counted_and_without_the_defence_it_counts_again() {
    let mut task = Task::new(histogram_laplace(2, 3), 1);
    let report = task.report(Bucket(1));
    task.verify(report.clone()).unwrap();
    for _ in 0..5 {
        assert_eq!(
            task.verify(report.clone()).unwrap_err().to_string(),
            "report rejected at stage Replay: this report has been verified before"
        );
    }
    task.send(Bucket(2));
    for batch in &task.batches {
        assert_eq!(batch.rejections().iter().collect::<Vec<_>>(), [(&Stage::Replay, &5)]);
    }
    assert_eq!(task.exact_totals(), (2, vec![0, 1, 1]));

    let stores = || Stores::forgotten_at_restart().without_replay_defence();
    let mut task = Task::with_stores(histogram_laplace(2, 3), 1, stores);
    let report = task.report(Bucket(1));
    for _ in 0..5 {
        task.verify(report.clone()).unwrap();
    }
    assert_eq!(task.exact_totals(), (5, vec![0, 5, 0]));
}

/// An attacker who learns a nonce before its report arrives cannot shut the honest client out: a
/// report of his own under that nonce, valid or not, has another id.
#[test]
fn another_report_under_the_nonce_of_an_honest_one_spends_nothing_of_it() {
    let mut task = Task::new(histogram_laplace(2, 3), 1);
    let honest = task.report(Bucket(1));
    let mut invalid = task.bound(&honest);
    invalid.private[0].input_share[3] ^= 1;
    let invalid = task.bound(&invalid);
    assert_eq!(task.verify(invalid).unwrap_err().stage, Stage::Proof);

    let nonce = honest.public.nonce;
    let chunk_length = task.policy.chunk_length().unwrap();
    let prio = Prio3::new_histogram(2, 3, chunk_length).unwrap();
    let (public, shares) = prio.shard(CONTEXT, &2, &nonce).unwrap();
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
    let mut task = Task::new(histogram_laplace(2, 3), 1);
    let honest = task.report(Bucket(1));
    let mut truncated = honest.clone();
    truncated.private[0].input_share.pop();
    let bound = task.bound(&truncated);
    for _ in 0..3 {
        assert_eq!(task.verify(truncated.clone()).unwrap_err().stage, Stage::Binding);
        assert_eq!(task.verify(bound.clone()).unwrap_err().stage, Stage::Upload);
    }
    task.verify(honest).unwrap();
}

#[test]
fn of_threads_that_race_for_a_report_one_verifies() {
    let mut task = Task::new(histogram_laplace(2, 3), 1);
    let reports: Vec<_> = (0..40).map(|_| task.report(Bucket(1)).into_shares()).collect();
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

/// Also with another key, under which the same shares would reveal more to the other aggregator.
/// Nothing joins aggregators but their stores: tests of one process do not disturb each other.
#[test]
fn clones_and_aggregators_with_the_same_stores_alone_verify_and_release_nothing_again() {
    let stores = Stores::forgotten_at_restart();
    let mut task = Task::with_stores(histogram_laplace(2, 3), 1, || stores.clone());
    let report = task.report(Bucket(1));
    task.verify(report.clone()).unwrap();
    task.next_batches().remove(0).finish().unwrap();

    let clones = task.aggregators.clone();
    let same_stores = task.aggregators_with(|| stores.clone());
    let independent = task.aggregators_with(Stores::forgotten_at_restart);
    task.key = VerifyKey::from_bytes([2; 32]);
    let other_key = task.aggregators_with(|| stores.clone());
    for (aggregators, is_known) in
        [(clones, true), (same_stores, true), (other_key, true), (independent, false)]
    {
        task.batches = batches(&aggregators, 0);
        task.aggregators = aggregators;
        let again = task.verify(report.clone()).map_err(|rejection| rejection.stage);
        task.send(Bucket(2));
        let released = task.batches.remove(0).finish();
        if is_known {
            assert_eq!(again, Err(Stage::Replay));
            assert!(matches!(released, Err(BatchError::AlreadyReleased { .. })), "{released:?}");
        } else {
            again.expect("a report that these stores do not know");
            released.expect("a batch that these stores do not know");
        }
    }
}
