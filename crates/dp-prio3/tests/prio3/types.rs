//! Every Prio3 type over real Prio3: estimates come back signed, unbiased, and err as predicted.
//!
//! The statistical test takes the mean of the squared errors in units of the predicted variance.
//! One Laplace draw has the kurtosis 6, so the mean over N draws has the standard deviation
//! √(5/N) at most; 8.5 of them leave a false alarm below 1e-9.

use crate::support::{Task, epsilon, epsilon_delta, laplace};
use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism};
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{AggregatorNoise, PolicyDescription};

fn errs_as_predicted<V: MeasurementType, N: NoiseMechanism>(
    policy: AggregatorNoise<V, N>,
    measurement: &V::Measurement,
    truth: &[f64],
) {
    let name = policy.name();
    let mut task = Task::new(policy, 77);
    let (mut squares, mut lowest) = (Vec::new(), f64::INFINITY);
    for _ in 0..400 {
        task.send(measurement);
        let collection = task.collect().expect("honest shares");
        assert_eq!(collection.estimates.len(), truth.len(), "{name}");
        for (estimate, truth) in collection.estimates.iter().zip(truth) {
            squares.push(((estimate.value - truth) / estimate.standard_error).powi(2));
            lowest = lowest.min(estimate.value);
        }
    }
    let draws = f64::from(u32::try_from(squares.len()).expect("few draws"));
    let mean = squares.iter().sum::<f64>() / draws;
    assert!((mean - 1.0).abs() <= 8.5 * (5.0 / draws).sqrt(), "{name}: {mean}");
    assert!(lowest < 0.0, "{name}: no total was negative");
}

fn check<V: MeasurementType>(new: &V, measurement: &V::Measurement, truth: &[f64]) {
    errs_as_predicted(laplace(new.clone(), "0.1"), measurement, truth);
    let budget = epsilon_delta("0.1", "1e-6");
    let policy = AggregatorNoise::<V, DiscreteGaussian>::new(new.clone(), budget);
    errs_as_predicted(policy.expect("a valid budget"), measurement, truth);
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
    let policy: AggregatorNoise<_, DiscreteLaplace> =
        AggregatorNoise::new(Average::new(2, 10).unwrap(), epsilon("1")).unwrap();
    let (one, many) = (policy.estimate(&[-60], 1)[0], policy.estimate(&[-60], 20)[0]);
    assert_eq!((one.value, many.value), (-60.0, -3.0));
    assert!((one.standard_error / many.standard_error - 20.0).abs() < 1e-12);
}
