//! Several honest aggregators: their noises add up.
//!
//! Every aggregator adds its own noise, enough by itself. If h of them are honest, what protects a
//! client is the sum of h independent noises. That sum is log-concave as its parts are, so the
//! corner of the box of differences is still the worst, and the likelihood ratio of one coordinate,
//! p(y)/p(y+Δ), still grows with y. With G the upper tail, for one coordinate
//!
//!   δ₁(γ) = max_T [G(T) − γ·G(T+Δ)],  γ = e^ε,
//!
//! reached where p(T) > γ·p(T+Δ) begins, and for two coordinates, by conditioning on one of them,
//!
//!   δ₂(γ) = Σ_y p(y)·δ₁(γ·p(y+Δ)/p(y)).
//!
//! **Gaussian**: p(y) = S_(y mod h)·e^(−y²/(2hσ²))/Z^h by `coset_sums`. The ratio of p to
//! the discrete Gaussian of parameter hσ² lies within 1/R … R, with R = (1+η)/(1−η), so for any
//! number k of coordinates
//!
//!   R^(−k)·δ*(ε + 2k·ln R) ≤ δ(ε) ≤ R^k·δ*(ε − 2k·ln R),
//!
//! where δ* is that of discrete Gaussian noise of parameter hσ². At σ ≥ 2.2 the two agree to
//! nineteen digits. **Laplace**, h = 2: p(y) = ((1−q)/(1+q))²·q^|y|·(|y| + (1+q²)/(1−q²)).

mod calibration;
mod comparison;
mod descent;
mod laws;
mod least;
mod many;
#[cfg(test)]
mod tests;
mod two_coordinates;

use dp_exact::search::{middle, try_narrow};
use dp_exact::{Dyadic, Epsilon, Interval, PrecisionError, Rational, Refusal, Rounding, work};
use laws::{Noise, Pair, Sum};
use many::Many;
use num_bigint::BigInt;
use two_coordinates::MAX_REACH;

use crate::coset_sums::ripple;
use crate::discrete_gaussian::{self, is_narrow};
use crate::{Corner, Error, accepted};

pub use calibration::{
    GaussianCalibrationOfSeveral, LaplaceCalibrationOfSeveral, LeastEpsilon, Route,
    calibrate_gaussian, calibrate_gaussian_corner, calibrate_laplace, gaussian_epsilon,
    laplace_epsilon,
};
pub use least::{
    LeastGaussianOfSeveral, LeastLaplaceOfSeveral, PromisedDeltaOfSeveral, least_gaussian,
    least_laplace, promised_delta,
};

/// The largest σ² at which the sum of a few noises can differ visibly from one discrete Gaussian.
const MOST_RAGGED: i64 = 16;

/// The σ² from which on a sum of a few draws is one discrete Gaussian to eight digits.
const SMOOTH: i64 = 4;

/// The exponent of the smallest shift of ε: far below 2^−64 of what any accepted ε and σ² resolve.
const FINEST: i64 = 512;

/// Bits to try, in this order.
const PRECISIONS: [u32; 4] = [192, 384, 768, 1536];

/// The exact δ at ε where `honest` aggregators each add discrete Gaussian noise of variance
/// parameter σ² = `variance`, for the worst difference `corner`.
///
/// The interval contains δ. It is narrower than 2^−64 of it for σ ≥ 2.5, and for one or two
/// coordinates at any σ whose ε is within reach of a table of 20 000 values; for more coordinates and less
/// noise it comes from a grid and is some 1e-4 to some 1e-2 wide, and its upper end is at most the δ of
/// one honest aggregator.
///
/// ```
/// use dp_calibration::{Corner, discrete_gaussian, honest};
///
/// let (epsilon, corner) = ("0.906".parse()?, Corner::one_hot());
/// let variance = "72.85043056".parse()?;
/// let one = discrete_gaussian::delta(&variance, &epsilon, &corner)?;
/// let two = honest::gaussian_delta(&variance, &epsilon, &corner, 2)?;
/// assert!(two.upper() < one.lower());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`discrete_gaussian::delta`]; if `honest` is not from 1 to 64.
pub fn gaussian_delta(
    variance: &Rational,
    epsilon: &Epsilon,
    corner: &Corner,
    honest: u32,
) -> Result<Interval, Error> {
    let refusal = || {
        work::refusal(
            "the delta of several discrete Gaussian noises",
            &[
                ("variance", variance),
                ("epsilon", epsilon),
                ("honest aggregators", &honest),
            ],
            "take fewer honest aggregators, or numbers of fewer digits",
        )
    };
    work::bounded(refusal, || {
        let delta = quick_delta(variance, epsilon, corner, honest)?;
        if is_narrow(&delta) || honest == 1 {
            return Ok(delta);
        }
        Ok(match composed(variance, epsilon, corner, honest, &delta) {
            Some(found) => {
                let lower = found.lower().max(delta.lower()).clone();
                let upper = found.upper().min(delta.upper()).clone();
                Interval::hull_of(lower.min(upper.clone()), upper, delta.precision())
            }
            None => delta,
        })
    })
}

/// [`gaussian_delta`] without what takes longer than a few milliseconds: for three coordinates and more
/// only by comparison.
fn quick_delta(
    variance: &Rational,
    epsilon: &Epsilon,
    corner: &Corner,
    honest: u32,
) -> Result<Interval, Error> {
    checked_honest(honest)?;
    let alone = discrete_gaussian::delta(variance, epsilon, corner)?;
    if honest == 1 {
        return Ok(alone);
    }
    if let Some(delta) = smoothed(variance, epsilon, corner, honest)?
        && is_narrow(&delta)
    {
        return Ok(delta);
    }
    // Wider noise is smooth, unless its ε or σ² is beyond what is accepted.
    if corner.coordinates() <= 2 && *variance <= Rational::integer(MOST_RAGGED) {
        let noise = |precision| Sum::new(variance, honest, precision);
        let found = enclosure(noise, epsilon.value(), corner, &is_narrow);
        if let Some(delta) = found.filter(|delta| delta.upper() <= alone.upper()) {
            return Ok(delta);
        }
    }
    // More noise never hurts.
    let smoothed = smoothed(variance, epsilon, corner, honest)?;
    let nothing = Dyadic::new(0, 0);
    let bound = Interval::hull_of(nothing, alone.upper().clone(), alone.precision());
    Ok(match smoothed {
        Some(delta) if delta.upper() <= alone.upper() => delta,
        _ => bound,
    })
}

/// δ of little noise on three coordinates and more, from the losses of one on a grid.
fn composed(
    variance: &Rational,
    epsilon: &Epsilon,
    corner: &Corner,
    honest: u32,
    known: &Interval,
) -> Option<Interval> {
    if corner.coordinates() <= 2 || *variance > SMOOTH {
        return None;
    }
    let least = logarithm(known.upper())? * f64::from(honest);
    let none = Rational::zero();
    Many::new(variance, corner, honest, epsilon.value(), &none, least)?.delta(variance)
}

/// About ln of a bound.
fn logarithm(bound: &Dyadic) -> Option<f64> {
    let point = Interval::hull_of(bound.clone(), bound.clone(), 64);
    Some(point.ln()?.midpoint())
}

/// The number of honest aggregators, from 1 to 64.
fn checked_honest(honest: u32) -> Result<(), Error> {
    if (1..=64).contains(&honest) {
        return Ok(());
    }
    let accepted = "an integer from 1 to 64";
    Err(Error::parameter("honest", honest, accepted))
}

/// δ by comparison with the discrete Gaussian of parameter hσ²; `None` where the two differ too
/// much for a statement.
fn smoothed(
    variance: &Rational,
    epsilon: &Epsilon,
    corner: &Corner,
    honest: u32,
) -> Result<Option<Interval>, Error> {
    let Some((factor, shift)) = ratio(variance, corner, honest) else {
        return Ok(None);
    };
    let total = variance * &Rational::from(u64::from(honest));
    accepted::corner_variance(&total, epsilon.value(), corner)?;
    let less = epsilon.value() - &shift;
    if !less.is_positive() {
        return Ok(None);
    }
    let at = |epsilon: &Rational| discrete_gaussian::delta_at(&total, epsilon, corner);
    let (Ok(upper), Ok(lower)) = (at(&less), at(&(epsilon.value() + &shift))) else {
        return Ok(None);
    };
    let upper = upper * &factor;
    let lower = lower.checked_div(&factor);
    Ok(lower.map(|lower| lower.hull(&upper)))
}

/// R^k, and an upper bound on 2k·ln R of few digits, never below 2^−[`FINEST`].
fn ratio(variance: &Rational, corner: &Corner, honest: u32) -> Option<(Interval, Rational)> {
    let precision = 256;
    let eta = ripple(u64::from(honest), variance)?;
    let one = Interval::integer(1, precision);
    let largest = (&one + &eta).checked_div(&(&one - &eta))?;
    let log = largest.ln()? * Interval::integer(corner.coordinates(), precision);
    // Wide noise has ripples of millions of zeros, which no number need spell out.
    let finest = Dyadic::new(1, -FINEST);
    let shift = log.shifted(1).upper().clone().max(finest).to_rational()?;
    let factor = log.exp()?;
    let factor = one.hull(&factor);
    Some((factor, shift.round_to_digits(6, Rounding::Up)))
}

/// The exact δ at ε where **two** honest aggregators each add discrete Laplace noise of scale
/// t = `scale`, for a worst difference of one or two coordinates.
///
/// The interval contains δ and is narrower than 2^−64 of it; it is 0 where Δ₁/t ≤ ε.
///
/// # Errors
/// Those of [`crate::discrete_laplace::delta`]; if more than two coordinates move, or two with
/// noise of a scale above about a hundred, for which the sum is too long.
pub fn laplace_delta(
    scale: &Rational,
    epsilon: &Epsilon,
    corner: &Corner,
) -> Result<Interval, Error> {
    let refusal = || {
        work::refusal(
            "the delta of two discrete Laplace noises",
            &[("scale", scale), ("epsilon", epsilon)],
            "take numbers of fewer digits",
        )
    };
    work::bounded(refusal, || {
        let rate = accepted::epsilon(epsilon)?;
        accepted::scale(scale, corner)?;
        affordable(scale, corner)?;
        // It is 0 only where the noise is purely private.
        let exact = |delta: &Interval| is_narrow(delta) || *delta.upper() <= Dyadic::new(0, 0);
        let found = laplace_enclosure(scale, rate, corner, &is_narrow);
        Ok(found.filter(exact).ok_or(PrecisionError)?)
    })
}

/// δ of two discrete Laplace draws, narrow `enough` where the longest table allows it.
fn laplace_enclosure(
    scale: &Rational,
    epsilon: &Rational,
    corner: &Corner,
    enough: &impl Fn(&Interval) -> bool,
) -> Option<Interval> {
    if Rational::integer(BigInt::from(corner.l1())) <= epsilon * scale {
        return Some(Interval::integer(0, 64));
    }
    enclosure(|bits| Pair::new(scale, bits), epsilon, corner, enough)
}

/// δ for one or two coordinates, narrow `enough`, or from the most bits of [`PRECISIONS`].
fn enclosure<N: Noise>(
    noise: impl Fn(u32) -> Option<N>,
    epsilon: &Rational,
    corner: &Corner,
    enough: &impl Fn(&Interval) -> bool,
) -> Option<Interval> {
    let mut found = None;
    for precision in PRECISIONS {
        // What is out of reach at one precision is so at every other.
        found = delta_of(&noise(precision)?, epsilon, corner, precision, enough);
        if found.as_ref().is_none_or(enough) {
            break;
        }
    }
    found
}

/// Whether the sum over one coordinate's values is short enough.
fn affordable(scale: &Rational, corner: &Corner) -> Result<(), Error> {
    let reach = scale * &Rational::integer(150);
    let long = corner.coordinates() == 2 && reach > i64::from(MAX_REACH);
    if corner.coordinates() > 2 || long {
        let count = corner.coordinates();
        let what = format!("this is the sum of two Laplace draws on {count} coordinates");
        let change = "take one coordinate, or two and a scale of at most 133";
        return Err(Refusal::too_costly(what, change).into());
    }
    Ok(())
}

/// δ for one or two coordinates.
fn delta_of(
    noise: &impl Noise,
    epsilon: &Rational,
    corner: &Corner,
    precision: u32,
    enough: &impl Fn(&Interval) -> bool,
) -> Option<Interval> {
    let step = BigInt::from(corner.step().clone());
    let growth = Interval::rational(epsilon, precision).exp()?;
    if corner.coordinates() == 1 {
        return single(noise, &growth, &step);
    }
    let step = u32::try_from(&step).ok()?;
    two_coordinates::delta(noise, epsilon.to_f64(), &growth, step, enough)
}

/// δ₁ at γ = `growth`.
fn single(noise: &impl Noise, growth: &Interval, step: &BigInt) -> Option<Interval> {
    let excess = |y: &BigInt| Some(noise.mass(y)? - growth * noise.mass(&(y + step))?);
    let is_positive = |y: &BigInt| Some(excess(y)?.is_positive());
    // Gallop to a bracket: not positive at `low`, positive at `high`.
    let (mut low, mut high) = (BigInt::ZERO, BigInt::ZERO);
    let mut stride = BigInt::from(1);
    let farthest = BigInt::from(1) << 80;
    while is_positive(&low)? {
        high = low.clone();
        low -= &stride;
        stride *= 2;
        if stride > farthest {
            return None;
        }
    }
    stride = BigInt::from(1);
    while high <= low || !is_positive(&high)? {
        low = low.max(high.clone());
        high = &low + &stride;
        stride *= 2;
        let rest = noise.tail(&low)?;
        if *rest.upper() <= Dyadic::new(1, -6 * i64::from(growth.precision())) {
            // Nothing is positive up to here, and what lies beyond is at most this.
            let certain = (-excess(&low)?).is_positive();
            return certain.then(|| rest.hull(&Interval::integer(0, rest.precision())));
        }
    }
    let (low, high) = try_narrow(low, high, middle, |y| is_positive(y).ok_or(())).ok()?;
    let sum = noise.tail(&high)? - growth * noise.tail(&(&high + step))?;
    // What lies just below the threshold may be positive, if no more than the enclosure shows.
    let precision = sum.precision();
    let mut doubtful = Interval::integer(0, precision);
    let mut y = low;
    loop {
        let value = excess(&y)?;
        if !value.contains_zero() {
            return Some(sum + doubtful);
        }
        let nothing = Interval::integer(0, precision);
        let upper = Interval::hull_of(Dyadic::new(0, 0), value.upper().clone(), precision);
        doubtful = doubtful + nothing.hull(&upper);
        y -= 1;
        if &high - &y > BigInt::from(64) {
            return None;
        }
    }
}
