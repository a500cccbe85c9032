//! What a batch holds: the totals of its reports, from which another batch goes on.

use dp_prio3::Measurement::Bucket;

use crate::support::{Task, batches, histogram_laplace};

#[test]
fn a_batch_goes_on_from_the_totals_of_its_reports() {
    let mut task = Task::new(histogram_laplace(2, 3), 1);
    task.send(Bucket(0));
    task.send(Bucket(2));
    let (reports, totals) = task.exact_totals();
    assert_eq!((reports, &totals[..]), (2, &[1, 0, 1][..]));

    // The leader's batch holds all of them, the helper's nothing; a further report joins both.
    task.send(Bucket(2));
    let mut resumed = batches(&task.aggregators, 1).into_iter();
    for (batch, share) in task.batches.iter_mut().zip([&totals[..], &[0; 3]]) {
        let resumed = resumed.next().expect("two aggregators").holding(share, 2);
        batch.merge(resumed.expect("as many entries")).expect("of one aggregator");
    }
    let mut altered = task.report(Bucket(1));
    altered.public.public_share.push(0);
    task.verify(altered).expect_err("an altered report");
    for batch in &task.batches {
        assert_eq!((batch.reports(), batch.rejections().values().sum::<u64>()), (3, 1));
    }
    // The collector accepts their shares: they are of the same reports.
    assert_eq!(task.exact_totals(), (3, vec![1, 0, 2]));
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
