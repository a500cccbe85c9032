//! Accuracy: margins for all coordinates at once, and inverses.

use crate::common::{difference_of, epsilon, gaussian, laplace, number};
use dp_calibration::utility::{Estimates, NoisyTotal, largest_noise, rappor_total};
use dp_calibration::{NoiseKind, WorstCaseDifference, discrete_gaussian, discrete_laplace};
use dp_exact::Rational;

/// Far out: P(|X| > m) = 2q^(m+1)/(1+q) for one Laplace draw, and the normal tail.
#[test]
fn margins_far_out_and_of_wide_noise_are_known() {
    for scale in ["3", "1e6", "1e30"] {
        let t = number(scale).to_f64();
        let margin = NoisyTotal::of_aggregators(laplace(scale), 1).margin(0, &number("1e-30"));
        let tail = (2.0 / (1.0 + (-1.0 / t).exp())).ln() - (margin.unwrap() + 1.0) / t;
        assert!((tail - 1e-30_f64.ln()).abs() <= 1.0 / t + 1e-7, "{scale} {tail}");
    }
    for (aggregators, variance) in [(1, "1e6"), (2, "1e12"), (3, "1e30")] {
        let total = NoisyTotal::of_aggregators(gaussian(variance), aggregators);
        let margin = total.margin(0, &number("1e-9")).unwrap();
        let deviations = margin / total.standard_deviation(0);
        assert!((deviations - 6.109_410_2).abs() < 1e-3, "{variance} {deviations}");
    }
}

#[test]
fn the_noise_of_each_of_several_aggregators_is_the_largest_for_an_accuracy() {
    let estimates = Estimates { coordinates: 1000, beta: number("0.05"), aggregators: 3 };
    for kind in [NoiseKind::DiscreteLaplace, NoiseKind::DiscreteGaussian] {
        let of = |parameter| kind.distribution(parameter).into();
        let largest = largest_noise(&estimates, 1, 40.0, of).unwrap();
        let fits = |parameter: Rational| {
            let total = NoisyTotal::of_aggregators(kind.distribution(parameter), 3);
            total.margin_of_all(0, 1000, &number("0.05")).unwrap() <= 40.0
        };
        assert!(fits(largest.clone()) && !fits(largest * number("1.0000001")));
    }
}

#[test]
fn epsilon_is_the_inverse_of_calibration() {
    let slack = "1e-6".parse().unwrap();
    for difference in [difference_of(1, 1), difference_of(2, 1), difference_of(12, 5)] {
        let noise = discrete_gaussian::calibrate(&epsilon("0.8"), &slack, &difference).unwrap();
        let back = discrete_gaussian::epsilon(&noise.variance, &slack, &difference).unwrap();
        assert!((back.to_f64() / 0.8 - 1.0).abs() < 1e-10, "{back}");
        let noise = discrete_laplace::calibrate(&epsilon("0.8"), &slack, &difference).unwrap();
        let back = discrete_laplace::epsilon(&noise.scale, &slack, &difference).unwrap();
        assert!((back.to_f64() / 0.8 - 1.0).abs() < 1e-10, "{back}");
    }
    let one_hot = WorstCaseDifference::one_hot();
    let pure = discrete_laplace::epsilon(&number("4"), &"0".parse().unwrap(), &one_hot);
    assert_eq!(pure.unwrap(), number("0.5"));
}

#[test]
fn what_cannot_be_answered_is_refused_by_name() {
    let total = |noise, aggregators| NoisyTotal::of_aggregators(noise, aggregators);
    let one = || total(laplace("1"), 1);
    for (refused, said) in [
        (one().margin(0, &number("0")), "beta is 0"),
        (one().margin_of_all(0, 0, &number("0.1")), "coordinates is 0"),
        (total(laplace("1e-4"), 1).margin(0, &number("0.1")), "scale is 0.0001"),
        (total(gaussian("1e31"), 1).margin(0, &number("0.1")), "variance is 1"),
        (total(laplace("1"), 0).margin(0, &number("0.1")), "aggregators is 0"),
        (rappor_total(0, &epsilon("1")).map(|_| 0.0), "clients is 0"),
        (rappor_total(1, &epsilon("51")).map(|_| 0.0), "epsilon0 is 51"),
    ] {
        let refused = refused.expect_err(said).to_string();
        assert!(refused.starts_with(said), "{refused}");
    }
}
