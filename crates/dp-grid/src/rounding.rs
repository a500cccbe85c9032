//! Rounding of rationals and of proportions to integers, exactly.

use std::cmp::{Ordering, Reverse};

use dp_exact::Rational;

/// A number of steps from 0 to 2^63, in whole steps and a fraction in [0, 1).
pub(crate) struct Steps {
    pub(crate) whole: u128,
    pub(crate) fraction: Rational,
}

impl Steps {
    /// A whole number of steps.
    pub(crate) fn on_grid(whole: u128) -> Self {
        let fraction = Rational::zero();
        Self { whole, fraction }
    }

    /// `steps`, which is in that range.
    pub(crate) fn of(steps: &Rational) -> Self {
        let floor = steps.floor();
        let whole = u128::try_from(&floor).expect("the caller clamped it to the grid");
        let fraction = steps - &Rational::integer(floor);
        Self { whole, fraction }
    }
}

/// The nearest integer; of two the even one.
pub(crate) fn nearest(steps: &Steps) -> u128 {
    let twice = &steps.fraction + &steps.fraction;
    let up = match twice.cmp(&Rational::one()) {
        Ordering::Less => false,
        Ordering::Equal => steps.whole % 2 == 1,
        Ordering::Greater => true,
    };
    steps.whole + u128::from(up)
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
