//! The engine of each parameter, and the probability of its exceptional path.

use dp_samplers::{Binomial, DiscreteGaussian, DiscreteLaplace, Geometric, Variant};

use crate::distributions::{power_of_two, rational};

#[test]
fn every_parameter_up_to_the_limits_is_served_without_secret_addresses() {
    let gaussian = |variance: &str| DiscreteGaussian::new(&rational(variance)).unwrap();
    for (variance, variant) in [
        ("1e-9", Variant::TableScan),
        ("547.12623649", Variant::TableScan),
        ("1100", Variant::TableScan),
        ("1101", Variant::Rounds),
        ("1e60", Variant::Rounds),
    ] {
        assert_eq!(gaussian(variance).variant(), variant, "{variance}");
    }
    let widest = DiscreteGaussian::new(&power_of_two(215)).unwrap();
    assert_eq!(widest.variant(), Variant::Rounds);
    for (scale, variant) in [
        ("1e-9", Variant::TableScan),
        ("4", Variant::TableScan),
        ("128", Variant::TableScan),
        ("129", Variant::Rounds),
        ("1e31", Variant::Rounds),
    ] {
        let laplace = DiscreteLaplace::new(&rational(scale)).unwrap();
        assert_eq!(laplace.variant(), variant, "{scale}");
        let geometric = Geometric::new(&rational(scale)).unwrap();
        assert_eq!(geometric.variant(), variant, "{scale}");
        for undecided in [laplace.undecided(), geometric.undecided()] {
            assert!(undecided.unwrap() < 1 << 18, "{scale}");
        }
    }
    for variance in ["1e-9", "1100", "1e4", "1e10", "1e60"] {
        let undecided = gaussian(variance).undecided().unwrap();
        assert!(undecided < 1 << 19, "{variance} {undecided}");
    }
}

/// Standard deviations from 0 to 5e5, symmetric and skewed to both sides, at both sides of the
/// change of engine.
#[test]
fn every_binomial_is_served_without_secret_addresses() {
    let mut variants = [0; 2];
    for variance in [1, 30, 900, 1050, 1150, 1200, 1300, 1401, 5000, 100_000] {
        for (numerator, denominator) in
            [(1, 2), (1, 7), (1, 1_000_000), (6, 7), (999_999, 1_000_000)]
        {
            let p = rational(&format!("{numerator}/{denominator}"));
            let spread = p.to_f64() * (1.0 - p.to_f64());
            let trials = dp_exact::Rational::from_f64(f64::from(variance) / spread);
            let trials = u64::try_from(trials.unwrap().floor()).unwrap();
            let distribution = Binomial::new(trials, p).unwrap();
            variants[usize::from(distribution.variant() == Variant::Rounds)] += 1;
            assert_ne!(distribution.variant(), Variant::Reference);
            let undecided = distribution.undecided().unwrap();
            assert!(undecided < 1 << 26, "{trials} {undecided}");
        }
    }
    assert!(variants[0] > 15 && variants[1] > 15, "{variants:?}");
    for p in ["1/2", "1e-11", "1e-8", "0.2689", "0.999999"] {
        Binomial::new(Binomial::MAX_TRIALS, rational(p)).unwrap();
    }
}

#[test]
fn what_is_certain_is_decided_and_what_the_reference_serves_depends_on_outcomes() {
    for probability in ["0", "1"] {
        let distribution = Binomial::new(7, rational(probability)).unwrap();
        assert_eq!(distribution.undecided(), Some(0));
    }
    let beyond = DiscreteGaussian::new(&power_of_two(4000)).unwrap();
    assert_eq!((beyond.undecided(), beyond.variant()), (None, Variant::Reference));
}
