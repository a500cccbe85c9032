//! The geometric distribution.

use dp_samplers::Geometric;
use num_bigint::BigInt;

use crate::chi_square::{FALSE_ALARM, p_value, rng};
use crate::distributions::{geometric_cells, power_of_two, rational, residue_cells};

#[test]
fn geometric_draws_follow_the_exact_distribution() {
    let short = ["1/4", "2/5", "1", "2", "20/3", "20", "65535", "1e6"];
    let parameters = short.map(rational).into_iter().chain([80, 200].map(power_of_two));
    for (seed, scale) in (300..).zip(parameters) {
        let distribution = Geometric::new(&scale).unwrap();
        let mut rng = rng(seed);
        let p_value = p_value(&geometric_cells(&scale), || distribution.sample(&mut rng).into());
        assert!(p_value > FALSE_ALARM, "{scale}: {p_value}");
    }
}

#[test]
fn huge_geometric_draws_fill_every_residue() {
    for (seed, scale) in (320..).zip([rational("1e6"), power_of_two(80)]) {
        let distribution = Geometric::new(&scale).unwrap();
        let mut rng = rng(seed);
        let residue = || BigInt::from(distribution.sample(&mut rng) % 8_u8);
        assert!(p_value(&residue_cells(), residue) > FALSE_ALARM);
    }
}

#[test]
fn the_probabilities_sum_to_one() {
    let distribution = Geometric::new(&rational("2/5")).unwrap();
    let sum: f64 = (0..40_u32).map(|k| distribution.probability(k, 64).midpoint()).sum();
    assert!((sum - 1.0).abs() < 1e-14);
}
