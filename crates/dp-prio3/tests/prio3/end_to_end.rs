//! Every Prio3 type over real Prio3, from the client to the collector: estimates come back signed,
//! unbiased, and err as predicted.

use dp_prio3::Error;

use crate::support::catalogue::vdafs;
use crate::support::*;

/// From the fewest aggregators to the most that prio takes.
#[test]
fn measurements_add_up_at_2_3_5_and_254_aggregators() {
    for aggregators in [2, 3, 5, 254] {
        let mut task = Task::new(histogram_gaussian(aggregators, 4), 7);
        [0, 0, 2, 3, 3, 3].into_iter().for_each(|bucket| task.send(Bucket(bucket)));
        assert_eq!(task.exact_totals(), (6, vec![2, 0, 1, 3]));
        let mut task = Task::new(sum_vec_laplace(aggregators, 3, 100), 7);
        for vector in [[100, 0, 1], [7, 50, 100], [0, 0, 0]] {
            task.send(Integers(&vector));
        }
        assert_eq!(task.exact_totals(), (3, vec![107, 50, 101]));
    }
    let (bits, truth) = (Bits(&[true, false, false, true, false]), [40.0, 0.0, 0.0, 40.0, 0.0]);
    for aggregators in [3, 5] {
        assert_errs_as_predicted(multihot_rappor(aggregators, 5, 2), bits, &truth, [10, 40]);
    }
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
fn aggregators_with_different_keys_reject_every_report() {
    let mut task = Task::new(histogram_laplace(2, 4), 3);
    task.key = VerifyKey::random().unwrap();
    task.aggregators[1] = task.aggregators_with(Stores::forgotten_at_restart).remove(1);
    let report = task.report(Bucket(1));
    assert_eq!(task.verify(report).unwrap_err().stage, Stage::Proof);
}

/// With a rate of 1/2 the bound is the median weight, so that some of 200 reports exceed it but
/// for a chance below 2^−60 (each does with probability above 0.2).
#[test]
fn a_randomized_vector_above_the_weight_bound_is_not_sent() {
    let mut task = Task::new(rappor(12, 1, "1", "1/2"), 3);
    let max_weight = task.policy.max_weight();
    let said = format!(
        "the randomized report has more than {max_weight} ones: not sent, do not draw again"
    );
    let bits = std::array::from_fn::<_, 12, _>(|at| at == 3);
    let mut dropped = 0;
    for _ in 0..200 {
        match task.client.report_seeded(Bits(&bits), &mut task.rng) {
            Ok(report) => task.verify(report).unwrap(),
            Err(error) => {
                assert!(matches!(error, Error::Dropped { .. }) && error.to_string() == said);
                dropped += 1;
            }
        }
    }
    assert!(dropped > 0);
    assert_eq!(task.collect().unwrap().reports, 200 - dropped);
}

#[test]
fn estimates_of_every_type_err_as_predicted() {
    for (vdaf, measurement, truth) in vdafs() {
        let mut task = Task::new(noise_parts(vdaf.clone(), laplace(pure("1"))), 1);
        task.send(measurement);
        let (_, totals) = task.exact_totals();
        let totals: Vec<String> = totals.iter().map(i128::to_string).collect();
        assert_eq!(totals, truth.iter().map(f64::to_string).collect::<Vec<_>>());
        // The squares of entries of one cube depend on each other: 6 deviations instead of 8.5.
        let is_vector = matches!(vdaf, Vdaf::SumVec { .. } | Vdaf::MultihotCountVec { .. });
        let cube = is_vector.then(|| k_norm(pure("0.1")));
        let independent = [laplace(pure("0.1")), gaussian(epsilon_delta("0.1", "1e-6"))];
        for noise in independent.into_iter().chain(cube) {
            let parts = noise_parts(vdaf.clone(), noise);
            let lowest = assert_errs_as_predicted(parts, measurement, truth, [400, 1]);
            assert!(lowest < 0.0, "no total was negative");
        }
    }
}

#[test]
fn an_average_divides_by_the_number_of_reports_and_so_does_its_error() {
    let policy = policy_of(noise_parts(average(2, 10), laplace(pure("1"))));
    let (one, many) = (policy.estimate(&[-60], 1)[0], policy.estimate(&[-60], 20)[0]);
    assert_eq!((one.value, many.value), (-60.0, -3.0));
    assert!((one.standard_error / many.standard_error - 20.0).abs() < 1e-12);
}
