//! Discrete Laplace noise with δ > 0: its exact δ, and the least scale.
//!
//! P(x) = (1−q)/(1+q)·q^|x| on the integers, q = e^(−1/t) with the scale t (Ghosh, Roughgarden,
//! Sundararajan 2009). Pure ε-differential privacy takes t = Δ₁/ε ([`pure_scale`]); for δ > 0 a
//! smaller scale is enough.
//!
//! **One coordinate that changes by Δ** has the privacy loss (|x+Δ| − |x|)/t = (Δ − 2j)/t, where
//! j = −x cut off at 0 and Δ. With n = ⌈(Δ − εt)/2⌉ the number of j whose loss exceeds ε,
//!
//!   δ(ε) = 1 − (qⁿ + e^(ε − Δ/t)·q^(1−n))/(1+q).
//!
//! **Two coordinates** ([`WorstCaseDifference`]): the losses add up, and with n = ⌈(2Δ − εt)/2⌉
//!
//!   (1+q)²·δ(ε) = (1+q)² − (n+1)qⁿ + (n−2)q^(n+1) − e^(ε − 2Δ/t)·(n·q^(1−n) − (n−1)·q^(2−n)).
//!
//! **More coordinates**: the distribution of one loss (`loss.rs`) is composed with itself
//! (`privacy_loss.rs`), exactly on its lattice while that is short, else between bounds.
//!
//! **δ falls as t grows**, in every dimension (`docs/calibration.md`, section 5): the answer of a
//! search is safe, and so is every larger scale.

mod calibration;
mod loss;

use dp_exact::directed::count;
use dp_exact::search::minimize;
use dp_exact::{
    Delta, Dyadic, Epsilon, Interval, PrecisionError, Rational, Rho, Rounding, elementary, refine,
};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::discrete_gaussian::{at_most_one, is_narrow, least_epsilon};
use crate::privacy_loss::{BoundSide, LONG, PRECISION, TiltedLoss, Tilting};
use crate::{Error, Result, WorstCaseDifference, accepted, zcdp};

pub use calibration::{LaplaceCalibration, LaplaceProof, calibrate, pure_scale};
pub(crate) use loss::{deviation_about, log_moment_about, loss};

/// The most coordinates whose losses are composed, which takes a tenth of a second.
pub(crate) const MAX_COORDINATES: u64 = 1 << 24;

/// The number of losses within about one standard deviation, for a sum that is kept approximately.
const COARSE: f64 = 2_048.0;

/// Which ends of an enclosure of δ are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// The upper end; the lower end may be 0.
    Upper,
    /// The narrowest enclosure that is known; the lower end is 0 where only a bound is.
    Both,
}

/// Enclosure of δ at ε of discrete Laplace noise of this `scale` for a worst-case difference.
///
/// It is 0 where the noise is ε-differentially private. For one or two coordinates it is narrower
/// than 2^−64 of δ. For more it is as narrow as 1e-9 of δ while the losses are followed one by one;
/// [`LaplaceCalibration`] says how wide it is for longer sums. Where the distribution of the summed
/// losses does not fit, it goes from 0 to the bound by zero-concentrated privacy.
///
/// # Errors
/// If ε is outside 1e-9 to 10 000, Δ₁/t outside 1e-9 to 1e6, or a parameter has more than 2048
/// bits; or if more than 2^24 coordinates change.
pub fn delta(
    scale: &Rational,
    epsilon: &Epsilon,
    difference: &WorstCaseDifference,
) -> Result<Interval> {
    bounded_delta(scale, epsilon, difference, Ends::Both)
}

/// Enclosure of δ at ε as by [`fn@delta`], with the same `Err`; its lower end may be 0 with
/// `Ends::Upper`.
fn bounded_delta(
    scale: &Rational,
    epsilon: &Epsilon,
    difference: &WorstCaseDifference,
    ends: Ends,
) -> Result<Interval> {
    let epsilon = accepted::answered_epsilon(epsilon)?;
    accepted::scale(scale, difference)?;
    supported(difference)?;
    // n = ⌈(kΔ − εt)/2⌉, the number of losses above ε.
    let room = Rational::integer(difference.l1()) - epsilon * scale;
    let above = (room * Rational::new(1, 2)?).ceil();
    if above <= BigInt::ZERO {
        return Ok(Interval::integer(0, 64));
    }
    if difference.coordinates() > 2 {
        // Enclosures of δ are narrow where the Rényi bound on δ is least.
        let about = epsilon.to_f64();
        let tilt = least_tilt(|tilt| log_bound(scale, difference, tilt) - tilt * about);
        let sum = ComposedLoss::new(scale, difference, tilt, ends);
        return match sum.and_then(|sum| sum.delta(epsilon)) {
            Some(delta) => Ok(at_most_one(&delta)),
            None => concentrated_delta(scale, epsilon, difference),
        };
    }
    let delta = refine(|precision| {
        let delta = closed_form(scale, epsilon, difference, &above, precision.max(128))?;
        is_narrow(&delta).then_some(delta)
    })?;
    Ok(delta)
}

/// Enclosure of δ from 0 to the bound by zero-concentrated privacy, where no table of losses fits.
/// Each coordinate is Δ/t-private, hence has ρ = (Δ/t)²/2 (Bun, Steinke 2016, Proposition 1.4), and
/// ρ adds up; the bound is rounded up ([`zcdp::delta`]).
fn concentrated_delta(
    scale: &Rational,
    epsilon: &Rational,
    difference: &WorstCaseDifference,
) -> Result<Interval> {
    let each = difference.rational_step().checked_div(scale).ok_or(PrecisionError)?;
    let half = Rational::new(1, 2)?;
    let rho = each.pow(2) * &half * &Rational::from(difference.coordinates());
    let rho = Rho::new(rho.round_to_digits(12, Rounding::Up))?;
    let delta = zcdp::delta(&rho, &Epsilon::new(epsilon.clone())?)?;
    Ok(delta.hull(&Interval::integer(0, PRECISION)))
}

/// `Err` if more than [`MAX_COORDINATES`] coordinates change.
fn supported(difference: &WorstCaseDifference) -> Result<()> {
    let accepted = "an integer from 1 to 2^24";
    let is_accepted = difference.coordinates() <= MAX_COORDINATES;
    Error::check(is_accepted, "coordinates", difference.coordinates(), accepted)
}

/// Enclosure of δ for one or two coordinates, by a closed sum. n = `above` ≥ 1 is the number of
/// losses above ε, ⌈(kΔ − εt)/2⌉ for k coordinates. `None` if the precision is too low.
fn closed_form(
    scale: &Rational,
    epsilon: &Rational,
    difference: &WorstCaseDifference,
    above: &BigInt,
    precision: u32,
) -> Option<Interval> {
    let exp = |value: &Rational| Interval::rational(value, precision).exp();
    let one = Interval::integer(1, precision);
    let rate = scale.reciprocal()?;
    let q = exp(&-&rate)?;
    let excess = epsilon - &Rational::integer(difference.l1()) * &rate;
    let n = Rational::integer(above.clone());
    // qⁿ, and e^(ε − kΔ/t)·q^(1−n).
    let first = exp(&-(&n * &rate))?;
    let second = exp(&(excess + (&n - &Rational::one()) * rate))?;
    if difference.coordinates() == 1 {
        return Some(&one - (first + second).checked_div(&(&one + &q))?);
    }
    let times = |number: Rational, value: &Interval| Interval::rational(&number, precision) * value;
    let here =
        times(&n + Rational::one(), &first) - times(&n - &Rational::integer(2), &(&first * &q));
    let there = times(n.clone(), &second) - times(&n - &Rational::one(), &(&second * &q));
    Some(&one - (here + there).checked_div(&(&one + &q).square())?)
}

/// The privacy loss of all coordinates together, as distributions that bound δ.
struct ComposedLoss {
    /// λ, the tilt of both distributions.
    tilt: Rational,
    /// A distribution of losses that bounds δ from above.
    upper: TiltedLoss,
    /// A distribution that bounds δ from below, unless `upper` is exact or no bound is wanted.
    lower: Option<TiltedLoss>,
}

impl ComposedLoss {
    /// The loss of `difference` under noise of this `scale`. `tilt` is rounded; any tilt gives a
    /// bound. `None` if a distribution is too long for a table, or a number does not fit.
    fn new(
        scale: &Rational,
        difference: &WorstCaseDifference,
        tilt: f64,
        ends: Ends,
    ) -> Option<Self> {
        let rate = scale.reciprocal()?;
        let times = u32::try_from(difference.coordinates()).ok()?;
        let tilt = Rational::from_f64(tilt).ok()?.round_to_digits(6, Rounding::Nearest);
        let on = |side| {
            let tilting = Tilting { tilt: tilt.clone(), side };
            loss(&rate, difference.step(), cells(difference), &tilting)?.times(times, &tilting)
        };
        let upper = on(BoundSide::Upper)?;
        let lower = match ends {
            Ends::Both if !upper.exact => Some(on(BoundSide::Lower)?),
            _ => None,
        };
        Some(Self { tilt, upper, lower })
    }

    /// Enclosure of δ at ε; its lower end is 0 if there is no lower bound. `None` if a number is
    /// too large.
    fn delta(&self, epsilon: &Rational) -> Option<Interval> {
        let above = self.upper.delta(epsilon, &self.tilt)?;
        if self.upper.exact {
            return Some(above);
        }
        let lower = match &self.lower {
            Some(below) => below.delta(epsilon, &self.tilt)?.lower().clone(),
            None => Dyadic::new(0, 0),
        };
        let upper = above.upper().clone();
        Some(Interval::hull_of(lower.min(upper.clone()), upper, PRECISION))
    }
}

/// The most losses to follow for one coordinate: 65536, hence all, if Δ₁ is at most 65536; else
/// 2048/√k for k coordinates, but at least 4. The sum of all coordinates then has 2048·√k losses or
/// more, but weights below 2^−62 fall to 0: not many more than [`LONG`] losses are left.
fn cells(difference: &WorstCaseDifference) -> u32 {
    if difference.l1() <= LONG.into() {
        return u32::try_from(LONG).expect("it is 2^16");
    }
    let deviation = count(difference.coordinates()).sqrt();
    (COARSE / deviation).to_u32().expect("at most 2 048").max(4)
}

/// An estimate of ln of the bound on δ at ε = 0 by the Rényi divergence of order 1 + `tilt`.
fn log_bound(scale: &Rational, difference: &WorstCaseDifference, tilt: f64) -> f64 {
    let step = difference.step().to_f64().expect("a step has at most 200 bits");
    count(difference.coordinates()) * log_moment_about(step, scale.to_f64().recip(), tilt)
        - tilt * elementary::ln_1p(tilt.recip())
        - elementary::ln_1p(tilt)
}

/// The λ from e^−14 to e^24 at which `function`, which has one minimum, is nearly least.
fn least_tilt(function: impl Fn(f64) -> f64) -> f64 {
    minimize((-14.0, 24.0), 90, function)
}

/// The least ε, in twelve digits, at which discrete Laplace noise of scale t = `scale` is
/// (ε, δ)-differentially private for the worst-case difference `difference`; Δ₁/t for δ = 0.
///
/// That the result is enough is certified. An ε below 1e-9 is reported as 1e-9.
///
/// # Errors
/// As [`fn@delta`], for every ε from 1e-9 up to Δ₁/t; and where the distribution of the summed
/// losses of more than two coordinates does not fit.
pub fn epsilon(
    scale: &Rational,
    delta: &Delta,
    difference: &WorstCaseDifference,
) -> Result<Rational> {
    accepted::scale(scale, difference)?;
    let total = Rational::integer(difference.l1());
    let pure = total.checked_div(scale).ok_or(PrecisionError)?;
    if delta.value().is_zero() {
        return Ok(pure);
    }
    let highest = pure.round_to_digits(12, Rounding::Up);
    let holds = |bound: &Interval| bound.upper().cmp_rational(delta.value()).is_le();
    supported(difference)?;
    if difference.coordinates() <= 2 {
        return least_epsilon(highest, |epsilon| {
            Ok(holds(&bounded_delta(scale, epsilon, difference, Ends::Upper)?))
        });
    }
    let log_delta = Interval::rational(delta.value(), 64).ln().ok_or(PrecisionError)?.midpoint();
    // Where the Rényi bound on ε is least.
    let tilt = least_tilt(|tilt| (log_bound(scale, difference, tilt) - log_delta) / tilt);
    let sum = ComposedLoss::new(scale, difference, tilt, Ends::Upper).ok_or(PrecisionError)?;
    least_epsilon(highest, |epsilon| {
        let epsilon = accepted::answered_epsilon(epsilon)?;
        Ok(holds(&sum.delta(epsilon).ok_or(PrecisionError)?))
    })
}
