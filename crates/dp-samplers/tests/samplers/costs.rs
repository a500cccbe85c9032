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

/// Property tests draw from binomials of other sizes.
#[test]
fn binomials_of_the_most_trials_are_served_and_a_certain_one_is_decided() {
    for p in ["1/2", "1e-11", "1e-8", "0.2689", "0.999999"] {
        Binomial::new(Binomial::MAX_TRIALS, rational(p)).unwrap();
    }
    assert_eq!(Binomial::new(7, rational("1")).unwrap().undecided(), 0);
}
