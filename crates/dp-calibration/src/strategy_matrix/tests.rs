#![expect(clippy::cast_precision_loss, reason = "small numbers")]

use super::*;
use crate::{Adjacency, Sensitivity};

const FAMILIES: [StrategyFamily; 3] = StrategyFamily::ALL;

fn matrix(family: StrategyFamily, length: usize) -> StrategyMatrix {
    StrategyMatrix::new(family, length).unwrap()
}

fn columns(matrix: &StrategyMatrix) -> Vec<Vec<i128>> {
    let unit = |bucket| {
        let mut unit = vec![0; matrix.length()];
        unit[bucket] = 1;
        matrix.multiply(&unit)
    };
    (0..matrix.length()).map(unit).collect()
}

/// The norms of all pairs of columns, one by one.
#[test]
fn the_sensitivity_is_the_largest_over_all_pairs() {
    let lengths = [3, 4, 5, 8, 11, 12, 25, 32, 50, 64, 67, 130];
    for (family, length) in
        FAMILIES.iter().flat_map(|family| lengths.map(|length| (*family, length)))
    {
        let matrix = matrix(family, length);
        let columns = columns(&matrix);
        let mut largest = [(0, 0, 0); 2];
        let mut add = |replaced: usize, change: &mut dyn Iterator<Item = i128>| {
            let change: Vec<u128> = change.map(i128::unsigned_abs).collect();
            let norms = &mut largest[replaced];
            norms.0 = norms.0.max(change.iter().sum());
            norms.1 = norms.1.max(change.iter().map(|entry| entry * entry).sum());
            norms.2 = norms.2.max(*change.iter().max().unwrap());
        };
        for (place, one) in columns.iter().enumerate() {
            add(0, &mut one.iter().copied());
            for other in &columns[..place] {
                add(1, &mut one.iter().zip(other).map(|(one, other)| one - other));
            }
        }
        for (adjacency, norms) in [Adjacency::Deletion, Adjacency::Replacement].iter().zip(largest)
        {
            let (l1, l2_squared, linf) = norms;
            let expected =
                Sensitivity { l1: l1.into(), l2_squared: l2_squared.into(), linf: linf.into() };
            assert_eq!(matrix.sensitivity(*adjacency), expected, "{family:?} {length} {adjacency}");
        }
    }
}

/// Without noise the estimate is the histogram, whatever the matrix was rounded to.
#[test]
fn without_noise_the_histogram_comes_back() {
    for (family, length) in
        FAMILIES.iter().flat_map(|family| [3, 9, 10, 64, 257].map(|n| (*family, n)))
    {
        let matrix = matrix(family, length);
        let x: Vec<i128> = (0..length as i128).map(|bucket| bucket * bucket % 97).collect();
        let reports = u64::try_from(x.iter().sum::<i128>()).unwrap();
        let y: Vec<f64> = matrix.multiply(&x).into_iter().map(|entry| entry as f64).collect();
        let estimator = HistogramEstimator::new(matrix);
        for (found, expected) in estimator.histogram(&y, reports).iter().zip(&x) {
            let off = (found - *expected as f64).abs();
            assert!(off < 1e-6, "{family:?} {length}: {found} {expected}");
        }
        let middle = estimator.range(length / 4..length / 2).estimate(&y, reports);
        let expected: i128 = x[length / 4..length / 2].iter().sum();
        let off = (middle - expected as f64).abs();
        assert!(off < 1e-6, "{family:?} {length}: {middle} {expected}");
    }
}

/// `workload.rs` compares deviations with the linear functions.
#[test]
fn estimated_buckets_sum_to_the_number_of_reports() {
    for (family, length) in FAMILIES.iter().flat_map(|family| [3, 10, 40].map(|n| (*family, n))) {
        let estimator = HistogramEstimator::new(matrix(family, length));
        assert!(estimator.prefix_deviations()[length - 1] < 1e-7);
        let y: Vec<f64> = (0..length).map(|place| (place * 7919 % 13) as f64).collect();
        let histogram = estimator.histogram(&y, 1000);
        assert!((histogram.iter().sum::<f64>() - 1000.0).abs() < 1e-6);
        let one = estimator.range(1..2).estimate(&y, 1000);
        assert!((histogram[1] - one).abs() < 1e-9, "{family:?} {one} {histogram:?}");
    }
}

/// How many times smaller the standard deviation is than with independent noise of the same
/// guarantee: of the worst prefix, the root mean square of prefixes, of the worst range, the root
/// mean square of ranges, of a bucket. Independent Gaussian noise has the squared sensitivity 2,
/// independent Laplace noise the L1 sensitivity 2; the number of reports is known to both.
fn gains(family: StrategyFamily, length: usize) -> [f64; 5] {
    let matrix = matrix(family, length);
    let sensitivity = matrix.sensitivity(Adjacency::Replacement);
    let noise = match family {
        StrategyFamily::FoldedTree => (sensitivity.l1.to_f64().unwrap() / 2.0).powi(2),
        _ => sensitivity.l2_squared.to_f64().unwrap() / 2.0,
    };
    let [buckets, prefixes, ranges] = Workload::ALL.map(|workload| {
        let (own, independent) =
            (workload.behind(&matrix), workload.of_independent_noise(length as u64));
        let gain = |own: f64, independent: f64| (independent / (own * noise)).sqrt();
        (gain(own.largest, independent.largest), gain(own.mean, independent.mean))
    });
    [prefixes.0, prefixes.1, ranges.0, ranges.1, buckets.1]
}

/// The gains that independent prototypes found, to two digits behind the point.
#[test]
fn gains_over_independent_noise() {
    use StrategyFamily::{Circulant, FoldedTree, Toeplitz};
    for (family, length, expected) in [
        (Toeplitz, 12, [1.26, 1.13, 1.02, 1.00, 0.76]),
        (Toeplitz, 32, [1.66, 1.45, 1.32, 1.22, 0.69]),
        (Toeplitz, 64, [2.07, 1.79, 1.62, 1.47, 0.65]),
        (Toeplitz, 256, [3.35, 2.85, 2.58, 2.28, 0.59]),
        (Toeplitz, 1024, [5.63, 4.76, 4.28, 3.73, 0.54]),
        (Toeplitz, 4096, [9.72, 8.17, 7.33, 6.31, 0.50]),
        (Circulant, 12, [1.16, 1.07, 1.16, 1.07, 0.83]),
        (Circulant, 32, [1.47, 1.31, 1.47, 1.31, 0.75]),
        (Circulant, 64, [1.79, 1.57, 1.79, 1.57, 0.70]),
        (Circulant, 256, [2.79, 2.42, 2.79, 2.42, 0.62]),
        (Circulant, 1024, [4.59, 3.92, 4.59, 3.92, 0.56]),
        (Circulant, 4096, [7.78, 6.61, 7.78, 6.61, 0.52]),
        (FoldedTree, 12, [0.73, 0.72, 0.63, 0.66, 0.58]),
        (FoldedTree, 64, [0.96, 0.96, 0.78, 0.82, 0.48]),
        (FoldedTree, 128, [1.16, 1.17, 0.95, 0.99, 0.48]),
        (FoldedTree, 256, [1.35, 1.36, 1.08, 1.12, 0.47]),
        (FoldedTree, 1024, [1.90, 1.93, 1.52, 1.58, 0.46]),
        (FoldedTree, 4096, [2.67, 2.73, 2.15, 2.22, 0.45]),
    ] {
        let found = gains(family, length);
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 0.006, "{family:?} {length}: {found} {expected}");
        }
    }
}
