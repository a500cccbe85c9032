//! Parameters of every size, accepted and refused, and the probability of their exceptional paths.

use std::cmp::Ordering;

use dp_exact::{Dyadic, Interval, Rational};
use dp_samplers::{Binomial, DiscreteGaussian, DiscreteLaplace, Error};
use num_bigint::BigInt;
use num_traits::Signed as _;
use proptest::prelude::*;

use crate::chi_square::rng;
use crate::distributions::{power_of_two, rational};

#[test]
fn parameters_out_of_range_are_refused_by_name_value_and_range() {
    let just_above = power_of_two(215) + power_of_two(-9);
    for value in [rational("-1/3"), Rational::zero(), just_above, power_of_two(4000)] {
        for (new, name, range) in [
            (DiscreteGaussian::check as fn(&Rational) -> _, "variance", "0 and at most 2^215"),
            (DiscreteLaplace::check, "scale", "0 and at most 2^109"),
        ] {
            let Err(Error::Parameter(refused)) = new(&value) else {
                panic!("{name} {value}");
            };
            assert_eq!(refused.name(), name);
            assert!(value.to_string().starts_with(refused.value().split('…').next().unwrap()));
            assert_eq!(refused.accepted(), format!("a number greater than {range}"));
        }
    }
    for exponent in [-2500, 2500] {
        let value = power_of_two(exponent) * power_of_two(exponent);
        for refused in
            [DiscreteGaussian::check(&value).err(), DiscreteLaplace::new(&value).map(drop).err()]
        {
            let refused = refused.unwrap().to_string();
            assert!(refused.contains("5001 bits") && refused.contains("4096 bits"), "{refused}");
        }
    }
}

#[test]
fn tiny_scales_and_variances_give_zero_all_but_always() {
    let mut rng = rng(3);
    for exponent in [-40, -80, -4000] {
        let parameter = power_of_two(exponent);
        let laplace = DiscreteLaplace::new(&parameter).unwrap();
        let gaussian = DiscreteGaussian::new(&parameter).unwrap();
        for _ in 0..100 {
            assert_eq!(laplace.sample(&mut rng), BigInt::ZERO);
            assert_eq!(gaussian.sample(&mut rng), BigInt::ZERO);
        }
        let at_zero = gaussian.probability(0, 64);
        assert!((at_zero.midpoint() - 1.0).abs() < 1e-15);
        // Too small for any exponent, but not claimed to be 0.
        for at_one in [gaussian.probability(1, 64), laplace.probability(1, 64)] {
            assert!(at_one.upper().mantissa().is_positive());
        }
    }
}

/// Whether the width of the enclosure is at most 2^(6 − `precision`) of its number.
fn is_narrow(enclosure: &Interval, precision: u32) -> bool {
    let point = |end: &Dyadic| Interval::hull_of(end.clone(), end.clone(), 2 * precision);
    let lower = point(enclosure.lower());
    let width = point(enclosure.upper()) - &lower;
    width.shifted(i64::from(precision) - 6).compare(&lower) == Some(Ordering::Less)
}

#[test]
fn probabilities_are_enclosed_to_the_precision_that_is_asked_for() {
    for exponent in [-20, -3, 0, 5, 80, 107] {
        let parameter = power_of_two(exponent) * rational("5/3");
        let laplace = DiscreteLaplace::new(&parameter).unwrap();
        let gaussian = DiscreteGaussian::new(&parameter).unwrap();
        for precision in [32, 64, 200, 1000] {
            for outcome in [0, 1, -7, 300].map(BigInt::from) {
                assert!(is_narrow(&laplace.probability(outcome.clone(), precision), precision));
                assert!(is_narrow(&gaussian.probability(outcome, precision), precision));
            }
        }
        // Precisions out of all bounds are brought within them.
        assert!(gaussian.probability(0, 0).is_positive());
    }
}

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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Probabilities close to 0, close to 1, and between; a few numbers of trials exceed the limit.
    #[test]
    fn binomials_of_any_size_draw_within_their_trials(
        trials in (any::<u64>(), 22..64_u32).prop_map(|(number, shift)| number >> shift),
        part in (any::<u64>(), 0..50_i64),
        flips: bool,
        seed: u64,
    ) {
        let part = Rational::integer(part.0) * power_of_two(-64 - part.1);
        let probability = if flips { Rational::one() - part } else { part };
        let distribution = match Binomial::new(trials, probability) {
            Ok(distribution) => distribution,
            Err(error) => {
                prop_assert!(trials > Binomial::MAX_TRIALS, "{error}");
                prop_assert!(matches!(error, Error::Parameter(_)));
                return Ok(());
            }
        };
        prop_assert!(distribution.undecided() <= 1 << 26);
        let mut draws = [0_u64; 10];
        distribution.fill(&mut rng(seed), &mut draws).expect("counts fit");
        for draw in draws {
            prop_assert!(draw <= trials);
            prop_assert!(distribution.probability(draw, 64).is_positive());
        }
    }
}
