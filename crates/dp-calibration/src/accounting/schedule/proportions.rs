//! The proportions of the noise of the lines.

use crate::{Budget, Error, NoiseKind, Result};
use dp_exact::{Rational, Rounding, elementary};

use super::{BudgetSplit, ScheduledQuery};

/// Significant digits of a proportion that is optimized.
const DIGITS: usize = 12;

/// Candidates, each a list of the parameters σ² or t of all lines, up to a common factor. Given
/// shares make one. For the least weighted error Gaussian noise has one, and so has Laplace noise
/// under a pure budget; else Laplace noise has two, for many coordinates and for few. `Err` if a
/// share is 0.
pub(super) fn proportions(
    lines: &[ScheduledQuery],
    mechanism: NoiseKind,
    shares: &BudgetSplit,
    budget: &Budget,
) -> Result<Vec<Vec<Rational>>> {
    let spent: Vec<Rational> = lines.iter().map(|line| spent(line, mechanism)).collect();
    let weights = match shares {
        BudgetSplit::Weighted(weights) => weights,
        BudgetSplit::Given(shares) => {
            let each = spent.iter().zip(shares).map(|(spent, share)| {
                let refused = || Error::parameter("shares", share, "a number greater than 0");
                spent.checked_div(share).ok_or_else(refused)
            });
            return Ok(vec![each.collect::<Result<_>>()?]);
        }
    };
    if mechanism == NoiseKind::DiscreteGaussian {
        return Ok(vec![roots(&spent, weights, 0.5)?]);
    }
    let few_coordinates = roots(&spent, weights, 1.0 / 3.0)?;
    if let Budget::Pure { .. } = budget {
        return Ok(vec![few_coordinates]);
    }
    let squares = lines.iter().map(|line| self::spent(line, NoiseKind::DiscreteGaussian));
    let many_coordinates = roots(&squares.collect::<Vec<_>>(), weights, 0.25)?;
    Ok(vec![many_coordinates, few_coordinates])
}

/// About (`spent`/weight)^`power` for each line, to twelve digits; the weight is 1 where there is
/// none.
fn roots(spent: &[Rational], weights: &[Rational], power: f64) -> Result<Vec<Rational>> {
    let each = spent.iter().enumerate().map(|(place, spent)| {
        let weight = weights.get(place).map_or(1.0, Rational::to_f64);
        let root = elementary::powf(spent.to_f64() / weight, power);
        Ok(Rational::from_f64(root)?.round_to_digits(DIGITS, Rounding::Nearest))
    });
    each.collect()
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
