//! The discrete Gaussian distribution.

use dp_samplers::{DiscreteGaussian, reference};
use num_bigint::BigInt;
use num_integer::Integer;

use crate::chi_square::{FALSE_ALARM, p_value, rng};
use crate::laws::{gaussian_cells, power_of_two, rational, residue_cells};

#[test]
fn discrete_gaussian_draws_follow_the_exact_law() {
    // The last three lie on both sides of the step from one table to buckets, and beyond.
    let short = [
        "1/4", "2/5", "1", "2", "9/2", "27", "547.1262", "1e6", "1048577", "1e10",
    ];
    let parameters = short
        .map(rational)
        .into_iter()
        .chain([80, 160, 230].map(power_of_two));
    for (seed, variance) in (500..).zip(parameters) {
        let law = DiscreteGaussian::new(&variance).unwrap();
        let mut rng = rng(seed);
        let p_value = p_value(&gaussian_cells(&variance), || law.sample(&mut rng));
        assert!(p_value > FALSE_ALARM, "{variance}: {p_value}");
    }
}

#[test]
fn huge_discrete_gaussian_draws_fill_every_residue() {
    for (seed, variance) in (520..).zip([
        rational("1e6"),
        power_of_two(21),
        power_of_two(80),
        power_of_two(160),
    ]) {
        let law = DiscreteGaussian::new(&variance).unwrap();
        let mut rng = rng(seed);
        let residue = || law.sample(&mut rng).mod_floor(&BigInt::from(8));
        assert!(p_value(&residue_cells(), residue) > FALSE_ALARM);
    }
}

#[test]
fn the_reference_follows_the_exact_law() {
    let variance = rational("10/3");
    let law = reference::DiscreteGaussian::new(&variance).unwrap();
    let mut rng = rng(530);
    assert!(p_value(&gaussian_cells(&variance), || law.sample(&mut rng)) > FALSE_ALARM);
}

#[test]
fn the_probabilities_sum_to_one() {
    for variance in ["1/4", "1", "27"] {
        let law = DiscreteGaussian::new(&rational(variance)).unwrap();
        let sum: f64 = (-80..=80).map(|x| law.probability(x, 64).midpoint()).sum();
        assert!((sum - 1.0).abs() < 1e-14);
    }
}
