//! A batch of which a tenth is garbage ends with the right answer.

use crate::support::alteration::{Alteration, Place, verify_altered};
use crate::support::forgery::{HistogramCircuit, forge, minus_one, nonce, parameter};
use crate::support::{Task, histogram_laplace};
use dp_prio3::message::Report;
use dp_prio3::{Client, HistogramLaplace, Stage};
use proptest::sample::Index;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use rand_core::Rng;

const BUCKETS: usize = 4;

fn forged(task: &mut Task<HistogramLaplace>, encoded: [u128; BUCKETS]) -> Report {
    let chunk_length = parameter(&*task.policy, "chunk_length");
    let circuit = HistogramCircuit::new(BUCKETS, chunk_length).expect("valid parameters");
    let nonce = nonce(&mut task.rng);
    forge(&*task.policy, task.client.task(), circuit, nonce, &encoded)
}

/// Sends the garbage of one kind of twelve, all of which would count for bucket 0.
fn send_garbage(
    task: &mut Task<HistogramLaplace>,
    kind: usize,
    seen: &Report,
    alteration: &Alteration,
) -> Stage {
    let mut report = task.report(&0);
    let result = match kind {
        0..=3 => {
            let victim = kind % 2;
            verify_altered(task, report, Place::ALL[kind], victim, alteration)
                .expect("a histogram has bytes everywhere")
        }
        4 => {
            report.private.swap(0, 1);
            task.verify(report)
        }
        5 => {
            report.private.pop();
            task.verify(report)
        }
        6 => {
            report.private.push(report.private[1].clone());
            task.verify(report)
        }
        7 => {
            report.public.nonce[7] ^= 1;
            task.verify(report)
        }
        8 => {
            for part in &mut report.private {
                task.rng.fill_bytes(&mut part.input_share);
            }
            task.verify(task.bound(&report))
        }
        9 => task.verify(seen.clone()),
        10 => {
            let falsehoods = [[2, 0, 0, 0], [1, 1, 0, 0], [1, 1, minus_one(), 0]];
            let report = forged(task, falsehoods[usize::from(report.public.nonce[0]) % 3]);
            task.verify(report)
        }
        _ => {
            let policy = std::sync::Arc::clone(&task.policy);
            let stranger = Client::new(policy, b"another task").expect("a short context");
            let report = stranger.report(&0).expect("valid");
            task.verify(report)
        }
    };
    result.expect_err("garbage is rejected").stage()
}

#[test]
fn ten_thousand_reports_of_which_a_tenth_is_garbage_end_with_the_right_answer() {
    let mut task = Task::new(histogram_laplace(2, BUCKETS), 1);
    let mut runner = TestRunner::deterministic();
    let mut stages = std::collections::BTreeMap::new();
    let mut last = task.report(&3);
    let mut truth = vec![0_i128; BUCKETS];
    for index in 0..10_000_usize {
        if index % 10 == 5 {
            let alteration = Alteration::any()
                .new_tree(&mut runner)
                .expect("the strategy yields alterations")
                .current();
            let stage = send_garbage(&mut task, (index / 10) % 12, &last, &alteration);
            *stages.entry(stage).or_insert(0_u64) += 1;
        } else {
            let bucket = index * index % BUCKETS;
            last = task.report(&bucket);
            task.verify(last.clone()).unwrap();
            truth[bucket] += 1;
        }
    }

    assert_eq!(stages.values().sum::<u64>(), 1000);
    assert_eq!(stages.len(), 7, "{stages:?}");
    for batch in &task.batches {
        assert_eq!(batch.reports(), 9000);
        for stage in Stage::ALL {
            let expected = stages.get(&stage).copied().unwrap_or(0);
            assert_eq!(batch.rejections().at(stage), expected, "{stage}");
        }
    }
    assert_eq!(task.exact_totals(), (9000, truth));
}

/// Input shares full of random bytes, index by index, do not panic and do not pass.
#[test]
fn a_report_of_random_bytes_of_any_length_is_rejected() {
    let mut task = Task::new(histogram_laplace(2, BUCKETS), 1);
    let mut runner = TestRunner::deterministic();
    let lengths = proptest::arbitrary::any::<(Index, Index)>();
    for _ in 0..200 {
        let (public, input) = lengths
            .new_tree(&mut runner)
            .expect("the strategy yields lengths")
            .current();
        let mut report = task.report(&0);
        report.public.public_share = vec![0; public.index(100)];
        task.rng.fill_bytes(&mut report.public.public_share);
        for part in &mut report.private {
            part.input_share = vec![0; input.index(400)];
            task.rng.fill_bytes(&mut part.input_share);
        }
        assert!(task.verify(task.bound(&report)).is_err());
        assert!(task.verify(report).is_err());
    }
}
