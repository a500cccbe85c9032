//! Draws of the discrete Gaussian and the discrete Laplace distribution against exact
//! probabilities.

use dp_exact::Rational;
use dp_samplers::{DiscreteGaussian, DiscreteLaplace};
use num_bigint::BigInt;
use num_integer::Integer;
use rand_core::CryptoRng;

use crate::chi_square::{Cells, FALSE_ALARM, p_value, rng};
use crate::distributions::{gaussian_cells, laplace_cells, power_of_two, rational, residue_cells};

#[test]
fn draws_follow_the_exact_distribution() {
    let follows = |seed, parameter: &Rational, cells: &Cells, draw: &dyn Fn(&mut _) -> BigInt| {
        let mut rng = rng(seed);
        let p_value = p_value(cells, || draw(&mut rng));
        assert!(p_value > FALSE_ALARM, "{parameter}: {p_value}");
    };
    // On both sides of each change of the engine.
    let variances = ["1/4", "2/5", "1", "2", "9/2", "27", "547.1262", "1e6", "1048577", "1e10"];
    let variances = variances.into_iter().map(rational).chain([80, 160].map(power_of_two));
    for (seed, variance) in (500..).zip(variances) {
        let gaussian = DiscreteGaussian::new(&variance).expect("positive");
        follows(seed, &variance, &gaussian_cells(&variance), &|rng| gaussian.sample(rng));
    }
    let scales = ["1/4", "2/5", "1", "2", "20/3", "20", "65535", "1e6"];
    let scales = scales.into_iter().map(rational).chain([80, 109].map(power_of_two));
    for (seed, scale) in (500..).zip(scales) {
        let laplace = DiscreteLaplace::new(&scale).expect("positive");
        follows(seed, &scale, &laplace_cells(&scale), &|rng| laplace.sample(rng));
    }
}

/// Draws one by one, taken from slices of `length` draws.
pub(crate) fn from_slices<R: CryptoRng>(
    distribution: &DiscreteGaussian,
    length: usize,
    rng: &mut R,
) -> impl FnMut() -> BigInt {
    let mut draws = std::iter::repeat_with(move || {
        let mut slice = vec![BigInt::ZERO; length];
        distribution.fill(rng, &mut slice).expect("big integers hold all");
        slice
    })
    .flatten();
    move || draws.next().expect("endless")
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
        let cells = gaussian_cells(&variance);
        let p_value = p_value(&cells, from_slices(&distribution, length, &mut rng));
        assert!(p_value > FALSE_ALARM, "{variance}: {p_value}");
        let mut draw = from_slices(&distribution, length, &mut rng);
        let residue = || draw().mod_floor(&BigInt::from(8));
        assert!(crate::chi_square::p_value(&residue_cells(), residue) > FALSE_ALARM);
    }
}
