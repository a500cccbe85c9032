//! The types of simulation mode follow the same laws.

use dp_samplers::{Binomial, Error, simulation};
use num_bigint::BigInt;
use num_integer::Integer;
use rand_core::Rng;

use crate::binomial::{binomials, cells};
use crate::chi_square::{FALSE_ALARM, p_value, rng};
use crate::laws::{
    gaussian_cells, geometric_cells, laplace_cells, power_of_two, rational, residue_cells,
};

/// The draws of a bulk sampler, one by one.
fn drawn(fill: impl FnOnce(&mut [BigInt])) -> impl FnMut() -> BigInt {
    let mut draws = vec![BigInt::ZERO; 100_000];
    fill(&mut draws);
    let mut draws = draws.into_iter();
    move || draws.next().expect("as many as are tested")
}

#[test]
fn discrete_gaussian_draws_in_simulation_mode_follow_the_exact_law() {
    let variances = ["1/4", "2", "27", "547.1262", "1e6", "1048577", "1e10"].map(rational);
    let large = [80, 90, 160, 230].map(power_of_two);
    for (seed, variance) in (800..).zip(variances.into_iter().chain(large)) {
        let law = simulation::DiscreteGaussian::new(&variance).unwrap();
        let draws = drawn(|out| law.fill(&mut rng(seed), out).unwrap());
        let bulk = p_value(&gaussian_cells(&variance), draws);
        let mut rng = rng(seed + 100);
        let single = p_value(&gaussian_cells(&variance), || {
            law.sample_as(&mut rng).unwrap()
        });
        assert!(bulk > FALSE_ALARM && single > FALSE_ALARM, "{variance}");
        assert!(law.table_bytes() <= 1 << 20);
    }
}

#[test]
fn discrete_laplace_draws_in_simulation_mode_follow_the_exact_law() {
    let scales = ["2/5", "2", "20", "100", "65535000"].map(rational);
    for (seed, scale) in (820..).zip(scales.into_iter().chain([power_of_two(80)])) {
        let law = simulation::DiscreteLaplace::new(&scale).unwrap();
        let draws = drawn(|out| law.fill(&mut rng(seed), out).unwrap());
        assert!(
            p_value(&laplace_cells(&scale), draws) > FALSE_ALARM,
            "{scale}"
        );
        let mut rng = rng(seed + 100);
        let single = || law.sample_as(&mut rng).unwrap();
        assert!(
            p_value(&laplace_cells(&scale), single) > FALSE_ALARM,
            "{scale}"
        );
    }
}

#[test]
fn geometric_draws_in_simulation_mode_follow_the_exact_law() {
    for (seed, scale) in (840..).zip(["2/5", "20", "65535000"].map(rational)) {
        let law = simulation::Geometric::new(&scale).unwrap();
        let draws = drawn(|out| law.fill(&mut rng(seed), out).unwrap());
        assert!(
            p_value(&geometric_cells(&scale), draws) > FALSE_ALARM,
            "{scale}"
        );
    }
}

#[test]
fn binomial_draws_in_simulation_mode_follow_the_exact_law() {
    for (seed, (trials, probability, range)) in (950..).zip(binomials()) {
        let law = Binomial::new(trials, rational(probability)).unwrap();
        let short = simulation::Binomial::new(trials, rational(probability)).unwrap();
        let mut rng = rng(seed);
        let draw = || short.sample(&mut rng).into();
        assert!(p_value(&cells(&law, range), draw) > FALSE_ALARM, "{trials}");
    }
}

#[test]
fn certain_outcomes_are_certain_in_simulation_mode() {
    for (trials, probability, outcome) in [(7, "0", 0), (7, "1", 7), (0, "1/3", 0)] {
        let law = simulation::Binomial::new(trials, rational(probability)).unwrap();
        let mut rng = rng(930);
        assert!((0..10).all(|_| law.sample(&mut rng) == outcome));
    }
}

#[test]
fn low_digits_in_simulation_mode_fill_every_residue() {
    let laplace = simulation::DiscreteLaplace::new(&rational("65535000")).unwrap();
    let gaussian = simulation::DiscreteGaussian::new(&power_of_two(80)).unwrap();
    let mut rng = rng(850);
    for draw in [true, false] {
        let residue = || {
            let draw: BigInt = if draw {
                laplace.sample_as(&mut rng).unwrap()
            } else {
                gaussian.sample_as(&mut rng).unwrap()
            };
            draw.mod_floor(&BigInt::from(8))
        };
        assert!(p_value(&residue_cells(), residue) > FALSE_ALARM);
    }
}

#[test]
fn parameters_beyond_the_tables_are_served_by_the_reference() {
    let law = simulation::DiscreteGaussian::new(&power_of_two(4000)).unwrap();
    let mut draws = vec![BigInt::ZERO; 20];
    law.fill(&mut rng(860), &mut draws).unwrap();
    // P(|X| < 2^1900) is below 2^−90 for each.
    assert!(draws.iter().all(|draw| draw.bits() > 1900));
    let law = simulation::DiscreteLaplace::new(&power_of_two(4000)).unwrap();
    assert!(matches!(
        law.fill(&mut rng(861), &mut [0_i64; 7]),
        Err(Error::Overflow { index: 0, .. })
    ));
    assert!(simulation::Geometric::new(&rational("0")).is_err());
}

#[test]
fn a_slice_that_ends_within_a_word_is_filled() {
    let law = simulation::DiscreteGaussian::new(&rational("27")).unwrap();
    for length in 0..9 {
        let mut draws = vec![i64::MIN; length];
        let mut generator = rng(870);
        law.fill(&mut generator, &mut draws).unwrap();
        assert!(draws.iter().all(|draw| draw.abs() < 100));
        // At most one word for four, unless one was undecided.
        let mut fresh = rng(870);
        for _ in 0..length.div_ceil(4) {
            fresh.next_u64();
        }
        assert_eq!(generator.next_u64(), fresh.next_u64());
    }
}

#[test]
fn what_simulation_mode_takes_from_the_root_has_its_draws_and_its_tables() {
    let (trials, probability) = (1_000_000_000_000, rational("1/2"));
    let law = Binomial::new(trials, probability.clone()).unwrap();
    let simulated = simulation::Binomial::new(trials, probability).unwrap();
    let (mut draws, mut expected) = ([0_u64; 100], [0; 100]);
    simulated.fill(&mut rng(880), &mut draws).unwrap();
    law.fill(&mut rng(880), &mut expected).unwrap();
    assert_eq!(draws, expected);
    assert_eq!(simulated.table_bytes(), law.table_bytes());
    // A law that fits short words has tables of its own.
    let law = Binomial::new(100, rational("1/3")).unwrap();
    let simulated = simulation::Binomial::new(100, rational("1/3")).unwrap();
    assert_ne!(simulated.table_bytes(), law.table_bytes());
    let (mut draws, mut single) = ([0_u64; 4], [0; 4]);
    simulated.fill(&mut rng(881), &mut draws).unwrap();
    law.fill(&mut rng(881), &mut single).unwrap();
    assert_ne!(draws, single);
}
