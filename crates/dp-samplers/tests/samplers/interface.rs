//! What the types guarantee beside their distributions: streams, slices, overflow, seeds.

use dp_samplers::{Binomial, DiscreteGaussian, DiscreteLaplace, Error, NoiseRng, Seed};
use num_bigint::BigInt;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use zeroize::ZeroizeOnDrop;

use crate::chi_square::rng;
use crate::distributions::{power_of_two, rational};

#[test]
fn a_draw_that_does_not_fit_is_an_error_that_keeps_the_draw_to_itself() {
    let distribution = DiscreteLaplace::new(&power_of_two(60)).unwrap();
    // A draw fits 16 bits with probability below 2^−40.
    let error = distribution.fill(&mut rng(3), &mut [0_i16; 4]).unwrap_err();
    assert!(matches!(error, Error::Overflow { index: 0, target: "i16" }));
    assert_eq!(error.to_string(), "the noise at position 0 does not fit i16");
    distribution.fill(&mut rng(3), &mut [BigInt::ZERO]).unwrap();
}

#[test]
fn noise_that_is_added_is_that_of_parts_of_256() {
    for variance in ["27", "1000", "1e12", "1e30"] {
        let distribution = DiscreteGaussian::new(&rational(variance)).unwrap();
        for length in [0, 1, 16, 17, 255, 256, 257, 320, 512, 1000] {
            let values: Vec<i128> = (0..length).map(|value| value * value - 1000).collect();
            let (mut sums, mut noise) = (values.clone(), vec![0; values.len()]);
            let (mut one, mut other) = (rng(8), rng(8));
            for part in noise.chunks_mut(256) {
                distribution.fill(&mut one, part).unwrap();
            }
            distribution.add_to(&mut other, &mut sums).unwrap();
            let expected = values.iter().zip(&noise).map(|(value, noise)| value + noise);
            assert!(sums.iter().copied().eq(expected), "{variance}, {length}");
            assert_eq!(one.next_u64(), other.next_u64());
            let mut big: Vec<BigInt> = values.into_iter().map(BigInt::from).collect();
            distribution.add_to(&mut rng(8), &mut big).unwrap();
            assert!(big.into_iter().eq(sums.into_iter().map(BigInt::from)));
        }
    }
}

#[test]
fn a_sum_that_does_not_fit_is_an_error_at_its_position() {
    let distribution = DiscreteGaussian::new(&rational("27")).unwrap();
    let mut noise = [0_i64; 300];
    distribution.fill(&mut rng(7), &mut noise).unwrap();
    let first = (200..).find(|index| noise[*index] > 0).unwrap();
    let mut values = [0_i64; 300];
    values[200..].fill(i64::MAX);
    let target = "i64";
    let expected = Error::Overflow { index: first, target };
    assert_eq!(distribution.add_to(&mut rng(7), &mut values), Err(expected));
}

#[test]
fn a_seed_takes_the_bytes_from_its_caller_and_gives_the_stream_of_chacha20() {
    let mut bytes = [7; 32];
    let mut ours = Seed::new(&mut bytes).rng();
    assert_eq!(bytes, [0; 32]);
    let mut theirs = ChaCha20Rng::from_seed([7; 32]);
    assert!((0..100).all(|_| ours.next_u64() == theirs.next_u64()));
    assert!((0..100).all(|_| ours.next_u32() == theirs.next_u32()));
    let (mut here, mut there) = ([0; 300], [0; 300]);
    ours.fill_bytes(&mut here);
    theirs.fill_bytes(&mut there);
    assert_eq!(here, there);
}

#[test]
#[cfg(feature = "simulation")]
fn a_number_gives_the_stream_of_chacha20() {
    let stream = |rng: &mut dyn Rng| -> Vec<u64> { (0..100).map(|_| rng.next_u64()).collect() };
    let expected = stream(&mut ChaCha20Rng::seed_from_u64(7));
    assert_eq!(stream(&mut Seed::from_u64(7).rng()), expected);
}

/// The state of a generator may not lie where a move would leave a copy behind.
#[test]
fn seeds_and_generators_are_wiped_when_dropped_and_moved_by_address() {
    fn wiped<T: ZeroizeOnDrop>() -> usize {
        size_of::<T>()
    }
    assert_eq!(wiped::<Seed>(), size_of::<usize>());
    assert_eq!(wiped::<NoiseRng>(), size_of::<usize>());
}

#[test]
fn seeds_and_generators_show_nothing_and_samplers_their_parameters_and_no_table() {
    let seed = Seed::new(&mut [7; 32]);
    assert_eq!(format!("{seed:?}"), "Seed(..)");
    assert_eq!(format!("{:?}", seed.rng()), "NoiseRng(..)");
    for (parameter, shown) in [("27", "27"), ("1/3", "1/3"), ("1e12", "1000000000000")] {
        let value = rational(parameter);
        let gaussian = DiscreteGaussian::new(&value).unwrap();
        let text = format!("DiscreteGaussian {{ variance: {shown}, .. }}");
        assert_eq!(format!("{gaussian:?}"), text);
        let laplace = DiscreteLaplace::new(&value).unwrap();
        assert_eq!(format!("{laplace:?}"), format!("DiscreteLaplace {{ scale: {shown}, .. }}"));
    }
    let text = format!("{:?}", Binomial::new(1_000_000, rational("1/3")).unwrap());
    assert!(text.contains("trials: 1000000") && text.len() < 120, "{text}");
}
