//! The Bernoulli numbers B₂ⱼ, over (2j)!.
//!
//! With the tangent numbers T₁, T₂, T₃, … = 1, 2, 16, 272, … (tan x = Σ Tⱼ·x^(2j−1)/(2j−1)!),
//!
//!   |B₂ⱼ|/(2j)! = Tⱼ / ((2j−1)!·4^j·(4^j − 1)), and B₂ⱼ has the sign (−1)^(j+1)
//!
//! (Brent, Harvey 2013, "Fast computation of Bernoulli, tangent and secant numbers", where the
//! recurrence is called TangentNumbers).

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::One;
use once_cell::race::OnceBox;

use crate::Rational;

/// The number of terms that [`over_factorial`] returns, one for each Bernoulli number B₂, B₄, ….
pub(crate) const COUNT: usize = 64;

/// |B₂ⱼ|/(2j)! for the Bernoulli numbers B₂ⱼ, j = 1, 2, …, [`COUNT`], at index j − 1. Computed
/// once.
#[must_use]
pub(crate) fn over_factorial() -> &'static [Rational] {
    static NUMBERS: OnceBox<Vec<Rational>> = OnceBox::new();
    NUMBERS.get_or_init(|| Box::new(computed()))
}

/// |B₂ⱼ|/(2j)! for the Bernoulli numbers B₂ⱼ, j = 1, 2, …, [`COUNT`], at index j − 1.
fn computed() -> Vec<Rational> {
    let mut odd_factorial = BigInt::one();
    let mut power = BigInt::one();
    let mut even = 0u32;
    tangent_numbers(COUNT)
        .into_iter()
        .filter_map(|tangent| {
            even += 2;
            if even > 2 {
                odd_factorial *= (even - 1) * (even - 2);
            }
            power *= 4;
            let divisor = &odd_factorial * &power * (&power - 1);
            Rational::integer(tangent).checked_div(&Rational::integer(divisor))
        })
        .collect()
}

/// The tangent numbers T₁, T₂, … = 1, 2, 16, 272, …, the first `count` of them: tan x = Σ
/// Tⱼ·x^(2j−1)/(2j−1)!. In about `count`² multiplications (Brent, Harvey 2013).
#[must_use]
pub fn tangent_numbers(count: usize) -> Vec<BigInt> {
    let mut numbers = vec![BigInt::one(); count];
    for k in 1..count {
        numbers[k] = &numbers[k - 1] * k;
    }
    for k in 1..count {
        for j in k..count {
            numbers[j] = &numbers[j - 1] * (j - k) + &numbers[j] * (j - k + 2);
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bernoulli_numbers_are_the_known_ones() {
        // B₂, B₄, … = 1/6, −1/30, 1/42, −1/30, 5/66
        let known = [(2u64, "1/6"), (4, "1/30"), (6, "1/42"), (8, "1/30"), (10, "5/66")];
        let mut factorial = Rational::one();
        for (number, (even, text)) in over_factorial().iter().zip(known) {
            factorial = factorial * Rational::from(even * (even - 1));
            let number = number * &factorial;
            assert_eq!(number, text.parse::<Rational>().unwrap(), "B_{even}");
        }
    }
}
