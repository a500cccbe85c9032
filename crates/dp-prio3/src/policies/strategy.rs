//! The strategy matrix of a policy: what an aggregator multiplies its share by before it adds noise, and what the
//! collector solves for.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use dp_calibration::strategy_matrix::{
    CumulativeEstimate, Functional, HistogramEstimator, StrategyMatrix,
};
use dp_exact::ParameterError;
use zeroize::Zeroizing;

use crate::field::SignedField;
use crate::{Estimate, as_float};

/// A strategy matrix and its estimator, which is built at the first estimate. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Strategy {
    matrix: StrategyMatrix,
    solver: Arc<OnceLock<Solver>>,
}

/// The estimator with the deviations of all buckets for noise of variance 1.
#[derive(Debug)]
struct Solver {
    estimator: HistogramEstimator,
    deviations: Vec<f64>,
}

impl Strategy {
    pub(super) fn new(matrix: StrategyMatrix) -> Self {
        Self { matrix, solver: Arc::default() }
    }

    pub(super) const fn matrix(&self) -> &StrategyMatrix {
        &self.matrix
    }

    fn solver(&self) -> &Solver {
        self.solver.get_or_init(|| {
            let estimator = HistogramEstimator::new(self.matrix.clone());
            Solver { deviations: estimator.bucket_deviations(), estimator }
        })
    }

    /// The estimates of the buckets from noisy totals y = C·x + z, for noise of `variance` in each.
    pub(super) fn estimate(&self, totals: &[i128], reports: u64, variance: f64) -> Vec<Estimate> {
        let Solver { estimator, deviations } = self.solver();
        let values = estimator.histogram(&floats(totals), reports);
        let errors = deviations.iter().map(|deviation| deviation * variance.sqrt());
        let estimates = values.into_iter().zip(errors);
        estimates.map(|(value, standard_error)| Estimate { value, standard_error }).collect()
    }

    /// The covariance of the errors of two buckets.
    pub(super) fn covariance(&self, one: usize, other: usize, variance: f64) -> f64 {
        let bucket = |bucket: usize| self.range(bucket..bucket + 1);
        bucket(one).covariance(&bucket(other), variance)
    }

    /// The number of reports in some buckets, as a function of the noisy totals.
    pub(super) fn range(&self, buckets: Range<usize>) -> Functional {
        self.solver().estimator.range(buckets)
    }

    /// The distribution function with the errors of its values.
    pub(super) fn cumulative(
        &self,
        totals: &[i128],
        reports: u64,
        variance: f64,
        kurtosis: f64,
    ) -> CumulativeEstimate {
        self.solver().estimator.cumulative(&floats(totals), reports, variance, kurtosis)
    }
}

/// Replaces an aggregate share x by C·x modulo p. Elements are taken apart into words of 32 bits, whose products with the
/// rows of C fit an `i64`; neither a branch nor an address depends on them.
///
/// # Errors
/// If the share has not as many elements as the matrix has buckets. The share is then unchanged.
pub fn multiply_share<F: SignedField>(
    matrix: &StrategyMatrix,
    share: &mut [F],
) -> Result<(), ParameterError> {
    if share.len() != matrix.length() {
        let accepted = format!("{}, the buckets of the strategy matrix", matrix.length());
        return Err(ParameterError::new("aggregate share length", share.len(), accepted));
    }
    let residues: Zeroizing<Vec<u128>> =
        Zeroizing::new(share.iter().map(|element| element.to_residue()).collect());
    share.fill(F::zero());
    let mut unit = F::one();
    for word in 0..4 {
        let words = residues.iter().map(|residue| {
            let word = (residue >> (32 * word)) & u128::from(u32::MAX);
            i64::try_from(word).unwrap_or_default()
        });
        let words = Zeroizing::new(words.collect::<Vec<i64>>());
        let products = Zeroizing::new(matrix.multiply(&words));
        for (element, product) in share.iter_mut().zip(products.iter()) {
            let product = F::from_signed(i128::from(*product)).unwrap_or_else(F::zero);
            *element += product * unit;
        }
        unit *= F::from_signed(1 << 32).unwrap_or_else(F::one);
    }
    Ok(())
}

fn floats(totals: &[i128]) -> Vec<f64> {
    totals.iter().copied().map(as_float).collect()
}
