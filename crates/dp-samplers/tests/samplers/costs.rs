//! The engine of each parameter, and the probability of its exceptional path.

use dp_samplers::{Binomial, DiscreteGaussian, DiscreteLaplace};

use crate::distributions::{power_of_two, rational};

#[test]
fn every_parameter_up_to_the_limits_is_served_without_secret_addresses() {
    let gaussian = |variance| DiscreteGaussian::new(&variance).expect("served");
    let laplace = |scale| DiscreteLaplace::new(&scale).expect("served");
    // Both sides of each change of the engine.
    for (variance, scale) in [("1e-9", "1e-9"), ("1100", "128"), ("1101", "129")] {
        assert!(gaussian(rational(variance)).undecided() < 1 << 19, "{variance}");
        assert!(laplace(rational(scale)).undecided() < 1 << 18, "{scale}");
    }
    for exponent in (-40..=107).step_by(7) {
        for factor in ["1", "1.37", "1.9"].map(rational) {
            let (scale, variance) = (factor * power_of_two(exponent), power_of_two(exponent));
            let undecided = laplace(scale.clone()).undecided();
            assert!(undecided < 1 << 18, "{scale} {undecided}");
            let undecided = gaussian(&scale * &variance).undecided();
            assert!(undecided < 1 << 19, "{scale} {undecided}");
        }
    }
    laplace(power_of_two(109));
    gaussian(power_of_two(215));
}

/// Standard deviations from 0 to 5e5, symmetric and skewed to both sides, at both sides of the
/// change of engine.
#[test]
fn every_binomial_is_served_without_secret_addresses() {
    for variance in [1, 30, 900, 1050, 1150, 1200, 1300, 1401, 5000, 100_000] {
        for (numerator, denominator) in
            [(1, 2), (1, 7), (1, 1_000_000), (6, 7), (999_999, 1_000_000)]
        {
            let p = rational(&format!("{numerator}/{denominator}"));
            let spread = p.to_f64() * (1.0 - p.to_f64());
            let trials = dp_exact::Rational::from_f64(f64::from(variance) / spread);
            let trials = u64::try_from(trials.unwrap().floor()).unwrap();
            let distribution = Binomial::new(trials, p).unwrap();
            let undecided = distribution.undecided();
            assert!(undecided < 1 << 26, "{trials} {undecided}");
        }
    }
    for p in ["1/2", "1e-11", "1e-8", "0.2689", "0.999999"] {
        Binomial::new(Binomial::MAX_TRIALS, rational(p)).unwrap();
    }
    assert_eq!(Binomial::new(7, rational("1")).unwrap().undecided(), 0);
}
