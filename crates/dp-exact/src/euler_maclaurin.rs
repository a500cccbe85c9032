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
//! The remainder, with n = 2m, is the smaller of two bounds:
//!
//! - **Far out**, where u ≥ 2√n: all zeros of He_n lie within ±2√(n−1), since they are the
//!   eigenvalues of a symmetric tridiagonal matrix with zero diagonal and off-diagonal entries
//!   √1, …, √(n−1) (Golub, Welsch 1969), whose norm is at most √(n−1) + √(n−2). So F^(n) keeps its
//!   sign on the half-line, ∫|F^(n)| = |F^(n−1)(0)|, and |R_m|/F(0) ≤ |B_n|/n!·g_(n−1): not more
//!   than the last term of the sum.
//! - **Anywhere**, by Cramér's inequality |He_n(u)| ≤ K·√(n!)·e^(u²/4) with K < 1.0865
//!   (Abramowitz, Stegun 1964, 22.14.17; the Digital Library, 18.14.9, even has K = 1): ∫₀^∞|F^(n)| ≤ h^(n−1)·K·√(n!)·∫_u^∞ e^(−v²/4) dv
//!   ≤ h^(n−1)·K·√(n!)·√π·e^(−u²/4), and K·√π < 2, so
//!   |R_m|/F(0) ≤ 2·|B_n|/n!·h^(n−1)·√(n!)·e^(u²/4).

use crate::{Interval, Rational, elementary, pi};

use crate::bernoulli_numbers::{self, over_factorial};

/// Which of two bounds applies to R_m, the remainder of the expansion after m terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remainder {
    /// |R_m| is at most the last term of the expansion: for x²/τ ≥ 8m, far from 0.
    FarOut,
    /// Cramér's inequality for Hermite polynomials bounds |R_m|, for any x.
    Cramer,
}

/// Whether [`half_line_sum`] can bound its remainder by 2^−`precision` times the first term.
/// Decided in floating point: it chooses a method, and any method that is chosen returns a rigorous
/// enclosure.
pub fn has_closed_form(x: &Rational, tau: &Rational, precision: u32) -> bool {
    plan(x, tau, precision).is_some()
}

/// Σ_{k≥0} e^(−(x+k)²/(2τ)), enclosed, for x ≥ 0 and τ > 0. `None` unless [`has_closed_form`].
pub fn half_line_sum(x: &Rational, tau: &Rational, precision: u32) -> Option<Interval> {
    expansion(x, tau, plan(x, tau, precision)?, precision)
}

/// Σ_{k≥0} e^(−(x+k)²/(2τ)), enclosed, by the expansion of this order, with its remainder bounded
/// as given. `None` where that bound does not hold.
fn expansion(
    x: &Rational,
    tau: &Rational,
    (order, remainder): (usize, Remainder),
    precision: u32,
) -> Option<Interval> {
    let inverse = tau.reciprocal()?;
    let slope = Interval::rational(&(x * &inverse), precision);
    let square = x.pow(2) * &inverse;
    let step_squared = Interval::rational(&inverse, precision);
    let half_square = Interval::rational(&square, precision).shifted(-1);
    // u² ≥ 4n, on which the bound far out rests, exactly.
    if remainder == Remainder::FarOut && square < Rational::integer(8 * order) {
        return None;
    }

    let tau = Interval::rational(tau, precision);
    let tail = Interval::rational(&square, precision).sqrt()?.normal_tail()?;
    let integral = (pi(precision).shifted(1) * &tau).sqrt()? * tail;

    // g_(n−1) and g_n, from n = 1.
    let mut previous = Interval::integer(1, precision);
    let mut current = slope.clone();
    let mut corrections = Interval::integer(1, precision).shifted(-1);
    let mut largest_error = Interval::integer(0, precision);
    for (index, bernoulli) in over_factorial().iter().take(order).enumerate() {
        let bernoulli = Interval::rational(bernoulli, precision);
        let term = &bernoulli * &current;
        corrections = if index % 2 == 0 { corrections + &term } else { corrections - &term };
        if index + 1 == order {
            largest_error = match remainder {
                Remainder::FarOut => term,
                Remainder::Cramer => {
                    let magnitude = cramer(order, &step_squared, &half_square)?;
                    bernoulli * magnitude
                }
            };
        }
        let odd = 2 * index + 1;
        for n in [odd, odd + 1] {
            let next =
                &slope * &current - Interval::integer(n, precision) * &step_squared * &previous;
            previous = core::mem::replace(&mut current, next);
        }
    }
    let error = largest_error.hull(&-&largest_error);
    let first = (-half_square).exp()?;
    Some(integral + first * (corrections + error))
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

/// The least order at which the remainder is below about 2^−`precision` of the first term, and the
/// bound that shows this. `None` if there is no such order.
fn plan(x: &Rational, tau: &Rational, precision: u32) -> Option<(usize, Remainder)> {
    let tau = tau.to_f64();
    let slope = x.to_f64() / tau;
    let square = slope * x.to_f64();
    // log₂ of |B_n|/n! is about 1 − n·log₂(2π).
    let two_pi = elementary::log2(core::f64::consts::TAU);
    let target = -f64::from(precision) - 2.0;
    let mut log_factorial = 0.0;
    let mut n = 0.0f64;
    for order in 1..=bernoulli_numbers::COUNT {
        n += 2.0;
        log_factorial += elementary::log2(n * (n - 1.0));
        let bernoulli = 1.0 - n * two_pi;
        // u ≥ 2√n with a margin for the errors of this arithmetic.
        if square >= 4.1 * n && bernoulli + (n - 1.0) * elementary::log2(slope) < target {
            return Some((order, Remainder::FarOut));
        }
        let step = -(n - 1.0) / 2.0 * elementary::log2(tau);
        let growth = square / 4.0 * core::f64::consts::LOG2_E;
        if bernoulli + 1.0 + step + log_factorial / 2.0 + growth < target {
            return Some((order, Remainder::Cramer));
        }
    }
    None
}

#[cfg(test)]
mod tests;
