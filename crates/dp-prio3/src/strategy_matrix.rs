//! The strategy matrix of a policy: an aggregator multiplies its share by it before it adds noise,
//! and the collector solves for the histogram.

use std::sync::{Arc, OnceLock};

use dp_calibration::strategy_matrix::{HistogramEstimator, StrategyMatrix};
use dp_exact::ParameterError;
use zeroize::Zeroizing;

use crate::field::SignedField;

/// A strategy matrix C and the estimator of histograms that belongs to C. The first estimate builds
/// the estimator; clones share it.
#[derive(Clone, Debug)]
pub(crate) struct MatrixEstimator {
    pub(crate) matrix: StrategyMatrix,
    solver: Arc<OnceLock<(HistogramEstimator, Vec<f64>)>>,
}

impl MatrixEstimator {
    pub(crate) fn new(matrix: StrategyMatrix) -> Self {
        Self { matrix, solver: Arc::default() }
    }

    /// The estimator of a histogram x from noisy totals y = C·x + z, and for each bucket the
    /// standard deviation of its estimate under noise of variance 1 in each total.
    pub(crate) fn solver(&self) -> &(HistogramEstimator, Vec<f64>) {
        self.solver.get_or_init(|| {
            let estimator = HistogramEstimator::new(self.matrix.clone());
            let deviations = estimator.bucket_deviations();
            (estimator, deviations)
        })
    }
}

/// Replaces an aggregate share x by C·x modulo p: the word-wise products of x = Σⱼ 2^(32j)·xⱼ,
/// whose words xⱼ have 32 bits. Neither a branch nor an address depends on the share.
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
    // 2^(32j) modulo p.
    let mut unit = F::one();
    for index in 0..4 {
        let words = residues.iter().map(|residue| word(*residue, index));
        let words = Zeroizing::new(words.collect::<Vec<i64>>());
        let products = Zeroizing::new(matrix.multiply(&words));
        for (element, product) in share.iter_mut().zip(products.iter()) {
            *element += small::<F>(*product) * unit;
        }
        unit *= small::<F>(1 << 32);
    }
    Ok(())
}

/// The word of 32 bits that `residue` has at 2^(32·`index`).
fn word(residue: u128, index: u32) -> i64 {
    let word = (residue >> (32 * index)) & u128::from(u32::MAX);
    i64::try_from(word).expect("a word has 32 bits")
}

/// The field element of a signed integer of at most 2^56 in absolute value: a product of a row of
/// the matrix, whose entries sum up to at most 2^24 in absolute value, with words of 32 bits.
fn small<F: SignedField>(integer: i64) -> F {
    F::from_signed(integer.into()).expect("2^56 is below p/2 in both fields")
}
