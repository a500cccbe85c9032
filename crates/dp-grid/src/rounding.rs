//! Rounding of rationals and of proportions to integers, exactly.

use std::cmp::{Ordering, Reverse};

use dp_exact::Rational;
use num_bigint::{BigInt, Sign};

/// A number from 0 to a bound below 2^127: `whole` + `remainder`/`divisor`, 0 ≤ remainder < divisor.
pub(crate) struct Steps {
    pub(crate) whole: u128,
    remainder: BigInt,
    divisor: BigInt,
}

impl Steps {
    /// `numerator`/`divisor` clamped to [0, `bound`], for a divisor above 0. Nothing is reduced to
    /// lowest terms, which would take most of the time.
    pub(crate) fn clamped(numerator: BigInt, divisor: BigInt, bound: u128) -> Self {
        if numerator.sign() != Sign::Plus {
            return Self::on_grid(0);
        }
        let quotient = &numerator / &divisor;
        match u128::try_from(&quotient) {
            Ok(whole) if whole < bound => Self {
                whole,
                remainder: numerator - quotient * &divisor,
                divisor,
            },
            _ => Self::on_grid(bound),
        }
    }

    fn on_grid(whole: u128) -> Self {
        Self {
            whole,
            remainder: BigInt::ZERO,
            divisor: BigInt::from(1),
        }
    }

    /// remainder/divisor, if it is not 0.
    pub(crate) fn fraction(&self) -> Option<Rational> {
        let divisor = Rational::integer(self.divisor.clone());
        Rational::integer(self.remainder.clone())
            .checked_div(&divisor)
            .filter(Rational::is_positive)
    }

    /// The nearest integer; of two the even one.
    pub(crate) fn nearest(&self) -> u128 {
        let up = match (&self.remainder * 2u32).cmp(&self.divisor) {
            Ordering::Less => false,
            Ordering::Equal => self.whole % 2 == 1,
            Ordering::Greater => true,
        };
        self.whole + u128::from(up)
    }
}

/// The integers `cells` scaled down to the sum `bound`, where their sum is above it: each is
/// c·bound/sum rounded down, and the units that are still missing go to those that lost the largest
/// fractions, the first of equals (largest remainder, Hamilton's method). None grows.
///
/// Needs each cell and the bound below 2^63, and fewer than 2^64 cells, so that nothing overflows.
pub(crate) fn scale_down(cells: &mut [u128], bound: u128) {
    let sum: u128 = cells.iter().sum();
    if sum <= bound {
        return;
    }
    let mut missing = bound;
    let mut remainders: Vec<(u128, usize)> = Vec::with_capacity(cells.len());
    for (index, cell) in cells.iter_mut().enumerate() {
        let product = *cell * bound;
        *cell = product / sum;
        missing -= *cell;
        remainders.push((product % sum, index));
    }
    remainders.sort_unstable_by_key(|&(remainder, index)| (Reverse(remainder), index));
    // The remainders add up to missing·sum and each is below the sum: there are more than `missing`
    // of them above 0, or none is missing.
    let missing = usize::try_from(missing).expect("fewer than there are cells");
    for &(_, index) in &remainders[..missing] {
        cells[index] += 1;
    }
}
