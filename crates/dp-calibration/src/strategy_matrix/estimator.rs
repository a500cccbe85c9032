//! Estimates from y = C·x + z: the histogram, linear functions of it, and standard errors.
//!
//! With M = (CᵀC)⁻¹ and N = Σx the public number of reports, generalized least squares under the
//! constraint Σx = N gives for a linear function wᵀx
//!
//!   wᵀC⁻¹y + β·(N − 1ᵀC⁻¹y), β = wᵀM1 / 1ᵀM1, with variance v·(wᵀMw − (wᵀM1)²/1ᵀM1),
//!
//! where v is the variance of the noise of one entry of y. With a = C⁻ᵀw and u = C⁻ᵀ1 this is (a −
//! βu)ᵀy + β·N with β = aᵀu/uᵀu, and the variance is v·‖a − βu‖².

#![expect(clippy::cast_precision_loss, reason = "accuracy alone depends on these floats")]

use std::ops::Range;
use std::sync::OnceLock;

use super::{CountError, NearlyNormal, StrategyFamily, StrategyMatrix, multiples};

/// A linear function of the histogram, as a function of what is released.
#[derive(Clone, Debug, PartialEq)]
pub struct Functional {
    /// The weight of each entry of y.
    pub weights: Vec<f64>,
    /// The weight of the number of reports.
    pub reports: f64,
}

impl Functional {
    /// The estimate from y and the number of reports.
    #[must_use]
    pub fn estimate(&self, y: &[f64], reports: u64) -> f64 {
        inner(&self.weights, y) + self.reports * reports as f64
    }

    /// The distribution of the estimate's error, for independent noise of `variance` and
    /// `excess_kurtosis` at each entry of y: a weighted sum has Σwᵢ⁴/(Σwᵢ²)² times the excess
    /// kurtosis of each.
    #[must_use]
    pub fn error(&self, variance: f64, excess_kurtosis: f64) -> NearlyNormal {
        let (mut squares, mut fourth) = (0.0, 0.0);
        for weight in &self.weights {
            let square = weight * weight;
            squares += square;
            fourth += square * square;
        }
        NearlyNormal {
            standard_error: (variance * squares).sqrt(),
            excess_kurtosis: excess_kurtosis * fourth / (squares * squares).max(f64::MIN_POSITIVE),
        }
    }
}

/// Solves for the histogram: generalized least squares for one strategy matrix.
#[derive(Clone, Debug)]
pub struct HistogramEstimator {
    matrix: StrategyMatrix,
    /// The first column of C⁻¹, or of a circulant pseudo-inverse; empty for a tree.
    inverse: Vec<f64>,
    /// u = C⁻ᵀ1 for the vector 1 of ones; empty for a circulant C: Σy has no information there.
    sum: Vec<f64>,
    /// M1/1ᵀM1, M = (CᵀC)⁻¹: the share of each bucket in the number of reports less Σx, x = C⁻¹y.
    spread: Vec<f64>,
    /// The errors of the first 1, 2, …, n buckets for noise of variance and excess kurtosis 1.
    prefixes: OnceLock<Vec<NearlyNormal>>,
}

impl HistogramEstimator {
    /// For a matrix. The time grows with the square of the number of buckets: 50 ms for 4096.
    #[must_use]
    pub fn new(matrix: StrategyMatrix) -> Self {
        let inverse = match matrix.family {
            StrategyFamily::Toeplitz => toeplitz_inverse(&matrix.column),
            StrategyFamily::Circulant => circulant_inverse(&matrix.column),
            StrategyFamily::FoldedTree => Vec::new(),
        };
        let length = matrix.length;
        let spread = vec![1.0 / length as f64; length];
        let (sum, prefixes) = (Vec::new(), OnceLock::new());
        let mut estimator = Self { matrix, inverse, sum, spread, prefixes };
        if estimator.matrix.family != StrategyFamily::Circulant {
            estimator.sum = estimator.summed(0..length);
            // M1/1ᵀM1 = C⁻¹u/uᵀu.
            let total = inner(&estimator.sum, &estimator.sum);
            let spread = estimator.solution(&estimator.sum);
            estimator.spread = spread.into_iter().map(|share| share / total).collect();
        }
        estimator
    }

    /// The matrix C.
    pub const fn matrix(&self) -> &StrategyMatrix {
        &self.matrix
    }

    /// The unbiased estimate of every bucket from y and the number of reports.
    #[must_use]
    pub fn histogram(&self, y: &[f64], reports: u64) -> Vec<f64> {
        let raw = self.solution(y);
        let missing = reports as f64 - raw.iter().sum::<f64>();
        raw.iter().zip(&self.spread).map(|(raw, share)| raw + share * missing).collect()
    }

    /// C⁻¹y for the noisy totals y; for a circulant C the pseudo-inverse times y.
    fn solution(&self, y: &[f64]) -> Vec<f64> {
        (0..self.matrix.length).map(|bucket| inner(&self.unit(bucket), y)).collect()
    }

    /// The function aᵀy, a = `entries`, corrected by the number of reports: its weights are a − βu
    /// for y and β = aᵀu/uᵀu for that number, with u = C⁻ᵀ1. For a circulant C they are a and 0.
    fn corrected(&self, mut entries: Vec<f64>) -> Functional {
        if self.sum.is_empty() {
            return Functional { weights: entries, reports: 0.0 };
        }
        let reports = inner(&entries, &self.sum) / inner(&self.sum, &self.sum);
        for (entry, sum) in entries.iter_mut().zip(&self.sum) {
            *entry -= reports * sum;
        }
        Functional { weights: entries, reports }
    }

    /// The number of reports in the buckets `range`.
    #[must_use]
    pub fn range(&self, range: Range<usize>) -> Functional {
        let share = range.len() as f64 / self.matrix.length as f64;
        let function = self.corrected(self.summed(range));
        match self.matrix.family {
            StrategyFamily::Circulant => Functional { reports: share, ..function },
            _ => function,
        }
    }

    /// C⁻ᵀ of the indicator of the buckets `range`; of the pseudo-inverse for a circulant C.
    fn summed(&self, range: Range<usize>) -> Vec<f64> {
        let mut sum = vec![0.0; self.matrix.length];
        for bucket in range {
            sum.iter_mut().zip(self.unit(bucket)).for_each(|(sum, weight)| *sum += weight);
        }
        sum
    }

    /// For i = 0, …, n − 1 the standard deviation of the estimated number of reports in the buckets
    /// 0 to i, for noise of variance 1 at each entry of y; the last one is 0.
    #[must_use]
    pub fn prefix_deviations(&self) -> Vec<f64> {
        self.prefixes().iter().map(|error| error.standard_error).collect()
    }

    /// The errors of the first 1, 2, …, n buckets for noise of variance and excess kurtosis 1.
    fn prefixes(&self) -> &[NearlyNormal] {
        self.prefixes.get_or_init(|| {
            self.prefix_functionals().map(|prefix| prefix.error(1.0, 1.0)).collect()
        })
    }

    /// The estimated numbers of reports in the first 1, 2, …, n buckets; for a circulant C each
    /// less its share i/n of the number of reports. The last has the weights 0 for y, but for
    /// rounding.
    pub(super) fn prefix_functionals(&self) -> impl Iterator<Item = Functional> {
        let mut sum = vec![0.0; self.matrix.length];
        (0..self.matrix.length).map(move |bucket| {
            let unit = self.unit(bucket);
            sum.iter_mut().zip(unit).for_each(|(sum, weight)| *sum += weight);
            self.corrected(sum.clone())
        })
    }

    /// C⁻ᵀ of the indicator of one bucket: this row of C⁻¹, or of a circulant pseudo-inverse.
    fn unit(&self, bucket: usize) -> Vec<f64> {
        let length = self.matrix.length;
        match self.matrix.family {
            StrategyFamily::Toeplitz => {
                let own = self.inverse[..=bucket].iter().rev().copied();
                own.chain(std::iter::repeat(0.0)).take(length).collect()
            }
            StrategyFamily::Circulant => {
                let (start, end) = self.inverse.split_at(length - bucket);
                [end, start].concat()
            }
            StrategyFamily::FoldedTree => {
                let mut entries = vec![0.0; length];
                let mut blocks = self.matrix.blocks();
                let block = blocks.find(|block| bucket < block.end);
                let block = block.expect("every bucket lies in a block");
                let (unit, share) = self.matrix.weights(block.len());
                let (unit, share) = (unit as f64, share as f64);
                let (middle, others) = (block.start + block.len() / 2, (block.len() - 1) as f64);
                // x_m = (S − ΣD)/(u + s·(B−1)), x_c = (D_c + s·x_m)/u for sum S and differences D.
                let part = if bucket == middle { 1.0 } else { share / unit };
                let of_sum = part / (unit + share * others);
                entries[block].fill(-of_sum);
                entries[middle] = of_sum;
                if bucket != middle {
                    entries[bucket] += unit.recip();
                }
                entries
            }
        }
    }

    /// The errors of the first 1, 2, …, n buckets for noise of `variance` and `excess_kurtosis` in
    /// y.
    #[must_use]
    pub fn prefix_errors(&self, variance: f64, excess_kurtosis: f64) -> Vec<CountError> {
        let error = |unit: &NearlyNormal| {
            CountError::NearlyNormal(NearlyNormal {
                standard_error: unit.standard_error * variance.sqrt(),
                excess_kurtosis: unit.excess_kurtosis * excess_kurtosis,
            })
        };
        self.prefixes().iter().map(error).collect()
    }

    /// The standard deviation of each bucket's estimate, for noise of variance 1 in y.
    #[must_use]
    pub fn bucket_deviations(&self) -> Vec<f64> {
        let error = |bucket| self.corrected(self.unit(bucket)).error(1.0, 0.0);
        (0..self.matrix.length).map(|bucket| error(bucket).standard_error).collect()
    }
}

/// The first column of the inverse of the lower triangular Toeplitz matrix with this first
/// `column`.
fn toeplitz_inverse(column: &[i64]) -> Vec<f64> {
    let column: Vec<f64> = column.iter().map(|entry| *entry as f64).collect();
    let mut inverse = vec![1.0 / column[0]];
    for row in 1..column.len() {
        let earlier = inverse.iter().rev().zip(&column[1..=row]);
        let sum: f64 = earlier.map(|(inverse, entry)| inverse * entry).sum();
        inverse.push(-sum / column[0]);
    }
    inverse
}

/// The first column of the pseudo-inverse of the symmetric circulant matrix with this first
/// `column`, on vectors of sum 0.
fn circulant_inverse(column: &[i64]) -> Vec<f64> {
    let length = column.len();
    let turn = std::f64::consts::TAU / length as f64;
    let cosines: Vec<f64> =
        (0..length).map(|k| dp_exact::elementary::cos(turn * k as f64)).collect();
    // Of symmetric values, whose transform is symmetric as well.
    let transformed = |values: &[f64]| -> Vec<f64> {
        let transform = |frequency: usize| -> f64 {
            let turns = multiples(frequency, length);
            values.iter().zip(turns).map(|(value, turn)| value * cosines[turn]).sum()
        };
        let half: Vec<f64> = (0..=length / 2).map(transform).collect();
        (0..length).map(|place| half[place.min(length - place)]).collect()
    };
    let column: Vec<f64> = column.iter().map(|entry| *entry as f64).collect();
    let eigenvalues = transformed(&column);
    let inverted = eigenvalues.iter().enumerate();
    let inverted = inverted.map(|(k, value)| if k == 0 { 0.0 } else { 1.0 / value });
    let inverse = transformed(&inverted.collect::<Vec<_>>());
    inverse.into_iter().map(|entry| entry / length as f64).collect()
}

/// Σ aᵢbᵢ over the shorter of the two.
fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
