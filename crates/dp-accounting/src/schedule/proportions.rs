//! How much noise the lines take in relation to each other.

use dp_calibration::{BigInt, Error};
use dp_exact::{Rational, Rounding};

use super::{Line, Mechanism, Shares};

/// Digits of a proportion that is optimized.
const DIGITS: usize = 12;

/// Parameters of all lines, up to a common factor: those of the shares, or one or two candidates for the
/// least error.
pub(super) fn proportions(
    lines: &[Line],
    mechanism: Mechanism,
    shares: &Shares,
) -> Result<Vec<Vec<Rational>>, Error> {
    let spent: Vec<Rational> = lines.iter().map(|line| spent(line, mechanism)).collect();
    match shares {
        Shares::Given(shares) => {
            let each = spent.iter().zip(shares);
            let each = each.map(|(spent, share)| {
                spent
                    .checked_div(share)
                    .ok_or_else(|| Error::parameter("shares", share, "a number greater than 0"))
            });
            Ok(vec![each.collect::<Result<_, _>>()?])
        }
        Shares::Weighted(weights) => {
            let root = |squares: &[Rational], power: f64| -> Result<Vec<Rational>, Error> {
                let each = squares.iter().enumerate().map(|(place, spent)| {
                    let weight = weights.get(place).map_or(1.0, Rational::to_f64);
                    let root = (spent.to_f64() / weight).powf(power);
                    Ok(Rational::from_f64(root)?.round_to_digits(DIGITS, Rounding::Nearest))
                });
                each.collect()
            };
            match mechanism {
                Mechanism::Gaussian => Ok(vec![root(&spent, 0.5)?]),
                Mechanism::Laplace => {
                    let squares: Vec<Rational> = lines
                        .iter()
                        .map(|line| self::spent(line, Mechanism::Gaussian))
                        .collect();
                    Ok(vec![root(&squares, 0.25)?, root(&spent, 1.0 / 3.0)?])
                }
            }
        }
    }
}

/// nΔ₂² of Gaussian noise, nΔ₁ of Laplace noise.
pub(super) fn spent(line: &Line, mechanism: Mechanism) -> Rational {
    let norm = match mechanism {
        Mechanism::Gaussian => line.corner.l2_squared(),
        Mechanism::Laplace => line.corner.l1(),
    };
    Rational::integer(BigInt::from(norm)) * Rational::from(u64::from(line.times))
}
