//! Every Prio3 type with every mechanism and kind of budget, over real Prio3: the totals are right
//! without noise, come back signed with it, and err as predicted.
//!
//! The statistical tests take the mean of the squared errors in units of the predicted variance.
//! One Laplace draw has the kurtosis 6, so the mean over N draws has the standard deviation
//! √(5/N) at most; 8.5 of them leave a false alarm below 1e-9.

use crate::support::{Task, epsilon, epsilon_delta};
use dp_exact::{Epsilon, Rho};
use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism};
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{AggregatorNoise, PolicyDescription};

/// What is asked of each pair of a type and a mechanism.
fn check<V: MeasurementType, N: NoiseMechanism>(
    policy: AggregatorNoise<V, N>,
    measurement: &V::Measurement,
    truth: &[f64],
) {
    let name = policy.name();
    let trials = 400;
    let mut task = Task::new(policy, 77);
    let mut squares = Vec::new();
    let mut lowest = f64::INFINITY;
    for _ in 0..trials {
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

/// All budgets of both mechanisms.
fn check_all<V: MeasurementType>(
    measurement_type: &V,
    measurement: &V::Measurement,
    truth: &[f64],
) {
    let new = || measurement_type.clone();
    let epsilon: Epsilon = epsilon("0.1");
    let rho: Rho = "0.005".parse().expect("positive");
    let both = epsilon_delta("0.1", "1e-6");
    type Laplace<V> = AggregatorNoise<V, DiscreteLaplace>;
    type Gaussian<V> = AggregatorNoise<V, DiscreteGaussian>;
    let pure = Laplace::new(new(), epsilon).expect("a valid budget");
    let approximate = Laplace::new(new(), both.clone()).expect("a valid budget");
    assert!(approximate.mechanism().scale() <= pure.mechanism().scale());
    check(pure, measurement, truth);
    check(approximate, measurement, truth);
    check(Gaussian::new(new(), both).expect("a valid budget"), measurement, truth);
    check(Gaussian::new(new(), rho).expect("a valid budget"), measurement, truth);
}

#[test]
fn a_count_is_private_with_every_mechanism() {
    check_all(&Count::new(2).unwrap(), &true, &[1.0]);
}

#[test]
fn a_sum_is_private_with_every_mechanism() {
    check_all(&Sum::new(2, 5).unwrap(), &3, &[3.0]);
}

#[test]
fn an_average_is_private_with_every_mechanism() {
    check_all(&Average::new(3, 100).unwrap(), &42, &[42.0]);
}

#[test]
fn a_sum_vector_is_private_with_every_mechanism() {
    let sum_vec = SumVec::new(2, 3, 4).unwrap();
    check_all(&sum_vec, &[4, 0, 1][..], &[4.0, 0.0, 1.0]);
}

#[test]
fn a_histogram_is_private_with_every_mechanism() {
    check_all(&Histogram::new(2, 3).unwrap(), &1, &[0.0, 1.0, 0.0]);
}

#[test]
fn a_multihot_count_is_private_with_every_mechanism() {
    let bits = MultihotCountVec::new(2, 4, 2).unwrap();
    check_all(&bits, &[true, false, false, true][..], &[1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn an_l1_bound_sum_is_private_with_every_mechanism() {
    let vector = L1BoundSum::new(2, 3, 7).unwrap();
    check_all(&vector, &[5, 0, 2][..], &[5.0, 0.0, 2.0]);
}

#[test]
fn an_average_divides_by_the_number_of_reports_and_so_does_its_error() {
    let policy: AggregatorNoise<_, DiscreteLaplace> =
        AggregatorNoise::new(Average::new(2, 10).unwrap(), epsilon("1")).unwrap();
    let [one] = policy.estimate(&[-60], 1)[..] else {
        panic!("one total");
    };
    let [many] = policy.estimate(&[-60], 20)[..] else {
        panic!("one total");
    };
    assert_eq!((one.value, many.value), (-60.0, -3.0));
    assert!((one.standard_error / many.standard_error - 20.0).abs() < 1e-12);
}
