//! The proportions of the noise of the lines.

use dp_calibration::{BigInt, Budget, Error};
use dp_exact::{Interval, Rational, Rounding, elementary};

use num_traits::ToPrimitive as _;

use super::least_error::{LaplaceQuery, SpendingLimit, scales};
use super::{BudgetSplit, NoiseFamily, ScheduledQuery};

/// Digits of a proportion that is optimized.
const DIGITS: usize = 12;

/// Candidates for the parameters of all lines, up to a common factor: one from given shares, or one or
/// two for the least weighted error under the budget.
pub(super) fn proportions(
    lines: &[ScheduledQuery],
    mechanism: NoiseFamily,
    shares: &BudgetSplit,
    budget: &Budget,
) -> Result<Vec<Vec<Rational>>, Error> {
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
            let root = |squares: &[Rational], power: f64| -> Result<Vec<Rational>, Error> {
                let each = squares.iter().enumerate().map(|(place, spent)| {
                    let weight = weights.get(place).map_or(1.0, Rational::to_f64);
                    let root = elementary::powf(spent.to_f64() / weight, power);
                    Ok(Rational::from_f64(root)?.round_to_digits(DIGITS, Rounding::Nearest))
                });
                each.collect()
            };
            match mechanism {
                NoiseFamily::Gaussian => Ok(vec![root(&spent, 0.5)?]),
                NoiseFamily::Laplace => {
                    let squares: Vec<Rational> =
                        lines.iter().map(|line| self::spent(line, NoiseFamily::Gaussian)).collect();
                    let pure = root(&spent, 1.0 / 3.0)?;
                    if let Budget::Pure { .. } = budget {
                        return Ok(vec![pure]);
                    }
                    let normal = root(&squares, 0.25)?;
                    let balanced = balanced(lines, weights, budget, [&normal, &pure])?;
                    Ok(vec![balanced.unwrap_or(normal), pure])
                }
            }
        }
    }
}

/// The scales with the least weighted error under a budget with δ or ρ, searched from both `starts`.
fn balanced(
    lines: &[ScheduledQuery],
    weights: &[Rational],
    budget: &Budget,
    starts: [&[Rational]; 2],
) -> Result<Option<Vec<Rational>>, Error> {
    let (limit, most) = match budget {
        Budget::Approximate { epsilon, delta } => {
            let log_delta = Interval::rational(delta.value(), 64).ln();
            let log_delta = log_delta.map_or(f64::MIN, |log| log.midpoint());
            let epsilon = epsilon.value().to_f64();
            (SpendingLimit::Losses { epsilon, log_delta }, epsilon)
        }
        Budget::ZeroConcentrated { rho } => {
            let rho = rho.value().to_f64();
            (SpendingLimit::Rho(rho), rho)
        }
        _ => return Ok(None),
    };
    let spenders = lines.iter().enumerate().map(|(place, line)| LaplaceQuery {
        step: line.difference.step().to_f64().unwrap_or(f64::MAX),
        parts: Rational::from(line.difference.coordinates()).to_f64() * f64::from(line.times),
        weight: weights.get(place).map_or(1.0, Rational::to_f64),
    });
    let spenders: Vec<LaplaceQuery> = spenders.collect();
    // So much that the largest losses, or twice ρ, come to the budget.
    let starts = starts.map(|start| -> Vec<f64> {
        let start: Vec<f64> = start.iter().map(Rational::to_f64).collect();
        let pairs = spenders.iter().zip(&start);
        let spent: f64 = pairs.map(|(one, t)| one.parts * one.step / t).sum();
        start.iter().map(|t| t * spent / most).collect()
    });
    let found = scales(&spenders, limit, &starts);
    let rounded = |scale: &f64| -> Result<Rational, Error> {
        Ok(Rational::from_f64(*scale)?.round_to_digits(DIGITS, Rounding::Nearest))
    };
    found.map(|found| found.iter().map(rounded).collect()).transpose()
}

/// What a line spends per inverse parameter: nΔ₂² of Gaussian noise, nΔ₁ of Laplace noise.
pub(super) fn spent(line: &ScheduledQuery, mechanism: NoiseFamily) -> Rational {
    let norm = match mechanism {
        NoiseFamily::Gaussian => line.difference.l2_squared(),
        NoiseFamily::Laplace => line.difference.l1(),
    };
    Rational::integer(BigInt::from(norm)) * Rational::from(u64::from(line.times))
}
