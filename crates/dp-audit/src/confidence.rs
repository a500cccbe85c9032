//! Confidence bounds on a probability from a number of successes (Clopper and Pearson 1934).
//!
//! If k of n independent runs succeeded, the lower bound at error α is the p for which k or more
//! successes have probability α: it exceeds the true p with probability at most α. Tails are summed
//! from their largest term on, without cancellation.

use dp_exact::search::bisect_floats;

use crate::binomial::{float, ln_probability};

/// Number of bisection steps: more than the bits of a double.
const STEPS: u32 = 80;

/// One-sided lower bound on the success probability after `successes` of `runs` independent runs:
/// it is above the true probability with probability at most `error`. It is 0 after 0 runs.
pub(crate) fn lower(successes: u64, runs: u64, error: f64) -> f64 {
    if successes == 0 || runs == 0 {
        return 0.0;
    }
    let range = (0.0, float(successes) / float(runs));
    let is_above = |probability| upper_tail(successes, runs, probability) > error;
    bisect_floats(range, STEPS, is_above).0
}

/// One-sided upper bound on the success probability after `successes` of `runs` independent runs:
/// it is below the true probability with probability at most `error`. It is 1 after 0 runs.
pub(crate) fn upper(successes: u64, runs: u64, error: f64) -> f64 {
    1.0 - lower(runs - successes, runs, error)
}

/// P(X ≥ k) for a binomial X of n trials with mean n·p at most k, as the sum needs; 0 for p ≤ 0.
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
}
