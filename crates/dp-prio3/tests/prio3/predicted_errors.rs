//! The predicted standard error is the observed one, over real Prio3.
//!
//! Each test takes the mean of ((estimate − truth)/standard error)² over N independent
//! coordinates. If the prediction is right its expectation is 1 and its standard deviation
//! √((κ − 1)/N), where the kurtosis κ is at most 6 (one Laplace draw; 3 for a normal law). The
//! tolerance is 8.5 such deviations: the probability of a false alarm is below 1e-9, with room for
//! the skewness of the mean.

use crate::support::{
    Task, histogram_gaussian, histogram_laplace, multihot_rappor, sum_vec_laplace,
};
use dp_prio3::{DpPolicy, Estimate};

const KURTOSIS: f64 = 6.0;

/// The squared errors in units of the predicted variance, over `trials` batches of the
/// measurements.
fn squared_errors<P: DpPolicy>(
    policy: P,
    measurements: &[&P::Measurement],
    truth: &[f64],
    trials: usize,
) -> Vec<f64> {
    let mut task = Task::new(policy, 2024);
    let mut squares = Vec::new();
    for _ in 0..trials {
        for measurement in measurements {
            task.send(measurement);
        }
        let collection = task.collect().expect("honest shares");
        for (estimate, truth) in collection.estimates.iter().zip(truth) {
            let Estimate {
                value,
                standard_error,
                ..
            } = estimate;
            squares.push(((value - truth) / standard_error).powi(2));
        }
    }
    squares
}

fn agrees(squares: &[f64]) -> bool {
    let n = f64::from(u32::try_from(squares.len()).expect("few samples"));
    let mean = squares.iter().sum::<f64>() / n;
    let tolerance = 8.5 * ((KURTOSIS - 1.0) / n).sqrt();
    (mean - 1.0).abs() <= tolerance
}

fn one_report_in_bucket_0(length: usize) -> Vec<f64> {
    let mut truth = vec![0.0; length];
    truth[0] = 1.0;
    truth
}

#[test]
fn a_gaussian_histogram_errs_as_predicted() {
    for aggregators in [2, 3] {
        let truth = one_report_in_bucket_0(200);
        let policy = histogram_gaussian(aggregators, 200);
        assert!(agrees(&squared_errors(policy, &[&0], &truth, 20)));
    }
}

#[test]
fn a_laplace_histogram_errs_as_predicted() {
    for aggregators in [2, 5] {
        let truth = one_report_in_bucket_0(200);
        let policy = histogram_laplace(aggregators, 200);
        assert!(agrees(&squared_errors(policy, &[&0], &truth, 20)));
    }
}

#[test]
fn a_laplace_sum_vector_errs_as_predicted() {
    let measurement: Vec<u128> = (0..100).collect();
    let truth: Vec<f64> = (0..100).map(f64::from).collect();
    let policy = sum_vec_laplace(2, 100, 100);
    assert!(agrees(&squared_errors(policy, &[&measurement], &truth, 40)));
}

#[test]
fn a_rappor_vector_errs_as_predicted() {
    let mut bits = [false; 60];
    bits[7] = true;
    let mut truth = vec![0.0; 60];
    truth[7] = 40.0;
    let policy = multihot_rappor(2, 60, 1);
    let squares = squared_errors(policy, &[&bits[..]; 40], &truth, 40);
    assert!(agrees(&squares));
}

#[test]
fn forgetting_the_noise_of_the_second_aggregator_would_be_caught() {
    let truth = one_report_in_bucket_0(200);
    let mut squares = squared_errors(histogram_gaussian(2, 200), &[&0], &truth, 20);
    for square in &mut squares {
        *square *= 2.0; // the variance predicted for one aggregator
    }
    assert!(!agrees(&squares));
}
