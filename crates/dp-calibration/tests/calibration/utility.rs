//! Accuracy: quantiles against enumeration, bounds for all coordinates at once, and inverses.

use crate::common::{distribution, epsilon, number, sum_of};
use dp_calibration::utility::{
    DebiasedRappor, TotalNoise, continuous_laplace_bound, gaussian_variance, laplace_scale,
    rappor_clients, rappor_epsilon0,
};
use dp_calibration::{NoiseDistribution, WorstCaseDifference, discrete_gaussian, discrete_laplace};
use num_bigint::BigUint;

fn noise(distribution: NoiseDistribution) -> TotalNoise {
    TotalNoise::new(distribution).expect("in range")
}

fn laplace(scale: &str) -> TotalNoise {
    noise(NoiseDistribution::DiscreteLaplace { scale: number(scale) })
}

fn gaussian(variance: &str) -> TotalNoise {
    noise(NoiseDistribution::DiscreteGaussian { variance: number(variance) })
}

fn at(value: u64) -> BigUint {
    value.into()
}

#[test]
fn the_example_of_the_lecture_notes_doubles_under_replacement() {
    let notes = continuous_laplace_bound(1.0, 10_000, 0.05);
    assert!((notes - 200_000f64.ln()).abs() < 1e-12 && (notes - 12.206).abs() < 1e-3);
    let replaced = continuous_laplace_bound(2.0, 10_000, 0.05);
    assert!((replaced - 2.0 * notes).abs() < 1e-12);
    // Discrete noise, exactly and by the union bound.
    let beta = number("0.05");
    let added = laplace("1");
    assert_eq!(added.union_bound(10_000, &beta).unwrap(), at(12));
    assert_eq!(added.simultaneous(10_000, &beta).unwrap(), at(12));
    let replaced = laplace("2");
    assert_eq!(replaced.union_bound(10_000, &beta).unwrap(), at(24));
    // With scale 1 for replacement, what is guaranteed for 12 would be broken.
    assert!(!replaced.tail(&at(12)).unwrap().upper().cmp_rational(&number("5e-6")).is_le());
}

/// P(|S| > `bound`) for the sum S of `draws` draws in proportion to `bell`, by convolution.
fn convolved(bell: impl Fn(f64) -> f64, draws: u32, bound: u32) -> f64 {
    let law = sum_of(draws, &distribution(250, bell));
    let middle = law.len() / 2;
    let outside = |place: usize| place.abs_diff(middle) > usize::try_from(bound).expect("small");
    let tail = law.iter().enumerate().filter(|(place, _)| outside(*place));
    tail.map(|(_, mass)| mass).sum()
}

#[test]
fn the_error_of_several_aggregators_is_that_of_convolution() {
    for (parameter, draws) in [("0.3", 1), ("7.5", 1), ("0.3", 2), ("2", 3), ("4", 5)] {
        let value = number(parameter).to_f64();
        for bound in [0, 3, 17] {
            let pairs = [
                (laplace(parameter), convolved(|x| (-x.abs() / value).exp(), draws, bound)),
                (gaussian(parameter), convolved(|x| (-x * x / (2.0 * value)).exp(), draws, bound)),
            ];
            for (noise, slow) in pairs {
                let noise = noise.from_each_of(draws).unwrap();
                let tail = noise.tail(&bound.into()).unwrap().midpoint();
                assert!(
                    (tail - slow).abs() <= 1e-11 * slow + 1e-15,
                    "{noise:?} {bound}: {tail} {slow}"
                );
            }
        }
    }
}

#[test]
fn the_noise_of_each_of_several_aggregators_is_the_largest_for_an_accuracy() {
    let (bound, beta) = (at(40), number("0.05"));
    let fits = |distribution| {
        let noise = noise(distribution).from_each_of(3).unwrap();
        noise.simultaneous(1000, &beta).unwrap() <= bound
    };
    let laplace_noise = |scale| NoiseDistribution::DiscreteLaplace { scale };
    let gaussian_noise = |variance| NoiseDistribution::DiscreteGaussian { variance };
    let more = number("1.00000000001");
    let scale = laplace_scale(3, &bound, 1000, &beta).unwrap();
    assert!(fits(laplace_noise(scale.clone())) && !fits(laplace_noise(scale * &more)));
    let variance = gaussian_variance(3, &bound, 1000, &beta).unwrap();
    assert!(fits(gaussian_noise(variance.clone())) && !fits(gaussian_noise(variance * &more)));
    assert!(laplace("1").from_each_of(0).is_err() && laplace("1").from_each_of(65).is_err());
}

#[test]
fn a_quantile_is_the_least_bound_that_holds() {
    for noise in [laplace("3"), laplace("1e6"), gaussian("40"), gaussian("1e12"), gaussian("0.01")]
    {
        for beta in ["0.5", "0.05", "1e-9"] {
            let bound = noise.quantile(&number(beta)).unwrap();
            assert!(noise.tail(&bound).unwrap().upper().cmp_rational(&number(beta)).is_le());
            if bound > at(0) {
                let closer = noise.tail(&(bound - 1u32)).unwrap();
                assert!(closer.lower().cmp_rational(&number(beta)).is_gt());
            }
        }
    }
}

#[test]
fn epsilon_is_the_inverse_of_calibration() {
    let slack = "1e-6".parse().unwrap();
    for difference in [
        WorstCaseDifference::one(),
        WorstCaseDifference::one_hot(),
        WorstCaseDifference::new(12, 5u32).unwrap(),
    ] {
        let noise = discrete_gaussian::calibrate(&epsilon("0.8"), &slack, &difference).unwrap();
        let back = discrete_gaussian::epsilon(&noise.variance, &slack, &difference).unwrap();
        assert!((back.to_f64() / 0.8 - 1.0).abs() < 1e-10, "{back}");
        let noise = discrete_laplace::calibrate(&epsilon("0.8"), &slack, &difference).unwrap();
        let back = discrete_laplace::epsilon(&noise.scale, &slack, &difference).unwrap();
        assert!((back.to_f64() / 0.8 - 1.0).abs() < 1e-10, "{back}");
    }
    let pure = discrete_laplace::epsilon(
        &number("4"),
        &"0".parse().unwrap(),
        &WorstCaseDifference::one_hot(),
    );
    assert_eq!(pure.unwrap(), number("0.5"));
}

#[test]
fn the_bound_on_a_debiased_count_is_the_least_that_holds() {
    for (clients, count, rate) in [(1, 0, "1"), (200, 77, "1"), (1000, 0, "3"), (2000, 1990, "5")] {
        let estimate = DebiasedRappor::new(clients, &epsilon(rate), count).unwrap();
        let bound = estimate.quantile(0.05);
        assert!(estimate.tail(bound) <= 0.05 && estimate.tail(bound * 0.999_999) > 0.05);
        assert!(estimate.simultaneous(7, 0.05) <= estimate.union_bound(7, 0.05));
    }
}

#[test]
fn the_clients_and_the_epsilon_for_a_wanted_accuracy() {
    let clients = rappor_clients(&epsilon("2"), 0.01).unwrap();
    let fraction = |clients: u64| {
        let estimate = DebiasedRappor::new(clients, &epsilon("2"), 0).unwrap();
        estimate.standard_deviation() / f64::from(u32::try_from(clients).expect("small"))
    };
    assert!(fraction(clients) <= 0.01 && fraction(clients - 1) > 0.01);
    let rate = rappor_epsilon0(100_000, 26.133_642_838_670_728).unwrap();
    assert!((rate - 5.0).abs() < 1e-12, "{rate}");
}

#[test]
fn what_cannot_be_answered_is_refused_by_name() {
    let message = |result: Result<BigUint, dp_calibration::Error>| {
        result.expect_err("out of range").to_string()
    };
    assert!(message(laplace("1").quantile(&number("0"))).starts_with("beta is 0"));
    assert!(message(laplace("1").simultaneous(0, &number("0.1"))).starts_with("coordinates is 0"));
    for distribution in [
        NoiseDistribution::DiscreteLaplace { scale: number("1e-4") },
        NoiseDistribution::DiscreteGaussian { variance: number("1e31") },
    ] {
        assert!(TotalNoise::new(distribution).is_err());
    }
    assert!(laplace_scale(1, &at(5), 0, &number("0.1")).is_err());
    assert!(DebiasedRappor::new(5, &epsilon("1"), 6).is_err());
    assert!(rappor_epsilon0(5, 0.0).is_err() && rappor_clients(&epsilon("1"), 0.0).is_err());
}
