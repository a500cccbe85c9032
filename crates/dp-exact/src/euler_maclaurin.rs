//! Sums of a Gaussian over a half-line of the integers, in closed form.
//!
//! For x ≥ 0 let F(k) = e^(−(x+k)²/(2τ)). The Euler–Maclaurin formula (Digital Library of
//! Mathematical Functions, 2.10.1) is
//!
//!   Σ_{k≥0} F(k) = ∫₀^∞ F + F(0)/2 − Σ_{j=1..m} B₂ⱼ/(2j)!·F^(2j−1)(0) + R_m,
//!   |R_m| ≤ |B_2m|/(2m)!·∫₀^∞ |F^(2m)|.
//!
//! The derivatives are Hermite polynomials. With u = x/√τ, h = 1/√τ, He₀ = 1, He₁(u) = u,
//! He_(n+1)(u) = u·He_n(u) − n·He_(n−1)(u) and g_n = h^n·He_n(u),
//!
//!   F^(n)(0) = (−1)^n·g_n·F(0),  g_(n+1) = (x/τ)·g_n − (n/τ)·g_(n−1),
//!
//! so that no square root is needed, and
//!
//!   Σ F/F(0) = √(2πτ)·Q(x/√τ)/F(0) + 1/2 + Σ_j B₂ⱼ/(2j)!·g_(2j−1) + R_m/F(0).
//!
//! The remainder, with n = 2m, is bounded by Cramér's inequality |He_n(u)| ≤ K·√(n!)·e^(u²/4) with
//! K < 1.0865 (Abramowitz, Stegun 1964, 22.14.17; the Digital Library, 18.14.9, even has K = 1):
//! ∫₀^∞|F^(n)| ≤ h^(n−1)·K·√(n!)·∫_u^∞ e^(−v²/4) dv ≤ h^(n−1)·K·√(n!)·√π·e^(−u²/4), and
//! K·√π < 2, so |R_m|/F(0) ≤ 2·|B_n|/n!·h^(n−1)·√(n!)·e^(u²/4).

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::One;
use once_cell::race::OnceBox;

use crate::{Interval, Rational, elementary, pi};

/// Σ_{k≥0} e^(−(x+k)²/(2τ)), enclosed, for x ≥ 0 and τ > 0. `None` unless some order bounds the
/// remainder by 2^−`precision` times the first term: where τ is small or x is far out, the terms
/// themselves are few.
#[must_use]
pub fn half_line_sum(x: &Rational, tau: &Rational, precision: u32) -> Option<Interval> {
    expansion(x, tau, order(x, tau, precision)?, precision)
}

/// Σ_{k≥0} e^(−(x+k)²/(2τ)), enclosed, by the expansion of this `order` m. `None` if an operation
/// has no enclosure.
fn expansion(x: &Rational, tau: &Rational, order: usize, precision: u32) -> Option<Interval> {
    // x/τ, u² = x²/τ, h² = 1/τ and u²/2.
    let inverse = tau.reciprocal()?;
    let slope = Interval::rational(&(x * &inverse), precision);
    let square = x.pow(2) * &inverse;
    let step_squared = Interval::rational(&inverse, precision);
    let half_square = Interval::rational(&square, precision).shifted(-1);

    // ∫₀^∞ F = √(2πτ)·Q(x/√τ)
    let tau = Interval::rational(tau, precision);
    let tail = Interval::rational(&square, precision).sqrt()?.normal_tail()?;
    let integral = (pi(precision).shifted(1) * &tau).sqrt()? * tail;

    // g_(n−1) and g_n, from n = 1.
    let mut previous = Interval::integer(1, precision);
    let mut current = slope.clone();
    // 1/2 + Σ_j B₂ⱼ/(2j)!·g_(2j−1), with |B₂ⱼ| and alternating signs.
    let mut corrections = Interval::integer(1, precision).shifted(-1);
    let numbers = &over_factorial()[..order];
    for (index, bernoulli) in numbers.iter().enumerate() {
        let term = Interval::rational(bernoulli, precision) * &current;
        corrections = if index % 2 == 0 { corrections + &term } else { corrections - &term };
        // g_(n+1) = (x/τ)·g_n − (n/τ)·g_(n−1), twice.
        let odd = 2 * index + 1;
        for n in [odd, odd + 1] {
            let next =
                &slope * &current - Interval::integer(n, precision) * &step_squared * &previous;
            previous = core::mem::replace(&mut current, next);
        }
    }
    let last = Interval::rational(numbers.last()?, precision);
    let remainder = last * cramer(order, &step_squared, &half_square)?;
    let remainder = remainder.hull(&-&remainder);
    let first = (-half_square).exp()?;
    Some(integral + first * (corrections + remainder))
}

/// Enclosure of 2·h^(n−1)·√(n!)·e^(u²/4) for n = 2·`order`, h² = `step_squared` and u²/2 =
/// `half_square`. Times |B_n|/n!, B_n a Bernoulli number, it bounds the relative remainder from
/// above. `None` if it cannot be enclosed.
fn cramer(order: usize, step_squared: &Interval, half_square: &Interval) -> Option<Interval> {
    let n = u32::try_from(2 * order).ok()?;
    let mut product = Interval::integer(1, step_squared.precision());
    for factor in 2..=n {
        product = product * Interval::integer(factor, 64) * step_squared;
    }
    // The square root of n!·(h²)^(n−1), times e^(u²/4).
    Some((product.sqrt()? * half_square.shifted(-1).exp()?).shifted(1))
}

/// The least order at which the remainder is below about 2^−`precision` of the first term. `None`
/// if there is no such order. Rounded: any order gives an enclosure.
fn order(x: &Rational, tau: &Rational, precision: u32) -> Option<usize> {
    let tau = tau.to_f64();
    let square = elementary::powi(x.to_f64(), 2) / tau;
    // log₂ of |B_n|/n! is about 1 − n·log₂(2π).
    let two_pi = elementary::log2(core::f64::consts::TAU);
    let growth = square / 4.0 * core::f64::consts::LOG2_E;
    let mut log_factorial = 0.0;
    let mut n = 0.0f64;
    (1..=COUNT).find(|_| {
        n += 2.0;
        log_factorial += elementary::log2(n * (n - 1.0));
        let step = -(n - 1.0) / 2.0 * elementary::log2(tau);
        let bound = 2.0 - n * two_pi + step + log_factorial / 2.0 + growth;
        bound < -f64::from(precision) - 2.0
    })
}

/// The number of Bernoulli numbers that [`over_factorial`] returns.
const COUNT: usize = 64;

/// |B₂ⱼ|/(2j)! = Tⱼ / ((2j−1)!·4^j·(4^j − 1)) for j = 1, 2, …, `COUNT`, at index j − 1, with the
/// tangent numbers Tⱼ. The Bernoulli number B₂ⱼ has the sign (−1)^(j+1). Computed once.
fn over_factorial() -> &'static [Rational] {
    static NUMBERS: OnceBox<Vec<Rational>> = OnceBox::new();
    NUMBERS.get_or_init(|| {
        let mut odd_factorial = BigInt::one();
        let mut power = BigInt::one();
        let numbers = (1u32..).zip(tangent_numbers(COUNT)).map(|(j, tangent)| {
            odd_factorial *= if j > 1 { (2 * j - 1) * (2 * j - 2) } else { 1 };
            power *= 4;
            Rational::reduced(tangent, &odd_factorial * &power * (&power - 1))
        });
        Box::new(numbers.collect())
    })
}

/// The first `count` tangent numbers T₁, T₂, … = 1, 2, 16, 272, …: tan x = Σ Tⱼ·x^(2j−1)/(2j−1)!.
/// In about `count`² multiplications (Brent, Harvey 2013, "Fast computation of Bernoulli, tangent
/// and secant numbers", TangentNumbers).
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
mod tests;
