//! Properties at random parameters of every size: an answer or a typed error, never a panic, and
//! slices that hold the draws of repeated calls.

use dp_exact::{Rational, Real};
use dp_samplers::{Binomial, DiscreteGaussian, DiscreteLaplace, Error, Geometric};
use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;

use crate::binomial::Flip;
use crate::chi_square::rng;
use crate::distributions::power_of_two;

/// Draws in each comparison of a slice with repeated calls.
const DRAWS: usize = 5;

/// A fraction of either sign, with up to 4096 bits in numerator and denominator, times a power of
/// two: it may exceed the limit.
fn any_fraction() -> impl Strategy<Value = Rational> {
    let digits = || prop::collection::vec(any::<u32>(), 0..128);
    (digits(), digits(), 0..8_u8, -1500_i64..1500).prop_map(
        |(numerator, denominator, sign, exponent)| {
            let numerator = BigInt::from(BigUint::new(numerator));
            let signed = if sign == 0 { -numerator } else { numerator };
            let denominator = BigInt::from(BigUint::new(denominator)) + 1;
            let fraction = Rational::new(signed, denominator).expect("within the limit");
            fraction * power_of_two(exponent)
        },
    )
}

/// A positive number from 2^−40 to 2^200 with up to a thousand bits.
fn positive() -> impl Strategy<Value = Rational> {
    (prop::collection::vec(any::<u32>(), 1..32), -40_i64..200).prop_map(|(digits, exponent)| {
        let mantissa: BigInt = BigInt::from(BigUint::new(digits)) + 1;
        let bits = i64::try_from(mantissa.bits()).expect("short") - 1;
        Rational::integer(mantissa) * power_of_two(exponent - bits)
    })
}

/// Numbers of trials of every size; a few exceed the limit.
fn trials() -> impl Strategy<Value = u64> {
    (any::<u64>(), 22..64_u32).prop_map(|(number, shift)| number >> shift)
}

/// A probability close to 0, close to 1, or between.
fn probability() -> impl Strategy<Value = Rational> {
    (any::<u64>(), 0..200_i64, any::<bool>()).prop_map(|(number, scale, flip)| {
        let part = Rational::integer(number) * power_of_two(-64 - scale / 4);
        if flip { Rational::one() - part } else { part }
    })
}

/// Whether a constructor accepts exactly the positive numbers within the limit.
fn accepts_the_positive<L>(value: &Rational, result: &Result<L, Error>) -> bool {
    let sound = value.is_positive() && value.bits() <= Rational::MAX_BITS;
    match result {
        Ok(_) => sound,
        Err(Error::Parameter(_)) => !sound,
        Err(_) => false,
    }
}

/// Fails unless a slice holds the draws that repeated calls give, each of a positive probability.
macro_rules! fills_as_it_samples {
    ($distribution:ident, $value:expr, $seed:expr) => {{
        let distribution = $distribution::new($value).unwrap();
        let (mut draws, mut generator) = (vec![BigInt::ZERO; DRAWS], rng($seed));
        distribution.fill(&mut rng($seed), &mut draws).unwrap();
        for draw in draws {
            let single = distribution.sample(&mut generator);
            prop_assert!(distribution.probability(single.clone(), 64).is_positive());
            prop_assert_eq!(draw, BigInt::from(single));
        }
    }};
}

/// Fails unless draws of a binomial distribution, single and in a slice, are at most `trials`, or
/// the trials are refused as too many.
fn binomial_draws<P: Real + Clone + std::fmt::Debug + Send + Sync + 'static>(
    trials: u64,
    probability: &P,
    seed: u64,
) -> Result<(), TestCaseError> {
    let distribution = match Binomial::new(trials, probability.clone()) {
        Ok(distribution) => distribution,
        Err(error) => {
            prop_assert!(trials > Binomial::MAX_TRIALS, "{error}");
            prop_assert!(matches!(error, Error::Parameter(_)));
            return Ok(());
        }
    };
    prop_assert!(distribution.undecided() <= Some(1 << 26));
    let (mut draws, mut generator) = (vec![0_u64; DRAWS], rng(seed));
    distribution.fill(&mut rng(seed), &mut draws).expect("counts fit");
    draws.extend((0..DRAWS).map(|_| distribution.sample(&mut generator)));
    for draw in draws {
        prop_assert!(draw <= trials);
        prop_assert!(distribution.probability(draw, 64).is_positive());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_fraction_is_served_or_refused_by_a_typed_error(value in any_fraction(), seed: u64) {
        prop_assert!(accepts_the_positive(&value, &DiscreteGaussian::new(&value)));
        prop_assert!(accepts_the_positive(&value, &DiscreteLaplace::new(&value)));
        prop_assert!(accepts_the_positive(&value, &DiscreteGaussian::check(&value)));
        prop_assert!(accepts_the_positive(&value, &DiscreteLaplace::check(&value)));
        prop_assert!(accepts_the_positive(&value, &Geometric::new(&value)));
        let inside = !value.is_negative() && value <= Rational::one();
        match Binomial::new(1000, value.clone()) {
            Ok(distribution) => prop_assert!(inside && distribution.sample(&mut rng(seed)) <= 1000),
            Err(error) => prop_assert!(!inside && matches!(error, Error::Parameter(_))),
        }
    }

    #[test]
    fn slices_hold_the_draws_of_repeated_calls(value in positive(), seed: u64) {
        fills_as_it_samples!(DiscreteGaussian, &value, seed);
        fills_as_it_samples!(DiscreteLaplace, &value, seed);
        fills_as_it_samples!(Geometric, &value, seed);
    }

    #[test]
    fn binomials_of_any_size_draw_within_their_trials(
        trials in trials(),
        probability in probability(),
        seed: u64,
    ) {
        binomial_draws(trials, &probability, seed)?;
    }

    #[test]
    fn binomials_of_flipped_bits_draw_within_their_trials(
        trials in trials(),
        millionths in 0..200_000_000_u64,
        seed: u64,
    ) {
        let epsilon = Rational::new(millionths, 1_000_000).unwrap();
        binomial_draws(trials, &Flip(epsilon), seed)?;
    }
}
