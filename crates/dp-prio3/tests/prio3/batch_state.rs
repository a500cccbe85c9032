//! What a batch holds: its totals without noise, from which another batch goes on.

use dp_prio3::Batch;

use crate::support::{Task, batches, histogram_laplace, rng};

#[test]
fn a_batch_goes_on_from_the_totals_of_its_reports() {
    let mut task = Task::new(histogram_laplace(2, 3), 1);
    task.send(&0);
    task.send(&2);
    let totals = Batch::totals(&task.next_batches());
    assert_eq!(totals, [1, 0, 1]);
    assert!(Batch::<dp_prio3::AggregatorNoise<dp_prio3::types::Histogram>>::totals(&[]).is_empty());

    // The leader's batch holds all of them, the helper's nothing; a further report joins both.
    task.send(&2);
    let mut resumed = batches(&task.aggregators, 1).into_iter();
    for (batch, share) in task.batches.iter_mut().zip([&totals[..], &[0; 3]]) {
        let resumed = resumed.next().expect("two aggregators").holding(share, 2);
        batch.merge(resumed.expect("as many entries")).expect("of one aggregator");
    }
    assert_eq!(Batch::totals(&task.batches), [1, 0, 2]);
    let mut altered = task.report(&1);
    altered.public.public_share.push(0);
    task.verify(altered).expect_err("an altered report");

    // The collector accepts their shares: they are of the same reports.
    let finish = |batch: Batch<_>| {
        assert_eq!((batch.reports(), batch.rejections().values().sum::<u64>()), (3, 1));
        batch.finish_seeded(&mut rng(5)).expect("released")
    };
    let released: Vec<_> = task.next_batches().into_iter().map(finish).collect();
    assert_eq!(task.collector.collect(&released).expect("of one batch").reports, 3);
}

#[test]
fn a_share_of_another_length_or_beyond_the_field_is_refused() {
    let task = Task::new(histogram_laplace(2, 3), 1);
    let refused = |share: &[i128]| {
        let batch = batches(&task.aggregators, 0).remove(0).holding(share, 1);
        batch.expect_err("no share of it").to_string()
    };
    assert_eq!(refused(&[0; 2]), "share length is 2: expected 3");
    assert!(refused(&[0, i128::MIN, 0]).starts_with(&format!("total is {}: expected", i128::MIN)));
}
