//! What a batch holds, as bytes and back: complete, and refused where it is another one's.

use dp_prio3::types::Histogram;
use dp_prio3::{AggregatorNoise, Batch, BatchError};

use crate::support::{Task, histogram_laplace, rng, state};

/// A task with two reports, and the states of its aggregators.
fn task_of_two() -> (Task<AggregatorNoise<Histogram>>, Vec<Vec<u8>>) {
    let mut task = Task::new(histogram_laplace(2, 3), 1);
    task.send(&0);
    task.send(&2);
    let mut altered = task.report(&1);
    altered.public.public_share.push(0);
    task.verify(altered).expect_err("an altered report");
    let states = task.next_batches().iter().map(state).collect();
    (task, states)
}

/// Empty batches of the task under the same name as those whose states were taken.
fn empty(task: &Task<AggregatorNoise<Histogram>>) -> Vec<Batch<AggregatorNoise<Histogram>>> {
    crate::support::batches(&task.aggregators, 0)
}

#[test]
fn a_batch_comes_back_with_all_that_it_held() {
    let (task, states) = task_of_two();
    assert!(states.iter().all(|state| state.len() == Batch::state_length(&*task.policy)));
    let batches = empty(&task).into_iter().zip(&states);
    let batches: Result<Vec<_>, _> =
        batches.map(|(batch, state)| batch.with_state(state)).collect();
    let batches = batches.expect("their own states");
    for (batch, before) in batches.iter().zip(&states) {
        assert_eq!((batch.reports(), batch.rejections().total()), (2, 1));
        assert_eq!(before.len(), 32 + 8 + 32 + 88 + 3 * 16);
    }
    // The collector accepts their shares: they are of the same reports.
    let finish = |batch: Batch<_>| batch.finish_seeded(&mut rng(5)).expect("released");
    let released: Vec<_> = batches.into_iter().map(finish).collect();
    let again = task.collector.collect(&released).expect("of one batch");
    assert_eq!(again.reports, 2);

    // A batch that goes on from a state holds what it would have held.
    let mut one = empty(&task).remove(1);
    let two = empty(&task).remove(1).with_state(&states[1]).expect("its own");
    one.merge(two).expect("of one aggregator");
    assert_eq!(state(&one), states[1]);
}

#[test]
fn what_is_no_state_of_the_batch_is_refused() {
    let (task, states) = task_of_two();
    let refused = |batch: usize, state: &[u8]| {
        empty(&task).remove(batch).with_state(state).expect_err("no state of it")
    };
    // Of another aggregator, of another name, of another task.
    assert!(matches!(refused(1, &states[0]), BatchError::ForeignBatch));
    let other = crate::support::batches(&task.aggregators, 7).remove(0);
    assert!(matches!(other.with_state(&states[0]), Err(BatchError::ForeignBatch)));
    let foreign = state(&Task::new(histogram_laplace(3, 3), 1).batches[0]);
    assert!(matches!(refused(0, &foreign), BatchError::ForeignBatch));

    // Of another length.
    for length in (0..states[0].len()).step_by(7) {
        let error = refused(0, &states[0][..length]);
        assert_eq!(
            error.to_string(),
            format!("the state of a batch has {length} bytes: expected 208")
        );
    }
    // No field element.
    let mut beyond = states[0].clone();
    beyond[208 - 16..].fill(0xff);
    assert_eq!(
        refused(0, &beyond).to_string(),
        "the state of a batch has no field element in place 2"
    );
    // More reports than the policy allows.
    let mut many = states[0].clone();
    many[32..40].fill(0xff);
    assert!(matches!(refused(0, &many), BatchError::BatchFull { reports: u64::MAX, .. }));
}
