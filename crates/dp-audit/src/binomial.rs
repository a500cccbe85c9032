//! Binomial probabilities, and integers as floats.

/// ln P(X = k) for a binomial X of n trials that succeed with probability p.
pub(crate) fn ln_probability(k: u64, n: u64, p: f64) -> f64 {
    dp_exact::binomial::ln_probability(k, n, [p, 1.0 - p])
}

/// A count as a float. The float is exact, as counts are far below 2^53.
#[expect(clippy::cast_precision_loss)]
pub(crate) const fn float(count: u64) -> f64 {
    count as f64
}

/// The float that is nearest to an integer. Outcomes are far below 2^53, and so exact.
#[expect(clippy::cast_precision_loss)]
pub(crate) const fn signed(value: i64) -> f64 {
    value as f64
}
