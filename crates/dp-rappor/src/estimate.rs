//! An estimate and what is known of its noise.

/// An unbiased estimate of how many of the reporting clients truly give an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimated number of clients. Noise may take it below 0 or above the number of reports.
    pub value: f64,
    /// The standard deviation of the noise in it. Not of sampling: the truth is the count over the
    /// clients that reported.
    pub standard_error: f64,
    /// The excess kurtosis of that noise: 0 if it is normal, positive if its tails are heavier.
    pub excess_kurtosis: f64,
}

/// The excess kurtosis κ₄/κ₂² of a sum of independent coins, in groups of so many coins that each
/// have so large a variance, in units of the `odds`; 0 of no coins.
///
/// A coin of variance v has the cumulants κ₂ = v and κ₄ = v·(1 − 6v). Cumulants add. The unit
/// keeps variances that are proportional to tiny odds in the range of `f64`.
pub(crate) fn excess_kurtosis(odds: f64, groups: &[(f64, f64)]) -> f64 {
    let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
        let terms = groups.iter().map(|(coins, variance)| coins * of(*variance));
        terms.sum()
    };
    let second = sum(&|variance| variance);
    let fourth = sum(&|variance| variance * (1.0 - 6.0 * odds * variance));
    if second == 0.0 {
        return 0.0;
    }
    fourth / second / second / odds
}

/// The nearest float, for utility figures.
#[expect(
    clippy::cast_precision_loss,
    reason = "the nearest float is what is meant"
)]
pub(crate) const fn as_float(count: u64) -> f64 {
    count as f64
}
