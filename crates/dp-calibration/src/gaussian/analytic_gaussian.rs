//! The analytic Gaussian mechanism. **For continuous noise only.**
//!
//! Real-valued Gaussian noise of standard deviation σ on a query of L2 sensitivity Δ has, exactly,
//!
//!   δ(ε) = Q(εσ/Δ − Δ/(2σ)) − e^ε·Q(εσ/Δ + Δ/(2σ)),  Q(x) = P(N(0,1) > x)
//!
//! (Balle, Wang 2018, Theorem 8, arXiv 1805.06530). δ falls as σ grows.
//!
//! No computer draws such noise, and what Prio3 aggregates are integers. With *discrete* Gaussian
//! noise of the same σ the guarantee is broken for about half of all (ε, δ), by a factor of up to
//! several at large ε: [`crate::discrete_gaussian`] calibrates noise that is deployed. These
//! functions are for comparison with the literature, whose tables list this σ.

use dp_exact::{Delta, Epsilon, Interval, PrecisionError, Rational, elementary, refine};
use num_bigint::BigUint;

use crate::crossing::{crossing, log_excess};
use crate::discrete_gaussian::is_narrow;
use crate::{Error, Result, accepted};

/// Significant digits of a σ.
const DIGITS: usize = 25;

/// The exact δ of **continuous** Gaussian noise of deviation `sigma` at this L2 sensitivity.
///
/// The interval contains δ and is narrower than 2^−64 of it. It says nothing about discrete noise.
///
/// # Errors
/// If ε is outside 1e-9 to 100; the squared sensitivity is 0 or has more than 512 bits; or
/// σ²/Δ₂² is outside 1e-10 to 1e30 or above 2^36/ε².
pub fn delta(epsilon: &Epsilon, sigma: &Rational, l2_squared: &BigUint) -> Result<Interval> {
    let epsilon = accepted::epsilon(epsilon)?;
    let sensitivity = accepted::l2_squared(l2_squared)?;
    Error::check(sigma.is_positive(), "sigma", sigma, "a number greater than 0")?;
    let variance = sigma.pow(2).checked_div(&sensitivity).ok_or(PrecisionError)?;
    accepted::variance(&variance, epsilon, &Rational::one())
        .map_err(|error| error.renamed("sigma^2/l2_squared"))?;
    let delta = refine(|precision| {
        let delta = delta_at(epsilon, &variance, precision)?;
        is_narrow(&delta).then_some(delta)
    })?;
    Ok(delta)
}

/// The least standard deviation σ of **continuous** Gaussian noise, of 25 digits, that gives (ε, δ)
/// on a query of squared L2 sensitivity `l2_squared`.
///
/// That δ(σ) is at most the target is certified.
///
/// ```
/// use dp_calibration::analytic_gaussian;
/// use dp_exact::Rounding;
///
/// let sigma = analytic_gaussian::sigma(&"0.317".parse()?, &"1e-9".parse()?, &2u32.into())?;
/// assert_eq!(sigma.to_decimal(10, Rounding::Up), "23.39072941");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If ε is outside 1e-9 to 100, δ outside 1e-40 to 0.9, either has more than 2048 bits, or
/// the squared sensitivity is 0 or has more than 512 bits.
pub fn sigma(epsilon: &Epsilon, delta: &Delta, l2_squared: &BigUint) -> Result<Rational> {
    let epsilon = accepted::epsilon(epsilon)?;
    let target = accepted::delta(delta)?;
    let sensitivity = &accepted::l2_squared(l2_squared)?;
    // Near the σ by zero-concentrated privacy: ρ = (√(ε − ln δ) − √(−ln δ))², about.
    let (rate, log) = (epsilon.to_f64(), -elementary::ln(target.to_f64()));
    let root = (rate + log).sqrt() - log.sqrt();
    let start = Rational::from_f64((sensitivity.to_f64() / 2.0).sqrt() / root)?;
    // δ falls as σ grows.
    let (_, sigma, _) = crossing(&start, (&Rational::new(1, 8)?, DIGITS), |sigma| {
        let variance = sigma.pow(2).checked_div(sensitivity).ok_or(PrecisionError)?;
        Ok(refine(|precision| {
            let delta = delta_at(epsilon, &variance, precision)?;
            delta.compare_rational(target).map(|_| log_excess(&delta, target))
        })?)
    })?;
    Ok(sigma)
}

/// δ of continuous noise at ε, enclosed, for σ²/Δ₂² = `variance` (Balle, Wang 2018, Theorem 8).
/// With μ = Δ₂/σ the normal tails are taken at (ε ∓ μ²/2)/μ. `None` if the precision is too low.
pub(crate) fn delta_at(epsilon: &Rational, variance: &Rational, bits: u32) -> Option<Interval> {
    let half_square = (variance + variance).reciprocal()?;
    let sigma = Interval::rational(variance, bits).sqrt()?;
    let tail = |argument: &Rational| (Interval::rational(argument, bits) * &sigma).normal_tail();
    let growth = Interval::rational(epsilon, bits).exp()?;
    Some(tail(&(epsilon - &half_square))? - growth * tail(&(epsilon + &half_square))?)
}
