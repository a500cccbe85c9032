//! Confidence bounds on a probability from a number of successes (Clopper and Pearson 1934).
//!
//! If k of n independent runs succeeded, the lower bound at error α is the p for which k or more
//! successes have probability α: it exceeds the true p with probability at most α. Tails are summed
//! from their largest term on, without cancellation.

use dp_exact::search::bisect_floats;

/// Number of bisection steps: more than the bits of a double.
const STEPS: u32 = 80;

/// One-sided lower bound on the success probability after `successes` of `runs` independent runs:
/// it is above the true probability with probability at most `error`. It is 0 after 0 runs.
#[must_use]
pub fn lower(successes: u64, runs: u64, error: f64) -> f64 {
    if successes == 0 || runs == 0 {
        return 0.0;
    }
    let successes = successes.min(runs);
    let range = (0.0, float(successes) / float(runs));
    let is_above = |probability| upper_tail(successes, runs, probability) > error;
    bisect_floats(range, STEPS, is_above).0
}

/// One-sided upper bound on the success probability after `successes` of `runs` independent runs:
/// it is below the true probability with probability at most `error`. It is 1 after 0 runs.
#[must_use]
pub fn upper(successes: u64, runs: u64, error: f64) -> f64 {
    1.0 - lower(runs.saturating_sub(successes), runs, error)
}

/// P(X ≥ k) for a binomial X of n trials with mean n·p at most k.
fn upper_tail(k: u64, n: u64, p: f64) -> f64 {
    if p <= 0.0 {
        return 0.0;
    }
    let odds = p / (1.0 - p);
    let (mut sum, mut term) = (0.0, 1.0);
    for outcome in k..=n {
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
        term *= odds * float(n - outcome) / float(outcome + 1);
    }
    ln_probability(k, n, p).exp() * sum
}

/// ln P(X = k) for a binomial X of n trials, by the deviance: Loader, "Fast and accurate
/// computation of binomial probabilities", 2000.
pub(crate) fn ln_probability(k: u64, n: u64, p: f64) -> f64 {
    let (successes, failures, runs) = (float(k), float(n - k), float(n));
    if n == 0 {
        return 0.0;
    }
    if k == 0 {
        return runs * (-p).ln_1p();
    }
    if k == n {
        return runs * p.ln();
    }
    let remainders = remainder(n) - remainder(k) - remainder(n - k);
    let deviances = deviance(successes, runs * p) + deviance(failures, runs * (1.0 - p));
    let scale = std::f64::consts::TAU * successes * (failures / runs);
    remainders - deviances - 0.5 * scale.ln()
}

/// The deviance of a count: x·ln(x/m) + m − x for m = `mean`.
fn deviance(x: f64, mean: f64) -> f64 {
    let excess = (x - mean) / mean;
    x * excess.ln_1p() - (x - mean)
}

/// ln n! − ln(√(2πn)·(n/e)^n): Stirling's remainder.
fn remainder(n: u64) -> f64 {
    if n < 16 {
        let factorial: f64 = (2..=n).map(float).map(f64::ln).sum();
        let n = float(n.max(1));
        return factorial - 0.5 * (std::f64::consts::TAU * n).ln() - n * n.ln() + n;
    }
    let inverse = float(n).recip();
    let square = inverse * inverse;
    inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)))
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

#[cfg(test)]
mod tests {
    use statrs::function::beta::beta_reg;

    use super::*;

    #[test]
    fn bounds_are_those_of_the_beta_distribution() {
        for (successes, runs) in
            [(0_u64, 10_u64), (1, 10), (9, 10), (10, 10), (37, 500), (300_000, 1_000_000)]
        {
            for error in [0.3, 0.01, 1e-7] {
                let (low, high) = (lower(successes, runs, error), upper(successes, runs, error));
                let (k, n) = (float(successes), float(runs));
                // P(X ≥ k | p) is the regularized incomplete beta function I_p(k, n − k + 1).
                let of_low = if successes > 0 { beta_reg(k, n - k + 1.0, low) } else { error };
                let of_high =
                    if successes < runs { beta_reg(n - k, k + 1.0, 1.0 - high) } else { error };
                for tail in [of_low, of_high] {
                    assert!(
                        (tail / error - 1.0).abs() < 1e-7,
                        "{successes}/{runs}: {tail}, {error}"
                    );
                }
                assert!(successes > 0 || low == 0.0);
                assert!(successes < runs || high >= 1.0);
            }
        }
        assert_eq!((lower(0, 0, 0.1), upper(0, 0, 0.1)), (0.0, 1.0));
    }

    #[test]
    fn probabilities_of_all_outcomes_add_up_to_one() {
        for (n, p) in [(1, 0.3), (7, 0.5), (40, 0.01), (3000, 0.7), (3000, 1e-4)] {
            let sum: f64 = (0..=n).map(|k| ln_probability(k, n, p).exp()).sum();
            assert!((sum - 1.0).abs() < 1e-11, "{n}, {p}: {sum}");
        }
    }
}
