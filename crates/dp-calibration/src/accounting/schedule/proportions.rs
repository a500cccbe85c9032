//! The proportions of the noise of the lines.

use crate::{Budget, Error, NoiseKind, Result};
use dp_exact::{Rational, Rounding, elementary};

use super::{BudgetSplit, ScheduledQuery};

/// Significant digits of a proportion that is optimized.
const DIGITS: usize = 12;

/// Candidates for the parameters of all lines, up to a common factor: one from given shares, or one
/// or two for the least weighted error under the budget.
pub(super) fn proportions(
    lines: &[ScheduledQuery],
    mechanism: NoiseKind,
    shares: &BudgetSplit,
    budget: &Budget,
) -> Result<Vec<Vec<Rational>>> {
    let spent: Vec<Rational> = lines.iter().map(|line| spent(line, mechanism)).collect();
    match shares {
        BudgetSplit::Given(shares) => {
            let each = spent.iter().zip(shares);
            let each = each.map(|(spent, share)| {
                spent
                    .checked_div(share)
                    .ok_or_else(|| Error::parameter("shares", share, "a number greater than 0"))
            });
            Ok(vec![each.collect::<Result<_, _>>()?])
        }
        BudgetSplit::Weighted(weights) => {
            let root = |squares: &[Rational], power: f64| -> Result<Vec<Rational>> {
                let each = squares.iter().enumerate().map(|(place, spent)| {
                    let weight = weights.get(place).map_or(1.0, Rational::to_f64);
                    let root = elementary::powf(spent.to_f64() / weight, power);
                    Ok(Rational::from_f64(root)?.round_to_digits(DIGITS, Rounding::Nearest))
                });
                each.collect()
            };
            let few_coordinates = || root(&spent, 1.0 / 3.0);
            match (mechanism, budget) {
                (NoiseKind::DiscreteGaussian, _) => Ok(vec![root(&spent, 0.5)?]),
                (NoiseKind::DiscreteLaplace, Budget::Pure { .. }) => Ok(vec![few_coordinates()?]),
                (NoiseKind::DiscreteLaplace, _) => {
                    let squares =
                        lines.iter().map(|line| self::spent(line, NoiseKind::DiscreteGaussian));
                    let many_coordinates = root(&squares.collect::<Vec<_>>(), 0.25)?;
                    Ok(vec![many_coordinates, few_coordinates()?])
                }
            }
        }
    }
}

/// The spending of a line of n releases times its parameter, exactly: nΔ₂² = 2ρ·σ² of Gaussian
/// noise of parameter σ², nΔ₁ = ε·t of Laplace noise of scale t.
pub(super) fn spent(line: &ScheduledQuery, mechanism: NoiseKind) -> Rational {
    let norm = match mechanism {
        NoiseKind::DiscreteGaussian => line.difference.l2_squared(),
        NoiseKind::DiscreteLaplace => line.difference.l1(),
    };
    Rational::integer(norm) * Rational::from(u64::from(line.times))
}
