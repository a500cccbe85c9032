//! The proportions of the noise of the lines.

use crate::{Budget, NoiseKind, Result};
use dp_exact::{Rational, Rounding, elementary};

use super::ScheduledQuery;

/// Significant digits of a proportion that is optimized.
const DIGITS: usize = 12;

/// Candidates for the least weighted error, each a list of the parameters σ² or t of all lines, up
/// to a common factor. Gaussian noise has one, and so has Laplace noise under a pure budget; else
/// Laplace noise has two, for many coordinates and for few. The caller has checked the weights.
/// `Err` if a proportion is no finite float.
pub(super) fn proportions(
    lines: &[ScheduledQuery],
    mechanism: NoiseKind,
    weights: &[f64],
    budget: &Budget,
) -> Result<Vec<Vec<Rational>>> {
    let spent: Vec<Rational> = lines.iter().map(|line| spent(line, mechanism)).collect();
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

/// About (`spent`/weight)^`power` for each line, to twelve significant digits. `Err` if one is no
/// finite float.
fn roots(spent: &[Rational], weights: &[f64], power: f64) -> Result<Vec<Rational>> {
    let each = spent.iter().zip(weights).map(|(spent, weight)| {
        let root = elementary::powf(spent.to_f64() / weight, power);
        Ok(Rational::from_f64(root)?.round_to_digits(DIGITS, Rounding::Nearest))
    });
    each.collect()
}

/// The spending of a line of n releases times its parameter, exactly: nΔ₂² = 2ρ·σ² of Gaussian
/// noise of parameter σ², nΔ₁ = ε·t of Laplace noise of scale t. K-norm noise counts like Laplace
/// noise of its scale on one number.
pub(super) fn spent(line: &ScheduledQuery, mechanism: NoiseKind) -> Rational {
    let norm = match mechanism {
        NoiseKind::DiscreteGaussian => line.difference.l2_squared(),
        NoiseKind::DiscreteLaplace | NoiseKind::DiscreteKNorm => line.difference.l1(),
    };
    Rational::integer(norm) * Rational::from(u64::from(line.times))
}
