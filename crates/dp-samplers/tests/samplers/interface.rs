//! What the types promise beside their laws: streams, slices, overflow, seeds.

use dp_samplers::{
    Bernoulli, DiscreteGaussian, DiscreteLaplace, Error, Geometric, NoiseRng, Seed, os_rng,
};
use num_bigint::{BigInt, BigUint};
use rand::distr::Distribution;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use crate::chi_square::rng;
use crate::laws::{power_of_two, rational};

#[test]
fn fill_sample_and_distribution_give_the_same_stream() {
    let law = DiscreteGaussian::new(&rational("27")).unwrap();
    let mut filled = [0_i64; 50];
    law.fill(&mut rng(1), &mut filled).unwrap();

    let mut one_by_one = rng(1);
    let mut iterated = (&law).sample_iter(rng(1));
    for value in filled {
        assert_eq!(law.sample(&mut one_by_one), BigInt::from(value));
        assert_eq!(iterated.next().unwrap(), BigInt::from(value));
    }
}

#[test]
fn a_distribution_takes_part_in_generic_code() {
    fn sum<D: Distribution<bool>>(coin: D) -> usize {
        coin.sample_iter(rng(2))
            .take(100)
            .filter(|&flip| flip)
            .count()
    }
    assert_eq!(sum(Bernoulli::new(&rational("1")).unwrap()), 100);
}

#[test]
fn a_draw_that_does_not_fit_is_an_error_that_keeps_the_draw_to_itself() {
    let law = DiscreteLaplace::new(&power_of_two(200)).unwrap();
    // A draw fits 64 bits with probability below 2^−136.
    let error = law.fill(&mut rng(3), &mut [0_i64; 4]).unwrap_err();
    assert!(matches!(
        error,
        Error::Overflow {
            index: 0,
            target: "i64"
        }
    ));
    assert_eq!(
        error.to_string(),
        "the draw for position 0 does not fit i64"
    );
    law.fill(&mut rng(3), &mut [BigInt::ZERO]).unwrap();

    let law = Geometric::new(&power_of_two(200)).unwrap();
    assert!(law.fill(&mut rng(3), &mut [0_u128; 4]).is_err());
    law.fill(&mut rng(3), &mut [BigUint::ZERO]).unwrap();
}

#[test]
fn negative_noise_does_not_fit_unsigned_integers() {
    let law = DiscreteGaussian::new(&rational("27")).unwrap();
    // All of 400 draws are at least 0 with probability 0.54^400.
    assert!(law.fill(&mut rng(4), &mut [0_u64; 400]).is_err());
}

#[test]
fn a_seed_gives_the_stream_of_chacha20() {
    let mut ours = Seed::new([7; 32]).rng();
    let mut theirs = ChaCha20Rng::from_seed([7; 32]);
    assert!((0..100).all(|_| ours.next_u64() == theirs.next_u64()));

    let mut ours = Seed::from_u64(7).rng();
    let mut theirs = ChaCha20Rng::seed_from_u64(7);
    assert!((0..100).all(|_| ours.next_u64() == theirs.next_u64()));
}

#[test]
fn a_seed_does_not_show_itself() {
    assert_eq!(format!("{:?}", Seed::new([7; 32])), "Seed(..)");
}

#[test]
fn the_operating_system_gives_a_new_generator_each_time() {
    let (mut one, mut other): (NoiseRng, NoiseRng) = (os_rng().unwrap(), os_rng().unwrap());
    // Equal with probability 2^−128.
    assert_ne!(
        [one.next_u64(), one.next_u64()],
        [other.next_u64(), other.next_u64()]
    );
    let (mut one, mut other) = (
        Seed::from_os().unwrap().rng(),
        Seed::from_os().unwrap().rng(),
    );
    assert_ne!(
        [one.next_u64(), one.next_u64()],
        [other.next_u64(), other.next_u64()]
    );
}

#[test]
fn a_generator_behind_a_pointer_serves() {
    let law = DiscreteLaplace::new(&rational("2")).unwrap();
    let mut generator: Box<dyn rand_core::CryptoRng> = Box::new(rng(5));
    assert_eq!(law.sample(&mut *generator), law.sample(&mut rng(5)));
}
