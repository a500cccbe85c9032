//! The estimates of a histogram behind a strategy matrix, as numbers whose noise is independent.
//!
//! Aggregators release y = C·x + z. Generalized least squares with the known number of reports N
//! gives the estimates x̂ ([`HistogramEstimator`]), for which C·x̂ = y − u·(uᵀy − N)/uᵀu with u =
//! C⁻ᵀ1. So C(x̂ − x) is the noise z without its part along u.
//!
//! - Of a folded tree u is 0 except at the rows of the sums of blocks, where it is the same
//!   everywhere. Every other row shows an entry of z, and the difference of two sums shows the
//!   difference of two entries: integers.
//! - Of other matrices the reflection that maps u to an axis leaves, at the other axes, independent
//!   Gaussian noise of the variance of an entry of z. It is rounded to multiples of 1/64 of the
//!   standard deviation of one aggregator's noise. Discrete Gaussian noise of the same variance has
//!   the probabilities of what is rounded to within 10⁻⁷ of them.

use dp_calibration::NoiseDistribution;
use dp_calibration::strategy_matrix::{HistogramEstimator, StrategyFamily, StrategyMatrix};
use dp_exact::Rational;

use super::Collected;
use crate::Error;
use crate::binomial::{float, signed};
use crate::error::untestable;

/// The standard deviation of one aggregator's noise in a rotated coordinate, in steps of rounding.
const STEPS: u32 = 64;

/// Least parameter σ² of discrete Gaussian noise: rotated coordinates would show a coarser lattice.
const WIDE: i64 = 1 << 10;

/// Bits after the binary point of the errors of estimates.
const FRACTION_BITS: u32 = 40;

/// Largest error of an estimate, in reports, so that products with the matrix fit 127 bits.
const MAX_ERROR: f64 = 1e15;

/// The map from the estimates of a histogram to independent coordinates.
#[derive(Clone, Debug)]
pub(super) struct MatrixCoordinates {
    matrix: StrategyMatrix,
    rows: Rows,
}

/// What the product of the strategy matrix with the errors of all estimates shows in its rows.
#[derive(Clone, Debug)]
enum Rows {
    /// Entries of the noise; at the rows `sums`, entries less the mean of these entries.
    Plain { sums: Vec<usize> },
    /// The noise without its part along u. The reflection at the hyperplane of `normal` maps u to
    /// the axis `pivot`. Entries are rounded to multiples of `step`.
    Rotated { normal: Vec<f64>, pivot: usize, step: f64 },
}

impl MatrixCoordinates {
    /// The map from estimates to independent coordinates, and the distribution of one aggregator's
    /// noise in a coordinate. `Err` if coordinates are not independent: of Laplace noise or narrow
    /// Gaussian noise behind another matrix than a folded tree.
    pub(super) fn new(
        matrix: StrategyMatrix,
        noise: NoiseDistribution,
        aggregators: u32,
    ) -> Result<(Self, NoiseDistribution), Error> {
        let buckets = matrix.length();
        if matrix.family() == StrategyFamily::FoldedTree {
            let direction = direction(&matrix);
            let is_sum = |row: &usize| direction[*row] > 0.5 / float(buckets as u64);
            let sums = (0..buckets).filter(is_sum).collect();
            return Ok((Self { matrix, rows: Rows::Plain { sums } }, noise));
        }
        let NoiseDistribution::DiscreteGaussian { variance } = &noise else {
            let accepted = "folded-tree for Laplace noise, whose coordinates are independent";
            return Err(untestable("strategy_matrix", matrix.family(), accepted));
        };
        if *variance < WIDE {
            let accepted = "at least 1024 behind a strategy matrix";
            return Err(untestable("variance", variance, accepted));
        }
        let mut normal = direction(&matrix);
        let length = inner(&normal, &normal).sqrt();
        normal.iter_mut().for_each(|entry| *entry /= length);
        // The axis of the largest entry, so that nothing cancels.
        let by_size =
            |one: &usize, other: &usize| normal[*one].abs().total_cmp(&normal[*other].abs());
        let pivot = (0..buckets).max_by(by_size).expect("a matrix has rows");
        normal[pivot] += 1.0f64.copysign(normal[pivot]);
        let step = variance.to_f64().sqrt() / f64::from(STEPS);
        // Rounding adds 1/12 to the variance of a total.
        let rounding = Rational::new(1, 12 * aggregators.max(1))?;
        let steps = Rational::from(u64::from(STEPS * STEPS)) + rounding;
        let noise = NoiseDistribution::DiscreteGaussian { variance: steps };
        Ok((Self { matrix, rows: Rows::Rotated { normal, pivot, step } }, noise))
    }

    /// The independent coordinates of a collection, whose true values are 0, and for each the
    /// number of draws of each aggregator that it adds up.
    pub(super) fn of(&self, collected: &Collected) -> Vec<(f64, u32)> {
        let errors = collected.released.iter().zip(&collected.truths);
        let noise =
            product(&self.matrix, errors.map(|(released, truth)| released - signed(*truth)));
        match &self.rows {
            Rows::Plain { sums } => {
                let entries = noise.iter().enumerate();
                let entries = entries.filter(|(row, _)| sums.binary_search(row).is_err());
                let pairs = sums.chunks_exact(2).map(|two| (noise[two[0]] - noise[two[1]], 2));
                entries.map(|(_, entry)| (*entry, 1)).chain(pairs).collect()
            }
            Rows::Rotated { normal, pivot, step } => {
                let along = 2.0 * inner(normal, &noise) / inner(normal, normal);
                let entries = noise.iter().zip(normal).enumerate();
                let entries = entries.filter(|(row, _)| row != pivot);
                entries
                    .map(|(_, (noise, normal))| (((noise - along * normal) / step).round(), 1))
                    .collect()
            }
        }
    }
}

/// A multiple of u = C⁻ᵀ1 for the strategy matrix C and the vector 1 of ones. For a circulant
/// matrix, whose sums carry no information, the vector of ones.
fn direction(matrix: &StrategyMatrix) -> Vec<f64> {
    let buckets = matrix.length();
    if matrix.family() == StrategyFamily::Circulant {
        return vec![1.0; buckets];
    }
    // Without totals the estimate is x̂ = N·C⁻¹u/uᵀu.
    let nothing = vec![0.0; buckets];
    let spread = HistogramEstimator::new(matrix.clone()).histogram(&nothing, 1);
    product(matrix, spread.into_iter())
}

/// The product of the matrix with a vector x, whose entries are clamped to ±10¹⁵ and rounded to
/// multiples of 2^−40.
fn product(matrix: &StrategyMatrix, x: impl Iterator<Item = f64>) -> Vec<f64> {
    let unit = float(1 << FRACTION_BITS);
    #[expect(clippy::cast_possible_truncation, reason = "numbers are below 2^90")]
    let x: Vec<i128> = x.map(|x| (x.clamp(-MAX_ERROR, MAX_ERROR) * unit).round() as i128).collect();
    #[expect(clippy::cast_precision_loss, reason = "rounding errors are far below a step")]
    matrix.multiply(&x).into_iter().map(|entry| entry as f64 / unit).collect()
}

/// The inner product of two vectors: Σ aᵢbᵢ.
fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
