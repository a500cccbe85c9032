//! Why a grid: the sets of outputs that two neighbouring batches can reach.
//!
//! With noise in floating point they differ, and some outputs betray the batch whatever ε is
//! (Mironov, "On Significance of the Least Significant Bits for Differential Privacy", CCS 2012).
//! On a grid both batches reach the same lattice.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use dp_exact::Rational;
use dp_grid::Grid;
use dp_samplers::{DiscreteLaplace, NoiseRng, Seed};
use proptest::prelude::*;
use rand_core::Rng;

/// Laplace noise as it is often written: a uniform number of 53 bits, put through the inverse of the
/// distribution function, all in `f64`.
fn float_laplace(scale: f64, rng: &mut NoiseRng) -> f64 {
    let bits = i64::try_from(rng.next_u64() >> 11).expect("53 bits");
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    let uniform = bits as f64 / 2f64.powi(53) - 0.5;
    -scale * uniform.signum() * (-2.0 * uniform.abs()).ln_1p()
}

/// Whether any `f64` at all, however it was drawn, takes `start` to `output` by one addition.
/// Addition is monotone, so it is enough to look around the difference.
fn some_noise_reaches(output: f64, start: f64) -> bool {
    let nearest = output - start;
    let mut noise = (0..4).fold(nearest, |z, _| z.next_down());
    (0..9).any(|_| {
        let reached = start + noise;
        noise = noise.next_up();
        reached == output
    })
}

/// The share of the outputs from `start` that certainly did not come from `neighbour`.
fn betrayed_by_float_noise(start: f64, neighbour: f64) -> f64 {
    const DRAWS: u32 = 20_000;
    let mut rng = Seed::from_u64(2012).rng();
    let certain = (0..DRAWS)
        .map(|_| start + float_laplace(1.0, &mut rng))
        .filter(|&output| !some_noise_reaches(output, neighbour))
        .count();
    f64::from(u32::try_from(certain).expect("few")) / f64::from(DRAWS)
}

/// Sums 0 and 1, sensitivity 1, ε = 1. The share betrayed is a δ: 1e-9 would be much.
#[test]
fn floating_point_laplace_noise_betrays_the_batch() {
    let share = betrayed_by_float_noise(0.0, 1.0);
    println!("{:.1} % of the outputs betray the batch", 100.0 * share);
    assert!((0.3..0.5).contains(&share), "{share}");
    // The same holds for a sum far from 0 against another.
    assert!(betrayed_by_float_noise(0.3, 0.7) > 0.05);
}

#[test]
fn the_judge_of_reachability_accuses_nobody_falsely() {
    let mut rng = Seed::from_u64(1).rng();
    for start in [0.0, 1.0, 0.3, -17.25] {
        for _ in 0..5_000 {
            let output = start + float_laplace(1.0, &mut rng);
            assert!(some_noise_reaches(output, start), "{output}");
        }
    }
}

/// A grid, the values of a batch, and one value that replaces the first.
fn neighbours() -> impl Strategy<Value = (Grid, Vec<f64>, f64)> {
    let grid = (-500i64..500, 1i64..50, 1u128..300).prop_map(|(low, divisor, steps)| {
        let granularity = Rational::new(1, divisor).expect("a fraction");
        let low = Rational::new(low, 7).expect("a fraction");
        let high = &low + &(&granularity * &Rational::integer(steps));
        Grid::new(low, high, granularity).expect("a grid")
    });
    let value = -200.0..400.0f64;
    (grid, prop::collection::vec(value.clone(), 1..30), value)
}

fn total(grid: &Grid, values: &[f64]) -> i128 {
    let cells = values
        .iter()
        .map(|&value| grid.cell_of_f64(value).expect("finite"));
    cells.map(|cell| i128::try_from(cell).expect("small")).sum()
}

fn reports(values: &[f64]) -> u64 {
    u64::try_from(values.len()).expect("small")
}

/// What is published for each noise: the exact sum, and the bits of the `f64` that is shown.
fn published(grid: &Grid, values: &[f64], noise: RangeInclusive<i128>) -> Vec<(Rational, u64)> {
    let total = total(grid, values);
    let sums = noise.map(|noise| grid.sum(total + noise, reports(values)));
    sums.map(|sum| (sum.clone(), sum.to_f64().to_bits()))
        .collect()
}

proptest! {
    /// Noise k on one batch and noise k + shift on the other publish the same number, to the bit,
    /// for every k; and the shift is at most the sensitivity that the noise was calibrated for. So
    /// each output is reached from both, with the probabilities of noise k and k + shift, which
    /// differ by the factor e^ε at most.
    #[test]
    fn neighbouring_batches_give_outputs_on_the_same_lattice((grid, values, other) in neighbours()) {
        let mut neighbour = values.clone();
        neighbour[0] = other;
        let shift = total(&grid, &values) - total(&grid, &neighbour);
        prop_assert!(shift.unsigned_abs() <= grid.sensitivity_in_cells());

        const REACH: i128 = 100;
        let one = published(&grid, &values, -REACH..=REACH);
        let two = published(&grid, &neighbour, shift - REACH..=shift + REACH);
        prop_assert_eq!(&one, &two);

        // The lattice is n·low + g·ℤ, known before any value is.
        let origin = &Rational::from(reports(&values)) * grid.low();
        for (sum, _) in &one {
            let steps = (sum - &origin).checked_div(grid.granularity()).expect("above 0");
            prop_assert!(steps.is_integer());
        }
    }
}

/// The experiment that betrayed floating-point noise, on a grid, with the exact sampler: whatever
/// either batch publishes is among what the other can publish. Noise beyond 1000, a hundred scales,
/// has a probability below 1e-43.
#[test]
fn no_output_on_the_grid_betrays_the_batch() {
    let tenth = "0.1".parse().expect("a number");
    let grid = Grid::new(Rational::zero(), Rational::one(), tenth).expect("a grid");
    // ε = 1: the scale is the sensitivity in cells.
    let scale = Rational::integer(grid.sensitivity_in_cells());
    let laplace = DiscreteLaplace::new(&scale).expect("a scale");
    let mut rng = Seed::from_u64(2012).rng();
    for (value, neighbour) in [(0.0, 1.0), (1.0, 0.0), (0.3, 0.7)] {
        let reached = published(&grid, &[neighbour], -1100..=1100);
        let reached: HashSet<u64> = reached.into_iter().map(|(_, bits)| bits).collect();
        for _ in 0..5_000 {
            let noise: i128 = laplace.sample_as::<i64, _>(&mut rng).expect("small").into();
            let output = published(&grid, &[value], noise..=noise)[0].1;
            assert!(reached.contains(&output));
        }
    }
}
