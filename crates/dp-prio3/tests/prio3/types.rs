//! Every Prio3 type over real Prio3: estimates come back signed, unbiased, and err as predicted.

use crate::support::{Task, epsilon_delta, errs_as_predicted, laplace};
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{AggregatorNoise, PolicyDescription};

fn check<V: MeasurementType>(new: &V, measurement: &V::Measurement, truth: &[f64]) {
    let mut task = Task::new(laplace(new.clone(), "1"), 1);
    task.send(measurement);
    let (_, totals) = task.exact_totals();
    assert!(totals.iter().zip(truth).all(|(total, truth)| total.to_string() == truth.to_string()));
    let lowest = errs_as_predicted(laplace(new.clone(), "0.1"), measurement, truth, [400, 1]);
    assert!(lowest < 0.0, "no total was negative");
    let budget = epsilon_delta("0.1", "1e-6");
    let policy = AggregatorNoise::gaussian(new.clone(), budget);
    let policy = policy.expect("a valid budget");
    assert!(errs_as_predicted(policy, measurement, truth, [400, 1]) < 0.0);
}

#[test]
fn estimates_of_every_type_err_as_predicted() {
    check(&Count::new(2).unwrap(), &true, &[1.0]);
    check(&Sum::new(2, 5).unwrap(), &3, &[3.0]);
    check(&Average::new(3, 100).unwrap(), &42, &[42.0]);
    check(&SumVec::new(2, 3, 4).unwrap(), &[4, 0, 1][..], &[4.0, 0.0, 1.0]);
    check(&Histogram::new(2, 3).unwrap(), &1, &[0.0, 1.0, 0.0]);
    let bits = MultihotCountVec::new(2, 4, 2).unwrap();
    check(&bits, &[true, false, false, true][..], &[1.0, 0.0, 0.0, 1.0]);
    check(&L1BoundSum::new(2, 3, 7).unwrap(), &[5, 0, 2][..], &[5.0, 0.0, 2.0]);
}

#[test]
fn an_average_divides_by_the_number_of_reports_and_so_does_its_error() {
    let policy = laplace(Average::new(2, 10).unwrap(), "1");
    let (one, many) = (policy.estimate(&[-60], 1)[0], policy.estimate(&[-60], 20)[0]);
    assert_eq!((one.value, many.value), (-60.0, -3.0));
    assert!((one.standard_error / many.standard_error - 20.0).abs() < 1e-12);
}
