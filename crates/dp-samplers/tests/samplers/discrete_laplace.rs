//! The discrete Laplace distribution.

use dp_samplers::{DiscreteLaplace, reference};
use num_bigint::BigInt;
use num_integer::Integer;

use crate::chi_square::{FALSE_ALARM, p_value, rng};
use crate::distributions::{laplace_cells, power_of_two, rational, residue_cells};

#[test]
fn discrete_laplace_draws_follow_the_exact_distribution() {
    let short = ["1/4", "2/5", "1", "2", "20/3", "20", "65535", "1e6", "65535000"];
    let parameters = short.map(rational).into_iter().chain([80, 200].map(power_of_two));
    for (seed, scale) in (400..).zip(parameters) {
        let distribution = DiscreteLaplace::new(&scale).unwrap();
        let mut rng = rng(seed);
        let p_value = p_value(&laplace_cells(&scale), || distribution.sample(&mut rng));
        assert!(p_value > FALSE_ALARM, "{scale}: {p_value}");
    }
}

#[test]
fn huge_discrete_laplace_draws_fill_every_residue() {
    for (seed, scale) in (420..).zip([rational("1e6"), power_of_two(80)]) {
        let distribution = DiscreteLaplace::new(&scale).unwrap();
        let mut rng = rng(seed);
        let residue = || distribution.sample(&mut rng).mod_floor(&BigInt::from(8));
        assert!(p_value(&residue_cells(), residue) > FALSE_ALARM);
    }
}

#[test]
fn the_reference_follows_the_exact_distribution() {
    let scale = rational("7/3");
    let distribution = reference::DiscreteLaplace::new(&scale).unwrap();
    let mut rng = rng(430);
    assert!(p_value(&laplace_cells(&scale), || distribution.sample(&mut rng)) > FALSE_ALARM);
}

#[test]
fn the_probability_is_symmetric_and_falls_by_e_to_the_minus_epsilon() {
    let distribution = DiscreteLaplace::new(&rational("2")).unwrap();
    let at = |x: i64| distribution.probability(x, 64).midpoint();
    for x in 0..50 {
        assert!((at(x) - at(-x)).abs() < 1e-300);
        assert!((at(x + 1) / at(x) - (-0.5_f64).exp()).abs() < 1e-15);
    }
}
