//! Pearson's chi-square test of draws against exact probabilities.
//!
//! A test fails below a p-value of 1e-9. The statistic only tends to its limit, so cells are pooled
//! until at least 50 draws are expected in each. Seeds are fixed, so nothing is flaky.

use num_bigint::BigInt;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// A test fails below this p-value.
pub(crate) const FALSE_ALARM: f64 = 1e-9;

/// Draws in each test.
pub(crate) const DRAWS: u32 = 100_000;

/// Cells are pooled until at least this many draws are expected in each.
const SMALLEST_EXPECTATION: f64 = 50.0;

/// The integers cut at ascending edges: cell 0 is below the first edge, cell i from edge i − 1
/// up to below edge i, the last from the last edge on.
pub(crate) struct Cells {
    /// The edges between neighbouring cells, ascending.
    pub(crate) edges: Vec<BigInt>,
    /// The probability of each cell, one more than there are edges.
    pub(crate) probabilities: Vec<f64>,
}

pub(crate) fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// The p-value of [`DRAWS`] draws against the probabilities of the cells.
pub(crate) fn p_value(cells: &Cells, mut draw: impl FnMut() -> BigInt) -> f64 {
    assert_eq!(cells.edges.len() + 1, cells.probabilities.len());
    let mut observed = vec![0_u32; cells.probabilities.len()];
    for _ in 0..DRAWS {
        let value = draw();
        observed[cells.edges.partition_point(|edge| *edge <= value)] += 1;
    }
    p_value_of_counts(&observed, &cells.probabilities)
}

/// The p-value of `observed` counts against `probabilities` that sum to 1.
pub(crate) fn p_value_of_counts(observed: &[u32], probabilities: &[f64]) -> f64 {
    let total: f64 = observed.iter().copied().map(f64::from).sum();
    let mass: f64 = probabilities.iter().sum();
    assert!((mass - 1.0).abs() < 1e-9, "the cells hold {mass}");

    let mut pooled: Vec<(f64, f64)> = Vec::new();
    let mut open = (0.0, 0.0);
    for (&count, &probability) in observed.iter().zip(probabilities) {
        open = (open.0 + f64::from(count), open.1 + total * probability);
        if open.1 >= SMALLEST_EXPECTATION {
            pooled.push(std::mem::take(&mut open));
        }
    }
    let last = pooled.last_mut().expect("one cell holds enough");
    *last = (last.0 + open.0, last.1 + open.1);
    assert!(pooled.len() >= 2, "there is nothing to test in a single cell");

    let statistic: f64 =
        pooled.iter().map(|(count, expected)| (count - expected).powi(2) / expected).sum();
    let freedom = u32::try_from(pooled.len() - 1).expect("few cells");
    ChiSquared::new(freedom.into()).expect("at least one degree of freedom").sf(statistic)
}
