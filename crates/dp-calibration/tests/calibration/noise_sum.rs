//! Several honest aggregators: the guarantee by the sum of their noises, against enumeration.

use crate::common::{
    delta_of, difference_of, distribution, enumerated_delta, epsilon, number, relative, sum_of,
    upper,
};
use dp_calibration::Adjacency::Replacement;
use dp_calibration::discrete_gaussian::{self, GaussianProof};
use dp_calibration::noise_sum::{calibrate_gaussian, gaussian_delta};
use dp_calibration::{NoiseDistribution, Query, WorstCaseDifference};
use dp_exact::{Epsilon, Rational};

/// δ at ε of the sum of `honest` Gaussian draws on few coordinates, by convolution and all vectors.
fn slowly(
    variance: &Rational,
    honest: u32,
    difference: &WorstCaseDifference,
    epsilon: &Epsilon,
) -> f64 {
    let twice = 2.0 * variance.to_f64();
    let bell = distribution(60, |x| (-x * x / twice).exp());
    enumerated_delta(&sum_of(honest, &bell), difference, epsilon.value().to_f64())
}

#[test]
fn gaussian_sums_are_enclosed_and_never_worse_than_one() {
    for (difference, honest, variance, rate, is_narrow) in [
        (difference_of(1, 1), 2, "0.3", "3", false),
        (difference_of(1, 3), 3, "2", "1.5", false),
        (difference_of(1, 3), 2, "7", "1.5", true),
        (difference_of(2, 1), 2, "1.1", "1", false),
        (difference_of(2, 2), 2, "6.5", "0.5", true),
        (difference_of(3, 1), 4, "0.5", "5", false),
    ] {
        let (variance, rate) = (number(variance), epsilon(rate));
        let slow = slowly(&variance, honest, &difference, &rate);
        let found = gaussian_delta(&variance, &rate, &difference, honest).unwrap();
        let (low, high) = (found.lower().to_f64(), found.upper().to_f64());
        assert!(low <= slow * (1.0 + 1e-9) && slow <= high * (1.0 + 1e-9), "{found} {slow}");
        assert!(!is_narrow || high < low * (1.0 + 1e-9), "{found}");
        let one = discrete_gaussian::delta(&variance, &rate, &difference).unwrap();
        assert!(found.upper() <= one.upper(), "{difference:?}");
    }
}

#[test]
fn wide_gaussians_share_the_variance() {
    for rate in ["0.317", "1.528"] {
        let (rate, target) = (epsilon(rate), delta_of("1e-9"));
        let difference = WorstCaseDifference::one_hot();
        let one = discrete_gaussian::calibrate(&rate, &target, &difference).unwrap();
        for honest in [2, 3] {
            let all = calibrate_gaussian(&difference, honest, &rate, &target).unwrap();
            assert_eq!(all.proof, GaussianProof::Sum);
            let total = &all.variance * &Rational::from(u64::from(honest));
            assert!(relative(&total, &one.variance) < 1e-9, "{rate} {honest}");
            let refuted = all.refuted.expect("just below");
            assert!(relative(&refuted, &all.variance) < 1e-7);
        }
        let alone = calibrate_gaussian(&difference, 1, &rate, &target).unwrap();
        assert_eq!((alone.variance, alone.refuted), (one.variance, one.refuted));
    }
}

#[test]
fn little_gaussian_noise_of_several_is_enough_with_all_larger_noise() {
    for (difference, honest, rate, target) in [
        (difference_of(1, 1), 4, "2.16", "0.0117"),
        (difference_of(2, 1), 3, "8", "1e-6"),
        (difference_of(1, 3), 5, "6", "1e-4"),
        (difference_of(3, 1), 2, "8", "1e-4"),
    ] {
        let (rate, target) = (epsilon(rate), delta_of(target));
        let found = calibrate_gaussian(&difference, honest, &rate, &target).unwrap();
        assert!(upper(&found.delta) <= *target.value());
        for percent in [100, 101, 105, 120, 150, 300] {
            let more = &found.variance * &Rational::new(percent, 100).unwrap();
            let slow = slowly(&more, honest, &difference, &rate);
            assert!(slow <= target.value().to_f64(), "{difference:?} {percent}");
        }
    }
}

#[test]
fn the_least_epsilon_has_the_delta_and_a_smaller_one_has_not() {
    let target = delta_of("1e-6");
    for (length, max_measurement, variance) in [(2, 1, "9"), (2, 3, "40")] {
        let query = Query::SumVec { length, max_measurement };
        let contribution = query.contribution(Replacement, 1, 1).unwrap();
        let difference = query.worst_case_difference(Replacement).unwrap().expect("it changes");
        let variance = number(variance);
        let noise = NoiseDistribution::DiscreteGaussian { variance: variance.clone() };
        let (found, _) = contribution.loss(&noise, &target, 2).unwrap();
        let at = |epsilon: Rational| {
            let rate = Epsilon::new(epsilon).unwrap();
            upper(&gaussian_delta(&variance, &rate, &difference, 2).unwrap())
        };
        assert!(at(found.clone()) <= *target.value());
        assert!(at(&found * &number("0.999999")) > *target.value());
    }
}

#[test]
fn no_honest_aggregator_is_refused_by_name() {
    let refused =
        gaussian_delta(&number("2"), &epsilon("1"), &WorstCaseDifference::one(), 0).unwrap_err();
    assert!(refused.to_string().starts_with("honest is 0"));
}
