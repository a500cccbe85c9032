//! The noise of a schedule among its neighbours: no share moved makes the error less, no budget is left over, and
//! the certificate says what the noise rests on.

use dp_accounting::schedule::{BudgetSplit, NoiseFamily, schedule};
use dp_accounting::{Budget, NoiseDistribution};
use dp_calibration::BigInt;
use dp_exact::Rational;

use crate::common::{approximate, deviation, line, number, parameter};

fn pure(epsilon: &str) -> Budget {
    let epsilon = epsilon.parse().expect("positive");
    Budget::Pure { epsilon }
}

fn concentrated(rho: &str) -> Budget {
    let rho = rho.parse().expect("positive");
    Budget::ZeroConcentrated { rho }
}

/// Σ weight·variance
fn error(noises: &[NoiseDistribution], weights: &[Rational]) -> f64 {
    let each = noises.iter().zip(weights);
    each.map(|(law, weight)| weight.to_f64() * deviation(law).powi(2)).sum()
}

#[test]
fn no_share_moved_by_two_in_a_hundred_makes_the_error_less() {
    use NoiseFamily::{Gaussian, Laplace};
    let lines = [line(2, 1, 50), line(1, 20, 4), line(6, 3, 9)];
    let weights = [number("1"), number("1/9"), number("2.5")];
    for (mechanism, budget) in [
        (Gaussian, concentrated("1/8")),
        (Gaussian, approximate("1", "1e-6")),
        (Laplace, pure("3")),
    ] {
        let find = |shares: &BudgetSplit| {
            let found = schedule(&lines, mechanism, shares, &budget);
            found.expect("a schedule").noises
        };
        let best = find(&BudgetSplit::Weighted(weights.to_vec()));
        let least = error(&best, &weights);
        // nΔ₂²/σ² or nΔ₁/t.
        let shares: Vec<Rational> = lines
            .iter()
            .zip(&best)
            .map(|(line, law)| {
                let norm = match mechanism {
                    Gaussian => line.difference.l2_squared(),
                    Laplace => line.difference.l1(),
                };
                let spent =
                    Rational::integer(BigInt::from(norm)) * Rational::from(u64::from(line.times));
                spent.checked_div(parameter(law)).expect("positive")
            })
            .collect();
        let same = error(&find(&BudgetSplit::Given(shares.clone())), &weights);
        assert!((same / least - 1.0).abs() < 1e-6, "{mechanism:?} {budget} {same} {least}");
        for place in 0..lines.len() {
            for factor in ["51/50", "50/51"] {
                if mechanism == Gaussian && budget == approximate("1", "1e-6") && place > 0 {
                    // Slower, with the proportions of a ρ.
                    continue;
                }
                let mut moved = shares.clone();
                moved[place] = &moved[place] * &number(factor);
                let other = error(&find(&BudgetSplit::Given(moved)), &weights);
                assert!(other > least, "{mechanism:?} {budget} {place} {factor}: {other} {least}");
            }
        }
    }
}
