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

/// A number above every total, and below half of the smallest field.
pub(crate) const HUGE: f64 = 1e15;

/// Largest rounding error of a written estimate, in units of the total.
const ROUNDED: f64 = 0.01;

/// The integer that is within 0.01 of a total; `None` if there is none.
pub(crate) fn nearest_integer(total: f64) -> Option<i64> {
    let nearest = total.round();
    let is_integer = (total - nearest).abs() <= ROUNDED && nearest.abs() < HUGE;
    #[expect(clippy::cast_possible_truncation)]
    is_integer.then_some(nearest as i64)
}
