//! Conversions between the currencies of privacy.
//!
//! All results are rounded to the safe side. The worst mechanism for ε-differential privacy is
//! randomized response on a bit (Kairouz, Oh, Viswanath 2015, Theorem 3.3 and its proof), so its
//! divergences are upper bounds. Section 8 of `docs/calibration.md` has all formulas.
//!
//! **Pure to zero-concentrated**: with h(x) = ln cosh(εx), D_α = (h(α−½) − h(½))/(α−1). As a
//! function of x², h has the derivative ε·tanh(εx)/(2x), which falls; so it lies below its tangent
//! at x = ½, h(α−½) − h(½) ≤ ((α−½)² − ¼)·ε·tanh(ε/2) = α(α−1)·ε·tanh(ε/2). The limit α → 1 attains
//! it.

mod kinds;
mod renyi;
mod symmetric_pair;

use dp_exact::{Delta, Epsilon, Interval, Rational, Rho, Rounding, refine};

use crate::discrete_gaussian::is_narrow;
use crate::{Budget, Error, Result, accepted};

pub use kinds::{Conversion, ConvertedBound, Currency};
use renyi::renyi_to_delta;
pub use renyi::renyi_to_epsilon;
pub use symmetric_pair::{laplace_rho, response_rho};

/// Significant digits of a result.
const DIGITS: usize = 12;

/// The ρ of every ε-differentially private mechanism, ε·tanh(ε/2), rounded up to twelve digits.
/// No smaller one holds for all of them.
///
/// ```
/// use dp_calibration::conversion::{pure_to_rho, pure_to_rho_classical};
///
/// let epsilon = "1".parse()?;
/// assert_eq!(pure_to_rho(&epsilon)?.to_string(), "0.462117157261");
/// assert_eq!(pure_to_rho_classical(&epsilon)?.to_string(), "0.5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If ε is outside 1e-9 to 10 000 or has more than 2048 bits.
pub fn pure_to_rho(epsilon: &Epsilon) -> Result<Rho> {
    let epsilon = accepted::answered_epsilon(epsilon)?;
    let rho = refine(|precision| {
        let precision = precision.max(128);
        // tanh(x/2) = (e^x − 1)/(e^x + 1)
        let rate = Interval::rational(epsilon, precision);
        let growth = rate.exp_m1()?;
        let two = Interval::integer(2, precision);
        (&rate * &growth).checked_div(&(&growth + two))
    })?;
    let classical = epsilon.pow(2) * Rational::new(1, 2)?;
    Ok(Rho::new(rounded_up(&rho)?.min(classical))?)
}

/// The classical ρ = ε²/2 (Bun, Steinke 2016, Proposition 1.4). Exact.
///
/// # Errors
/// If the square has more than 4096 bits.
pub fn pure_to_rho_classical(epsilon: &Epsilon) -> Result<Rho> {
    let half = Rational::new(1, 2)?;
    Ok(Rho::new(epsilon.value().pow(2) * half)?)
}

/// The Rényi divergence of order `alpha` of every ε-differentially private mechanism, rounded up to
/// twelve digits. No smaller one holds for all of them. `Err` if ε is outside 1e-9 to 100, α is not
/// above 1 or is above 1e9, or either has more than 2048 bits.
fn pure_to_renyi(epsilon: &Epsilon, alpha: &Rational) -> Result<Rational> {
    let epsilon = accepted::epsilon(epsilon)?;
    accepted::alpha(alpha)?;
    let excess = alpha - &Rational::one();
    let tau = refine(|precision| {
        // Near α = 1 the logarithm is as small as α − 1.
        let precision = precision.max(128) + 2 * 64;
        let enclose = |value: &Rational| Interval::rational(value, precision);
        // cosh(ε(α−½))/cosh(ε/2) = e^(ε(α−1))·(1 + e^(−ε(2α−1)))/(1 + e^(−ε))
        let one = Interval::integer(1, precision);
        let odd = &(alpha + alpha) - &Rational::one();
        let above = &one + &enclose(&-(epsilon * &odd)).exp()?;
        let below = one + enclose(&-epsilon).exp()?;
        let correction = above.checked_div(&below)?.ln()?;
        let tau = enclose(epsilon) + correction.checked_div(&enclose(&excess))?;
        is_narrow(&tau).then_some(tau)
    })?;
    // Rounding up may lead past the classical bound where the two nearly agree.
    let classical = epsilon.clone().min(alpha * &epsilon.pow(2) * Rational::new(1, 2)?);
    Ok(rounded_up(&tau)?.min(classical))
}

/// The guarantee for a group of `size` clients that follows from a budget for one client.
///
/// - Pure: g·ε. Approximate: g·ε and δ·(e^(gε) − 1)/(e^ε − 1), rounded up to twelve digits (Dwork,
///   Roth 2014, Theorem 2.2, with the geometric sum kept).
/// - Zero-concentrated: g²·ρ (Bun, Steinke 2016, Proposition 1.9).
/// - Rényi: for g ≤ 2^c, order α/2^c and divergence 3^c·τ, if α ≥ 2^(c+1) (Mironov 2017,
///   Proposition 2).
///
/// **From deletion to replacement**: a replacement is a deletion and its reverse, so a guarantee
/// under deletion is one under replacement for a group of 2. From replacement to deletion it holds
/// as it stands where the reference is a valid measurement, which the zero vector of a histogram is
/// not.
///
/// # Errors
/// If `size` is 0; if ε is outside 1e-9 to 100; if δ would be 1 or more; if the order is too
/// small for the group; or a result has more than 4096 bits.
pub fn for_group(budget: &Budget, size: u32) -> Result<Budget> {
    Error::check(size != 0, "size", size, "an integer of at least 1")?;
    let times = |value: &Rational| value * &Rational::from(u64::from(size));
    Ok(match budget {
        Budget::Pure { epsilon } => Budget::Pure { epsilon: Epsilon::new(times(epsilon.value()))? },
        Budget::Approximate { epsilon, delta } => Budget::Approximate {
            epsilon: Epsilon::new(times(epsilon.value()))?,
            delta: group_delta(epsilon, delta, size)?,
        },
        Budget::ZeroConcentrated { rho } => {
            Budget::ZeroConcentrated { rho: Rho::new(times(&times(rho.value())))? }
        }
        Budget::Renyi { alpha, tau } => {
            let halvings = size.next_power_of_two().trailing_zeros();
            let power = Rational::integer(2).pow(halvings);
            let accepted = "an order of at least twice the group, rounded up to a power of two";
            Error::check(*alpha >= &power + &power, "alpha", alpha, accepted)?;
            let order = alpha.checked_div(&power).ok_or(dp_exact::PrecisionError)?;
            Budget::renyi(order, tau * &Rational::integer(3).pow(halvings))?
        }
    })
}

/// The δ for a group of `size` clients: δ·(e^(gε) − 1)/(e^ε − 1) for g = `size`, rounded up to
/// twelve digits; `delta` itself if g is 1 or δ is 0. `Err` if the result is 1 or more, or ε is
/// outside 1e-9 to 100.
fn group_delta(epsilon: &Epsilon, delta: &Delta, size: u32) -> Result<Delta> {
    if size == 1 || delta.value().is_zero() {
        return Ok(delta.clone());
    }
    let epsilon = accepted::epsilon(epsilon)?;
    let total = epsilon * &Rational::from(u64::from(size));
    let result = refine(|precision| {
        let precision = precision.max(128);
        let growth = |value: &Rational| Interval::rational(value, precision).exp_m1();
        let factor = growth(&total)?.checked_div(&growth(epsilon)?)?;
        Some(Interval::rational(delta.value(), precision) * factor)
    })?;
    let below_one = Interval::integer(1, 64);
    let accepted = "a delta that stays below 1 for the group";
    Error::check(result.upper() < below_one.lower(), "delta", delta, accepted)?;
    Ok(Delta::new(rounded_up(&result)?)?)
}

/// Why [`for_group`] holds, in words.
#[must_use]
pub fn group_certificate(size: u32) -> String {
    format!(
        "The group's data change one member at a time, in {size} steps, each within the budget. A \
         guarantee under deletion is one under replacement for a group of 2."
    )
}

/// The upper end of `value`, rounded up to twelve digits.
fn rounded_up(value: &Interval) -> Result<Rational> {
    let upper = value.upper().to_rational();
    let upper = upper.ok_or(dp_exact::PrecisionError)?;
    Ok(upper.round_to_digits(DIGITS, Rounding::Up))
}
