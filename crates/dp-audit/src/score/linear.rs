//! Fisher's linear discriminant: the weights whose weighted sum of a view tells the inputs apart best, if views differ
//! by a shift. Noise that several coordinates have in common cancels in it.

use super::signed;
use crate::confidence::float;
use crate::sample::Sample;

/// The widest views for which it is computed.
const WIDEST: usize = 64;

/// What is added to the variances, as a fraction of their mean, so that noise that cancels altogether divides nothing
/// by 0.
const RIDGE: f64 = 1e-9;

/// Σ⁻¹·(μ₁ − μ₂), with the covariance Σ within the inputs; `None` for views that are too wide, of one coordinate, or
/// the same on average.
pub(super) fn discriminant(samples: &[Sample; 2]) -> Option<Vec<f64>> {
    let width = samples[0].width();
    if !(2..=WIDEST).contains(&width) {
        return None;
    }
    let means = [mean(&samples[0]), mean(&samples[1])];
    let mut covariance = vec![vec![0.0; width]; width];
    for (sample, mean) in samples.iter().zip(&means) {
        for view in sample.rows() {
            let about: Vec<f64> =
                view.iter().zip(mean).map(|(value, mean)| signed(*value) - mean).collect();
            for (row, one) in covariance.iter_mut().zip(&about) {
                row.iter_mut().zip(&about).for_each(|(sum, other)| *sum += one * other);
            }
        }
    }
    let runs: f64 = samples.iter().map(|sample| float(sample.rows().map(|_| 1).sum())).sum();
    let trace: f64 = covariance.iter().enumerate().map(|(place, row)| row[place]).sum();
    let ridge = RIDGE * (trace / float(width as u64) + 1.0);
    for (place, row) in covariance.iter_mut().enumerate() {
        row[place] += ridge;
        row.iter_mut().for_each(|sum| *sum /= runs);
    }
    let difference = means[0].iter().zip(&means[1]).map(|(one, other)| one - other);
    let weights = solved(covariance, difference.collect());
    weights.iter().all(|weight| weight.is_finite()).then_some(weights)
}

/// The weighted sum.
pub(super) fn weighted(weights: &[f64], view: &[i64]) -> f64 {
    weights.iter().zip(view).map(|(weight, value)| weight * signed(*value)).sum()
}

fn mean(sample: &Sample) -> Vec<f64> {
    let runs = float(sample.rows().map(|_| 1).sum());
    let column = |place| sample.column(place).map(signed).sum::<f64>() / runs;
    (0..sample.width()).map(column).collect()
}

/// Gauss's elimination of a positive definite matrix, which needs no pivots.
fn solved(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for pivot in 0..size {
        for row in pivot + 1..size {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            let (above, below) = matrix.split_at_mut(row);
            let pairs = below[0].iter_mut().zip(&above[pivot]);
            pairs.for_each(|(entry, of_pivot)| *entry -= factor * of_pivot);
            right[row] -= factor * right[pivot];
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|place| matrix[row][place] * right[place]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}
