//! A measurement through real Prio3: client, aggregators, collector.

use dp_prio3::Measurement::{Bits, Bucket, Integers};
use dp_prio3::{Aggregator, Error, Measurement, Parts, Stage, Stores, VerifyKey, verification};

use crate::support::{
    CONTEXT, Task, batches, histogram_gaussian, histogram_laplace, limited_parts, multihot_rappor,
    rappor, sum_vec_laplace,
};

/// Sends the measurements, then checks each estimate against the truth: within 8 standard errors.
/// That happens by chance with probability below 1e-9 at each coordinate, for Laplace noise also:
/// P(|X| > 8·√2·t) = e^(−11.3) for one draw is not small enough, so those tests use 20.
fn assert_estimates_near(
    parts: Parts,
    measurements: &[Measurement<'_>],
    truth: &[f64],
    standard_errors: f64,
) {
    let mut task = Task::new(parts, 7);
    for measurement in measurements {
        task.send(*measurement);
    }
    let collection = task.collect().expect("honest shares");
    assert_eq!(collection.reports, u64::try_from(measurements.len()).expect("few measurements"));
    assert_eq!(collection.estimates.len(), truth.len());
    for (estimate, truth) in collection.estimates.iter().zip(truth) {
        let interval = estimate.interval(standard_errors);
        assert!(interval.contains(truth), "{estimate:?}, truth {truth}");
    }
}

#[test]
fn measurements_are_estimated_by_2_3_and_5_aggregators() {
    for aggregators in [2, 3, 5] {
        let truth = [2.0, 0.0, 1.0, 3.0];
        let buckets = [0, 0, 2, 3, 3, 3].map(Bucket);
        assert_estimates_near(histogram_gaussian(aggregators, 4), &buckets, &truth, 8.0);
        let vectors = [[100, 0, 1], [7, 50, 100], [0, 0, 0]];
        let vectors = vectors.each_ref().map(|vector| Integers(vector));
        let sums = sum_vec_laplace(aggregators, 3, 100);
        assert_estimates_near(sums, &vectors, &[107.0, 50.0, 101.0], 20.0);
        let bits = [Bits(&[true, false, false, true, false]); 40];
        let truth = [40.0, 0.0, 0.0, 40.0, 0.0];
        assert_estimates_near(multihot_rappor(aggregators, 5, 2), &bits, &truth, 8.0);
    }
}

#[test]
fn prio_takes_254_aggregators() {
    assert_estimates_near(histogram_laplace(254, 2), &[Bucket(0), Bucket(1)], &[1.0, 1.0], 20.0);
}

#[test]
fn batches_of_several_threads_add_up_to_the_same_totals() {
    // Every report is verified twice.
    let mut task = Task::without_replay_defence(multihot_rappor(2, 4, 1), 3);
    let bits = Bits(&[true, false, false, false]);
    let reports: Vec<_> = (0..12).map(|_| task.report(bits).into_shares()).collect();

    let [mut whole, mut first, mut second] = [(); 3].map(|()| batches(&task.aggregators, 1));
    for (index, report) in reports.iter().enumerate() {
        verification::verify_into(&task.aggregators, &mut whole, report).unwrap();
        let part = if index % 3 == 0 { &mut first } else { &mut second };
        verification::verify_into(&task.aggregators, part, report).unwrap();
    }
    for (batch, more) in first.iter_mut().zip(second) {
        batch.merge(more).unwrap();
    }

    // This policy's aggregators add no noise, so the shares agree to the byte.
    for (merged, whole) in first.into_iter().zip(whole) {
        assert_eq!(merged.finish().unwrap(), whole.finish().unwrap());
    }
}

#[test]
fn an_output_share_of_another_aggregator_is_refused() {
    let mut task = Task::new(histogram_laplace(2, 4), 3);
    let report = task.report(Bucket(1)).into_shares();
    let mut outputs = verification::verify(&task.aggregators, &report).unwrap();
    let foreign = outputs.pop().unwrap();
    let rejection = task.batches[0].accumulate(foreign).unwrap_err();
    assert_eq!(rejection.stage, Stage::Confirmation);
    assert_eq!(task.batches[0].reports(), 0);
    assert_eq!(task.batches[0].rejections().values().sum::<u64>(), 1);
}

#[test]
fn a_full_batch_takes_no_more_reports_and_counts_them() {
    let mut task = Task::new(limited_parts(&histogram_laplace(2, 4), 1, 2), 3);
    task.send(Bucket(0));
    task.send(Bucket(1));
    let third = task.report(Bucket(2));
    assert_eq!(task.verify(third).unwrap_err().stage, Stage::BatchFull);
    for batch in &task.batches {
        assert_eq!(batch.reports(), 2);
        assert_eq!(batch.rejections()[&Stage::BatchFull], 1);
    }
    assert_eq!(task.collect().unwrap().reports, 2);
}

#[test]
fn aggregators_with_different_keys_or_contexts_reject_every_report() {
    let foreign = |task: &Task, id, key: &VerifyKey, context: &[u8]| {
        let stores = Stores::forgotten_at_restart();
        Aggregator::new(task.policy.clone(), id, key.clone(), context, stores).unwrap()
    };
    let mut task = Task::new(histogram_laplace(2, 4), 3);
    task.aggregators[1] = foreign(&task, 1, &VerifyKey::random().unwrap(), CONTEXT);
    let report = task.report(Bucket(1));
    assert_eq!(task.verify(report).unwrap_err().stage, Stage::Proof);

    task.aggregators = vec![
        foreign(&task, 0, &task.key, b"another task"),
        foreign(&task, 1, &task.key, b"another task"),
    ];
    let report = task.report(Bucket(1));
    assert_eq!(task.verify(report).unwrap_err().stage, Stage::Binding);
}

/// With a rate of 1/2 the bound is the median weight, so that some of 200 reports exceed it but
/// for a chance below 2^−60 (each does with probability above 0.2).
#[test]
fn a_randomized_vector_above_the_weight_bound_is_not_sent() {
    let mut task = Task::new(rappor(12, 1, "1", "1/2"), 3);
    let max_weight = task.policy.max_weight();
    let mut bits = [false; 12];
    bits[3] = true;
    let mut dropped = 0;
    for _ in 0..200 {
        match task.client.report_seeded(Bits(&bits), &mut task.rng) {
            Ok(report) => task.verify(report).unwrap(),
            Err(error @ Error::Dropped { .. }) => {
                let expected =
                    format!("the randomized measurement has more than {max_weight} ones: not sent");
                assert_eq!(error.to_string(), expected);
                dropped += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(dropped > 0);
    assert_eq!(task.collect().unwrap().reports, 200 - dropped);
}
