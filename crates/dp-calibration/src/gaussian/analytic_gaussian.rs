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

use dp_exact::search::try_bisect;
use dp_exact::{Delta, Epsilon, Interval, PrecisionError, Rational, Rounding, pi, refine};
use num_bigint::BigUint;

use crate::discrete_gaussian::is_narrow;
use crate::{Error, accepted};

/// Digits of the answer.
const DIGITS: usize = 25;

/// Digits and bits of the search, which leave room for the rounding of the answer.
const WORKING_DIGITS: usize = 50;
const WORKING_PRECISION: u32 = 256;

/// Steps of the search; some ten are needed.
const MAX_STEPS: usize = 100;

/// The exact δ of **continuous** Gaussian noise of standard deviation `sigma` on a query of
/// squared L2 sensitivity `l2_squared`.
///
/// The interval contains δ and is narrower than 2^−64 of it. It says nothing about discrete
/// noise.
///
/// # Errors
/// If ε is outside 1e-9 to 100; the squared sensitivity is 0 or has more than 512 bits; or
/// σ²/Δ₂² is outside 1e-9 to 1e30 or above 2^36/ε².
pub fn delta(epsilon: &Epsilon, sigma: &Rational, l2_squared: &BigUint) -> Result<Interval, Error> {
    let epsilon = accepted::epsilon(epsilon)?;
    let sensitivity = accepted::l2_squared(l2_squared)?;
    if !sigma.is_positive() {
        return Err(Error::parameter("sigma", sigma, "a number greater than 0"));
    }
    let variance = sigma.pow(2).checked_div(&sensitivity).unwrap_or_else(Rational::zero);
    accepted::variance(&variance, epsilon, &Rational::one())
        .map_err(|error| error.renamed("sigma^2/l2_squared"))?;
    let delta = refine(|precision| {
        let delta = delta_at(epsilon, &variance, precision)?;
        is_narrow(&delta).then_some(delta)
    })?;
    Ok(delta)
}

/// The least standard deviation σ of **continuous** Gaussian noise that gives (ε, δ) on a query
/// of squared L2 sensitivity `l2_squared`, rounded up to 25 digits.
///
/// That δ(σ) is at most the target is certified, and so is that the result is at most one unit of
/// the 25th digit above the least.
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
pub fn sigma(epsilon: &Epsilon, delta: &Delta, l2_squared: &BigUint) -> Result<Rational, Error> {
    let epsilon = accepted::epsilon(epsilon)?;
    let target = accepted::delta(delta)?;
    let sensitivity = accepted::l2_squared(l2_squared)?;
    let root = root(epsilon, target).ok_or(PrecisionError)?;
    let sigma = refine(|precision| {
        let precision = precision.max(WORKING_PRECISION);
        let sigma = Interval::rational(&sensitivity, precision).sqrt()?
            * Interval::rational(&root, precision);
        Some(sigma.upper().to_rational()?.round_to_digits(DIGITS, Rounding::Up))
    })?;
    // The root is known to far more digits than are kept, so that this loop adds a unit of the
    // last digit only if the root lies next to a 25-digit number.
    let mut sigma = sigma;
    while !certified(epsilon, &sigma, &sensitivity, target)? {
        let nudge =
            Rational::one() + Rational::new(1, 10u64.pow(18))? * Rational::new(1, 10u64.pow(8))?;
        sigma = (&sigma * &nudge).round_to_digits(DIGITS, Rounding::Up);
    }
    Ok(sigma)
}

/// Whether δ at `sigma` is at most the target.
fn certified(
    epsilon: &Rational,
    sigma: &Rational,
    sensitivity: &Rational,
    target: &Rational,
) -> Result<bool, Error> {
    let order = refine(|precision| {
        let variance = sigma.pow(2).checked_div(sensitivity)?;
        delta_at(epsilon, &variance, precision)?.compare_rational(target)
    })?;
    Ok(order.is_le())
}

/// δ at σ²/Δ₂² = `variance`. With μ = Δ/σ the two arguments are (ε ∓ μ²/2)/μ.
fn delta_at(epsilon: &Rational, variance: &Rational, precision: u32) -> Option<Interval> {
    let (lower, upper) = arguments(epsilon, variance, precision)?;
    let growth = Interval::rational(epsilon, precision).exp()?;
    Some(lower.normal_tail()? - growth * upper.normal_tail()?)
}

fn arguments(
    epsilon: &Rational,
    variance: &Rational,
    precision: u32,
) -> Option<(Interval, Interval)> {
    let half_square = (variance + variance).reciprocal()?;
    let sigma = Interval::rational(variance, precision).sqrt()?;
    let lower = Interval::rational(&(epsilon - &half_square), precision) * &sigma;
    let upper = Interval::rational(&(epsilon + half_square), precision) * sigma;
    Some((lower, upper))
}

/// About the y = σ/Δ at which δ is the target, to [`WORKING_DIGITS`] digits: halving until the
/// value is near, then Newton's method on ln δ, whose derivative in y is −φ(ε·y − 1/(2y))/(y²δ).
/// The answer is certified afterwards, so nothing here needs to be.
fn root(epsilon: &Rational, target: &Rational) -> Option<Rational> {
    let digits = |value: &Interval| {
        let value = value.upper().to_rational()?;
        Some(value.round_to_digits(WORKING_DIGITS, Rounding::Nearest))
    };
    let precision = WORKING_PRECISION;
    let log_target = Interval::rational(target, precision).ln()?;
    let mut y = bracket(epsilon, target)?;
    for _ in 0..MAX_STEPS {
        let square = y.pow(2);
        let delta = delta_at(epsilon, &square, precision)?;
        let (argument, _) = arguments(epsilon, &square, precision)?;
        let density = (-argument.square().shifted(-1))
            .exp()?
            .checked_div(&pi(precision).shifted(1).sqrt()?)?;
        let gap = delta.ln()? - &log_target;
        let scale = Interval::rational(&square, precision) * &delta;
        let change = (gap * scale).checked_div(&density)?;
        let next = digits(&(Interval::rational(&y, precision) + change))?;
        let moved = (&next - &y).abs();
        let settled = &moved * &Rational::integer(10).pow(45) <= next;
        y = next;
        if settled {
            return Some(y);
        }
    }
    None
}

/// A y at most 1/64 above the root, relatively; δ falls as y grows.
fn bracket(epsilon: &Rational, target: &Rational) -> Option<Rational> {
    let is_enough = |y: &Rational| {
        let delta = delta_at(epsilon, &y.pow(2), 128)?;
        Some(delta.upper().cmp_rational(target).is_le())
    };
    let half = Rational::new(1, 2).ok()?;
    let mut high = Rational::one();
    while !is_enough(&high)? {
        high = &high + &high;
    }
    let mut low = &high * &half;
    while is_enough(&low)? {
        high = low;
        low = &high * &half;
    }
    let tolerance = Rational::integer(64);
    let near = |low: &Rational, high: &Rational| {
        let far = (high - low) * &tolerance > *high;
        far.then(|| ((low + high) * &half).round_to_digits(6, Rounding::Nearest))
    };
    let (_, high) = try_bisect(low, high, near, |y| is_enough(y).ok_or(())).ok()?;
    Some(high)
}
