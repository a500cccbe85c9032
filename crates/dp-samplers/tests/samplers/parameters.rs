//! Parameters of every size, accepted and refused.

use std::cmp::Ordering;

use dp_exact::{Dyadic, Interval, Rational};
use dp_samplers::{Bernoulli, BernoulliExp, DiscreteGaussian, DiscreteLaplace, Error, Geometric};
use num_bigint::BigInt;
use num_traits::Signed;

use crate::altered_rng::AlteredRng;
use crate::chi_square::rng;
use crate::distributions::{power_of_two, rational};

type Constructor = fn(&Rational) -> Result<(), Error>;

/// Each constructor with the name of its parameter in messages.
const CONSTRUCTORS: [(&str, Constructor); 5] = [
    ("probability", |value| Bernoulli::new(value).map(drop)),
    ("gamma", |value| BernoulliExp::new(value).map(drop)),
    ("scale", |value| Geometric::new(value).map(drop)),
    ("scale", |value| DiscreteLaplace::new(value).map(drop)),
    ("variance", |value| DiscreteGaussian::new(value).map(drop)),
];

/// Name, value and accepted range in the error of a refused parameter.
fn refusal(result: Result<(), Error>) -> (String, String, String) {
    match result.expect_err("the parameter is out of range") {
        Error::Parameter(error) => {
            (error.name().to_owned(), error.value().to_owned(), error.accepted().to_owned())
        }
        other => panic!("{other}"),
    }
}

#[test]
fn parameters_out_of_range_are_refused_by_name_value_and_range() {
    let ranges = ["a number from 0 to 1", "a number of at least 0", "a number greater than 0"];
    for (index, (name, new)) in CONSTRUCTORS.into_iter().enumerate() {
        let refused = |value: &str| {
            let expected = [name, value, ranges[index.min(2)]].map(str::to_owned);
            assert_eq!(refusal(new(&rational(value))), expected.into());
        };
        refused("-1/3");
        match index {
            0 => refused("1.0001"),
            1 => {}
            // Not silence.
            _ => refused("0"),
        }
    }
}

#[test]
fn parameters_beyond_the_limit_are_refused_by_an_error_that_names_it() {
    for (name, new) in CONSTRUCTORS {
        for exponent in [-5000, 5000] {
            let value = power_of_two(exponent / 2) * power_of_two(exponent / 2);
            let (refused, value, accepted) = refusal(new(&value));
            assert_eq!(refused, name);
            assert!(value.contains("5001 bits"), "{value}");
            assert!(accepted.contains("4096"), "{accepted}");
        }
    }
}

/// A draw works on numbers of a few thousand bits, some words for each random integer; nothing is
/// repeated as often as a parameter is large.
#[test]
fn a_draw_at_the_limit_takes_a_bounded_number_of_words() {
    let largest: BigInt = (BigInt::from(1) << 4096) - 1;
    let odd: BigInt = (BigInt::from(1) << 4095) + 1;
    for parameter in [
        Rational::integer(largest.clone()),
        Rational::new(1, largest.clone()).unwrap(),
        Rational::new(largest.clone(), odd.clone()).unwrap(),
        Rational::new(odd, largest).unwrap(),
        power_of_two(4000),
    ] {
        let geometric = Geometric::new(&parameter).unwrap();
        let laplace = DiscreteLaplace::new(&parameter).unwrap();
        let gaussian = DiscreteGaussian::new(&parameter).unwrap();
        let exponential = BernoulliExp::new(&parameter).unwrap();
        let mut words = 0;
        let count = |word| {
            words += 1;
            word
        };
        let mut rng = AlteredRng::new(1, count, |_| unreachable!("single draws take words"));
        for _ in 0..20 {
            geometric.sample(&mut rng);
            laplace.sample(&mut rng);
            gaussian.sample(&mut rng);
            exponential.sample(&mut rng);
        }
        assert!(words / 80 < 2000, "{words} words in 80 draws");
        for outcome in [BigInt::from(0), BigInt::from(-3), BigInt::from(1) << 5000] {
            for enclosure in [
                geometric.probability(outcome.magnitude().clone(), 64),
                laplace.probability(outcome.clone(), 64),
                gaussian.probability(outcome, 64),
            ] {
                assert!(enclosure.upper().mantissa().is_positive());
            }
        }
    }
}

#[test]
fn a_standard_deviation_of_two_to_the_2000_gives_noise_of_that_size() {
    let distribution = DiscreteGaussian::new(&power_of_two(4000)).unwrap();
    let mut rng = rng(2);
    let draws: Vec<BigInt> = (0..50).map(|_| distribution.sample(&mut rng)).collect();
    // |X| < σ/1000 has probability 8e-4, |X| > 40σ less than 1e-300; 25 of the former in 50
    // draws, less than 1e-60.
    let large = draws.iter().filter(|draw| draw.bits() > 1990).count();
    assert!(large > 25);
    assert!(draws.iter().all(|draw| draw.bits() < 2006));
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
        let at_one = gaussian.probability(1, 64);
        assert!(at_one.upper().mantissa().is_positive());
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
    for exponent in [-20, -3, 0, 5, 80, 4000] {
        let parameter = power_of_two(exponent) * rational("5/3");
        let geometric = Geometric::new(&parameter).unwrap();
        let laplace = DiscreteLaplace::new(&parameter).unwrap();
        let gaussian = DiscreteGaussian::new(&parameter).unwrap();
        for precision in [32, 64, 200, 1000] {
            for outcome in [0, 1, -7, 300].map(BigInt::from) {
                let magnitude = outcome.magnitude();
                assert!(is_narrow(&geometric.probability(magnitude.clone(), precision), precision));
                assert!(is_narrow(&laplace.probability(outcome.clone(), precision), precision));
                assert!(is_narrow(&gaussian.probability(outcome.clone(), precision), precision));
            }
        }
    }
}

#[test]
fn a_precision_out_of_all_bounds_is_brought_within_them() {
    let distribution = Geometric::new(&rational("2")).unwrap();
    assert!(distribution.probability(0_u8, 0).is_positive());
    assert!(distribution.probability(0_u8, u32::MAX).is_positive());
}
