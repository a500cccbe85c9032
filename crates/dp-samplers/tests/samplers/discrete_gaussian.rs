//! The discrete Gaussian distribution.

use dp_samplers::{DiscreteGaussian, reference};
use num_bigint::BigInt;
use num_integer::Integer;
use rand_core::CryptoRng;

use crate::chi_square::{FALSE_ALARM, p_value, rng};
use crate::distributions::{gaussian_cells, power_of_two, rational, residue_cells};

#[test]
fn discrete_gaussian_draws_follow_the_exact_distribution() {
    // The last three lie on both sides of the step from one table to buckets, and beyond.
    let short = ["1/4", "2/5", "1", "2", "9/2", "27", "547.1262", "1e6", "1048577", "1e10"];
    let parameters = short.map(rational).into_iter().chain([80, 160, 230].map(power_of_two));
    for (seed, variance) in (500..).zip(parameters) {
        let distribution = DiscreteGaussian::new(&variance).unwrap();
        let mut rng = rng(seed);
        let p_value = p_value(&gaussian_cells(&variance), || distribution.sample(&mut rng));
        assert!(p_value > FALSE_ALARM, "{variance}: {p_value}");
    }
}

/// Draws one by one, taken from slices of `length` draws.
pub(crate) fn from_slices<R: CryptoRng>(
    distribution: &DiscreteGaussian,
    length: usize,
    rng: &mut R,
) -> impl FnMut() -> BigInt {
    let (mut slice, mut next) = (vec![BigInt::ZERO; length], length);
    move || {
        if next == length {
            distribution.fill(rng, &mut slice).expect("big integers hold all");
            next = 0;
        }
        next += 1;
        slice[next - 1].clone()
    }
}

#[test]
fn slices_of_large_draws_follow_the_exact_distribution() {
    // Whole batches, a batch with draws left over, and too few draws for a batch.
    let lengths = [4096, 100, 300, 63, 257, 1000];
    let variances = ["1048577", "1e8", "1e12"].map(rational);
    let variances = variances.into_iter().chain([80, 130, 160].map(power_of_two));
    for ((seed, variance), length) in (540..).zip(variances).zip(lengths) {
        let distribution = DiscreteGaussian::new(&variance).unwrap();
        let mut rng = rng(seed);
        let p_value =
            p_value(&gaussian_cells(&variance), from_slices(&distribution, length, &mut rng));
        assert!(p_value > FALSE_ALARM, "{variance}: {p_value}");
        let mut draw = from_slices(&distribution, length, &mut rng);
        let residue = || draw().mod_floor(&BigInt::from(8));
        assert!(crate::chi_square::p_value(&residue_cells(), residue) > FALSE_ALARM);
    }
}

#[test]
fn huge_discrete_gaussian_draws_fill_every_residue() {
    for (seed, variance) in
        (520..).zip([rational("1e6"), power_of_two(21), power_of_two(80), power_of_two(160)])
    {
        let distribution = DiscreteGaussian::new(&variance).unwrap();
        let mut rng = rng(seed);
        let residue = || distribution.sample(&mut rng).mod_floor(&BigInt::from(8));
        assert!(p_value(&residue_cells(), residue) > FALSE_ALARM);
    }
}

#[test]
fn the_reference_follows_the_exact_distribution() {
    let variance = rational("10/3");
    let distribution = reference::DiscreteGaussian::new(&variance).unwrap();
    let mut rng = rng(530);
    assert!(p_value(&gaussian_cells(&variance), || distribution.sample(&mut rng)) > FALSE_ALARM);
}

#[test]
fn the_probabilities_sum_to_one() {
    for variance in ["1/4", "1", "27"] {
        let distribution = DiscreteGaussian::new(&rational(variance)).unwrap();
        let sum: f64 = (-80..=80).map(|x| distribution.probability(x, 64).midpoint()).sum();
        assert!((sum - 1.0).abs() < 1e-14);
    }
}
