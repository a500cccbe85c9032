//! Binomial probabilities, and integers as floats.

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
    use super::*;

    #[test]
    fn probabilities_of_all_outcomes_add_up_to_one() {
        for (n, p) in [(1, 0.3), (7, 0.5), (40, 0.01), (3000, 0.7), (3000, 1e-4)] {
            let sum: f64 = (0..=n).map(|k| ln_probability(k, n, p).exp()).sum();
            assert!((sum - 1.0).abs() < 1e-11, "{n}, {p}: {sum}");
        }
    }
}
