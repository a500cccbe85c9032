//! Discrete Laplace noise: what it guarantees, exactly.
//!
//! P(x) = (1−q)/(1+q)·q^|x| on the integers, q = e^(−1/t) with the scale t (Ghosh, Roughgarden,
//! Sundararajan 2009). Pure ε-differential privacy takes t = Δ₁/ε ([`crate::laplace`]); for δ > 0
//! a smaller scale is enough.
//!
//! **One coordinate that moves by Δ** has the privacy loss (|x+Δ| − |x|)/t = (Δ − 2j)/t, where
//! j = −x cut off at 0 and Δ, so that P(j) = A_j·q^j/(1+q) with
//!
//!   A(u) = Σ A_j·u^j = 1 + (1−q)·(u + … + u^(Δ−1)) + u^Δ.
//!
//! **k coordinates** ([`WorstCaseDifference`]): the losses add up, J = Σj has P(J) = [u^J]A(u)^k·q^J/(1+q)^k, and
//!
//!   δ(ε) = Σ_{J < (kΔ − εt)/2} P(J)·(1 − e^(ε − (kΔ−2J)/t)),
//!
//! a finite sum of positive terms. For k = 1 it is, with n the number of its terms,
//!
//!   δ(ε) = 1 − (qⁿ + e^(ε − Δ/t)·q^(1−n))/(1+q),
//!
//! and for Δ = 1 the coefficients are binomial (`votes`). For k = 2, J stays below Δ and the coefficients are
//! 1, 2(1−q), 2(1−q) + (1−q)², 2(1−q) + 2(1−q)², …, so that with n terms
//!
//!   (1+q)²·δ(ε) = (1+q)² − (n+1)qⁿ + (n−2)q^(n+1) − e^(ε − 2Δ/t)·(n·q^(1−n) − (n−1)·q^(2−n)).
//!
//! **δ falls as t grows.** With q < q′ the quotient of the generating functions of the two laws is
//!
//!   q/q′ + (1−q/q′)(1−qq′)/((1−q′z)(1−q′/z)),
//!
//! times a constant: a mixture of 0 and of discrete Laplace noise of the larger scale. So noise of
//! the larger scale is noise of the smaller one plus independent noise, in every dimension, and
//! calibration may search by intervals: its answer is safe, and so is every larger scale.

mod calibration;
mod comparison;
mod composed;
mod lattice;
mod loss;
mod scale_search;
mod votes;

use composed::{About, Plan};
use dp_exact::{Delta, Epsilon, Interval, PrecisionError, Rational, Rounding, refine};
use num_bigint::BigInt;

use crate::discrete_gaussian::{is_narrow, least_epsilon};
use crate::{Error, WorstCaseDifference, accepted};

pub use calibration::{
    LaplaceCalibration, calibrate, calibrate_norm, calibrate_query, scale_of_any_pure,
};
pub use comparison::{BesideLaplace, LaplaceComparison, compare};
pub use loss::{deviation_about, log_moment_about, loss};
use scale_search::logarithm;
pub(crate) use scale_search::{Bounds, least_scale};

/// The most terms of the convolution.
const MAX_WORK: u64 = 200_000;

/// The most coordinates whose sum of losses is followed, for which that takes a tenth of a second.
pub const MAX_COORDINATES: u64 = 1 << 24;

/// The exact δ at ε of discrete Laplace noise of scale t = `scale` on every coordinate, where
/// those of `difference` move.
///
/// The interval contains δ; it is 0 where the noise is ε-differentially private. It is narrower than
/// 2^−64 of δ for one or two coordinates that move by any step, for up to 200 000 that move by 1, and
/// where k²Δ is at most 400 000. Longer sums come from a tilted law in units of 2^−62, to some 1e-9 of
/// δ, and from 65 536 places of the sum on from a coarser lattice, between bounds ([`calibrate`] says
/// how far apart that leaves the scales).
///
/// ```
/// use dp_calibration::{WorstCaseDifference, discrete_laplace};
///
/// // Pure differential privacy at ε = 1 takes the scale 2 for a histogram.
/// let (epsilon, difference) = ("1".parse()?, WorstCaseDifference::one_hot());
/// let pure = discrete_laplace::delta(&"2".parse()?, &epsilon, &difference)?;
/// assert!(pure.contains_zero());
/// let delta = discrete_laplace::delta(&"1.9".parse()?, &epsilon, &difference)?;
/// assert!(delta.is_positive());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If ε is outside 1e-9 to 100, Δ₁/t outside 1e-9 to 1e6, or a parameter has more than 2048
/// bits; or if more than 2^24 coordinates move.
pub fn delta(
    scale: &Rational,
    epsilon: &Epsilon,
    difference: &WorstCaseDifference,
) -> Result<Interval, Error> {
    accepted::epsilon(epsilon)?;
    bounded_delta(scale, epsilon, difference, Bounds::Both)
}

/// [`fn@delta`] at an ε that is an answer, with the ends that are asked for.
fn bounded_delta(
    scale: &Rational,
    epsilon: &Epsilon,
    difference: &WorstCaseDifference,
    bounds: Bounds,
) -> Result<Interval, Error> {
    let epsilon = accepted::answered_epsilon(epsilon)?;
    accepted::scale(scale, difference)?;
    supported(difference)?;
    let terms = terms(scale, epsilon, difference);
    if terms <= BigInt::ZERO {
        return Ok(Interval::integer(0, 64));
    }
    if !is_short(difference) {
        return Ok(composed_delta(scale, epsilon, difference, bounds).ok_or(PrecisionError)?);
    }
    let delta = refine(|precision| {
        let precision = precision.max(128);
        let delta = delta_at(scale, epsilon, difference, &terms, precision)?;
        is_narrow(&delta).then_some(delta)
    })?;
    Ok(delta)
}

/// At most [`MAX_COORDINATES`].
fn supported(difference: &WorstCaseDifference) -> Result<(), Error> {
    if difference.coordinates() <= MAX_COORDINATES {
        return Ok(());
    }
    Err(Error::parameter("coordinates", difference.coordinates(), "an integer from 1 to 2^24"))
}

/// Whether δ is a sum of few enough terms.
fn is_short(difference: &WorstCaseDifference) -> bool {
    let total = difference.l1();
    let work = match difference.coordinates() {
        1 | 2 => return true,
        _ if *difference.step() == 1u32.into() => total,
        coordinates => total * coordinates / 2u32,
    };
    work <= MAX_WORK.into()
}

/// δ from the composition of the losses of all coordinates.
fn composed_delta(
    scale: &Rational,
    epsilon: &Rational,
    difference: &WorstCaseDifference,
    bounds: Bounds,
) -> Option<Interval> {
    let rate = scale.to_f64().recip();
    let (tilt, _) = About::new(difference, rate).tilt_at(epsilon.to_f64());
    Plan::new(difference, rate, tilt)?.sums(scale, bounds == Bounds::Both)?.delta(epsilon)
}

/// The number of J ≥ 0 below (kΔ − εt)/2; not positive if there is none.
fn terms(scale: &Rational, epsilon: &Rational, difference: &WorstCaseDifference) -> BigInt {
    let room = Rational::integer(BigInt::from(difference.l1())) - epsilon * scale;
    let half = room.checked_div(&Rational::integer(2));
    half.map_or(BigInt::ZERO, |half| half.ceil())
}

/// δ, for at least one term of the sum.
fn delta_at(
    scale: &Rational,
    epsilon: &Rational,
    difference: &WorstCaseDifference,
    terms: &BigInt,
    precision: u32,
) -> Option<Interval> {
    let exp = |value: &Rational| Interval::rational(value, precision).exp();
    let one = Interval::integer(1, precision);
    let rate = scale.reciprocal()?;
    let q = exp(&-&rate)?;
    let total = Rational::integer(BigInt::from(difference.l1()));
    let excess = epsilon - &total * &rate;
    if difference.coordinates() == 1 {
        let count = Rational::integer(terms.clone());
        let first = exp(&-(&count * &rate))?;
        let second = exp(&(excess + (count - Rational::one()) * rate))?;
        return Some(&one - (first + second).checked_div(&(&one + &q))?);
    }
    if difference.coordinates() == 2 {
        let count = Rational::integer(terms.clone());
        let times =
            |number: &Rational, value: &Interval| Interval::rational(number, precision) * value;
        let all = (&one + &q).square();
        // qⁿ, and e^(ε − 2Δ/t)·q^(1−n).
        let first = exp(&-(&count * &rate))?;
        let second = exp(&(excess + (&count - &Rational::one()) * rate))?;
        let here = times(&(&count + Rational::one()), &first)
            - times(&(&count - &Rational::integer(2)), &(&first * &q));
        let there = times(&count, &second) - times(&(&count - &Rational::one()), &(&second * &q));
        return Some(&one - (here + there).checked_div(&all)?);
    }
    if *difference.step() == 1u32.into() {
        let terms = u64::try_from(terms).ok()?;
        return votes::delta(difference.coordinates(), &rate, epsilon, terms, precision);
    }
    let count = usize::try_from(terms).ok()?;
    weighed(&coefficients(difference, &q, count)?, epsilon, scale, difference)
}

/// δ from the first coefficients of A(u)^k: one for each term of the sum.
fn weighed(
    coefficients: &[Interval],
    epsilon: &Rational,
    scale: &Rational,
    difference: &WorstCaseDifference,
) -> Option<Interval> {
    let precision = coefficients.first()?.precision();
    let exp = |value: &Rational| Interval::rational(value, precision).exp();
    let one = Interval::integer(1, precision);
    let rate = scale.reciprocal()?;
    let q = exp(&-&rate)?;
    let total = Rational::integer(BigInt::from(difference.l1()));
    let excess = epsilon - &total * &rate;
    // q^J and e^(ε − (kΔ−2J)/t)·q^J = e^(ε − kΔ/t)·q^(−J).
    let inverse = exp(&rate)?;
    let mut here = one.clone();
    let mut there = exp(&excess)?;
    let mut sum = Interval::integer(0, precision);
    for coefficient in coefficients {
        sum = sum + coefficient * (&here - &there);
        here = here * &q;
        there = there * &inverse;
    }
    let coordinates = u32::try_from(difference.coordinates()).ok()?;
    sum.checked_div(&(one + q).powi(coordinates))
}

/// The first `count` coefficients of A(u)^k for Δ > 1; all are positive.
fn coefficients(
    difference: &WorstCaseDifference,
    q: &Interval,
    count: usize,
) -> Option<Vec<Interval>> {
    let precision = q.precision();
    let coordinates = difference.coordinates();
    let step = usize::try_from(difference.step()).ok()?;
    let one = Interval::integer(1, precision);
    // Times A, k times. With the sums P_J = Σ_{i ≤ J} of what is multiplied, the coefficient is
    // b_J + (1−q)·(P_(J−1) − P_(J−Δ)) + b_(J−Δ).
    let zero = Interval::integer(0, precision);
    let inner = &one - q;
    let mut power = vec![zero.clone(); count];
    *power.first_mut()? = one;
    for _ in 0..coordinates {
        let mut prefix = Vec::with_capacity(count + 1);
        prefix.push(zero.clone());
        for value in &power {
            prefix.push(prefix.last()? + value);
        }
        let next = (0..count).map(|index| {
            let window = &prefix[index] - &prefix[(index + 1).saturating_sub(step)];
            let sum = &power[index] + &inner * window;
            match index.checked_sub(step) {
                Some(back) => sum + &power[back],
                None => sum,
            }
        });
        power = next.collect();
    }
    Some(power)
}

/// The least ε, in twelve digits, at which discrete Laplace noise of scale t = `scale` is
/// (ε, δ)-differentially private for the worst difference `difference`; Δ₁/t for δ = 0.
///
/// δ falls as ε grows, so halving finds it; that the result is enough is certified. An ε below
/// 1e-9 is reported as that.
///
/// # Errors
/// Those of [`fn@delta`], for every ε from 1e-9 up to Δ₁/t.
pub fn epsilon(
    scale: &Rational,
    slack: &Delta,
    difference: &WorstCaseDifference,
) -> Result<Rational, Error> {
    accepted::scale(scale, difference)?;
    let total = Rational::integer(BigInt::from(difference.l1()));
    let pure = total.checked_div(scale).unwrap_or_else(Rational::zero);
    if slack.value().is_zero() {
        return Ok(pure);
    }
    let highest = pure.round_to_digits(12, Rounding::Up);
    let holds = |delta: &Interval| delta.upper().cmp_rational(slack.value()).is_le();
    supported(difference)?;
    if !is_short(difference) {
        let rate = scale.to_f64().recip();
        let tilt = About::new(difference, rate)
            .tilt_for(logarithm(&Interval::rational(slack.value(), 64)));
        let plan = Plan::new(difference, rate, tilt).ok_or(PrecisionError)?;
        let sums = plan.sums(scale, false).ok_or(PrecisionError)?;
        return least_epsilon(highest, |epsilon| {
            let rate = accepted::answered_epsilon(epsilon)?;
            Ok(holds(&sums.delta(rate).ok_or(PrecisionError)?))
        });
    }
    // The coefficients depend on the scale alone.
    let shared = shared_coefficients(scale, difference)?;
    least_epsilon(highest, |epsilon| {
        let rate = accepted::answered_epsilon(epsilon)?;
        let count = usize::try_from(terms(scale, rate, difference)).unwrap_or(0);
        if count > 0
            && let Some(first) = shared.get(..count)
        {
            let delta = weighed(first, rate, scale, difference).filter(is_narrow);
            if let Some(delta) = delta {
                return Ok(holds(&delta));
            }
        }
        Ok(holds(&bounded_delta(scale, epsilon, difference, Bounds::Upper)?))
    })
}

/// The coefficients for every ε, where they come from a convolution; else none.
fn shared_coefficients(
    scale: &Rational,
    difference: &WorstCaseDifference,
) -> Result<Vec<Interval>, Error> {
    if difference.coordinates() <= 2 || *difference.step() == 1u32.into() {
        return Ok(Vec::new());
    }
    let all = usize::try_from(terms(scale, &Rational::zero(), difference)).unwrap_or(0);
    let coefficients = scale.reciprocal().and_then(|rate| {
        let q = Interval::rational(&-rate, 192).exp()?;
        coefficients(difference, &q, all)
    });
    Ok(coefficients.unwrap_or_default())
}
