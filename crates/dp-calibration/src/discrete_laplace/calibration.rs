//! The least discrete Laplace noise for (ε, δ).
//!
//! δ falls as the scale grows, so a search that keeps a scale that is enough and one that is not
//! ends at the least scale of twelve digits. Every comparison is certified.

use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding, refine};
use num_bigint::BigUint;

use super::{is_short, search, supported};
use crate::laplace::{self, positive_sensitivity};
use crate::{Adjacency, Corner, Error, Query, accepted};

/// Digits of a scale.
pub(super) const DIGITS: usize = 12;

/// Halvings and secants of the search; some fifteen are needed.
const MAX_STEPS: usize = 200;

/// k²Δ up to which a convolution takes a few milliseconds.
const QUICK: u64 = 20_000;

/// Noise that meets (ε, δ), with the proof.
///
/// **What is proved**: discrete Laplace noise of scale `scale`, *or any larger one*, on every
/// coordinate is (ε, δ)-differentially private for the differences it was calibrated for, and for
/// a `refuted` scale it is not. Where δ is known narrowly ([`super::delta`]) the two differ by one
/// unit of the twelfth digit; for longer sums by 1e-9, and where their lattice is made coarser by
/// 1e-4 or less for a thousand coordinates, 0.1 % for a hundred thousand and 1.4 % for 2^24, mostly
/// because the lower bound on δ is the looser one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Calibration {
    /// The scale t, a decimal of at most twelve digits; or that of pure privacy, Δ₁/ε, exactly.
    pub scale: Rational,
    /// An enclosure of the exact δ at that scale, or of an upper bound on it where there is no
    /// `corner`; its upper end is at most the target. 0 for pure privacy.
    pub delta: Interval,
    /// A smaller scale that is certainly not enough; for pure privacy none is.
    pub refuted: Option<Rational>,
    /// The worst difference; `None` where the L1 sensitivity alone proves the result.
    pub corner: Option<Corner>,
}

impl Calibration {
    /// Whether the worst difference proves the result, and not the L1 sensitivity alone.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.corner.is_some()
    }
}

/// The least scale of discrete Laplace noise that makes an aggregate (ε, δ)-differentially private
/// whose worst difference is `corner`.
///
/// ```
/// use dp_calibration::{Corner, discrete_laplace};
///
/// let noise = discrete_laplace::calibrate(&"1".parse()?, &"0.01".parse()?, &Corner::one_hot())?;
/// assert!(noise.scale < 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If ε is outside 1e-9 to 10 000, δ outside 1e-500 to 0.9 (for δ = 0 see
/// [`crate::laplace::scale`]), either has more than 2048 bits, or more than 2^24
/// coordinates move.
pub fn calibrate(epsilon: &Epsilon, delta: &Delta, corner: &Corner) -> Result<Calibration, Error> {
    let rate = accepted::epsilon(epsilon)?;
    let target = accepted::delta(delta)?;
    supported(corner)?;
    // The scale of pure differential privacy is enough.
    let pure = laplace::scale(epsilon, &corner.l1())?;
    let at = |scale: &Rational| super::delta(scale, epsilon, corner);
    let least = if is_quick(corner) {
        least_scale(&pure, target, at)?
    } else {
        // So is that of one coordinate that moves by all of Δ₁.
        let single = Corner::new(1, corner.l1())?;
        let norm = least_scale(&pure, target, |scale| super::delta(scale, epsilon, &single))?;
        let found = search::least(rate, target, corner, &norm)?;
        match &found.refuted {
            Some(low) if is_short(corner) => least_between(low, &found.enough, target, at)?,
            _ => found,
        }
    };
    Ok(Calibration {
        scale: least.enough,
        delta: least.delta,
        refuted: least.refuted,
        corner: Some(corner.clone()),
    })
}

/// The end of a search for the least scale.
#[derive(Clone, Debug)]
pub(crate) struct Least {
    pub(crate) enough: Rational,
    /// δ there
    pub(crate) delta: Interval,
    pub(crate) refuted: Option<Rational>,
}

/// The least scale of twelve digits at which δ, which falls as the scale grows, meets a target, if
/// it does at `highest`; no more than that.
pub(crate) fn least_scale(
    highest: &Rational,
    target: &Rational,
    at: impl Fn(&Rational) -> Result<Interval, Error>,
) -> Result<Least, Error> {
    let mut high = highest.round_to_digits(DIGITS, Rounding::Up);
    let mut high_log = f64::NEG_INFINITY;
    let mut bracket = None;
    for _ in 0..MAX_STEPS {
        let low = &high * &Rational::new(1, 2)?;
        let low = low.round_to_digits(DIGITS, Rounding::Up);
        let delta = at(&low)?;
        if delta.upper().cmp_rational(target).is_gt() {
            bracket = Some((low, logarithm(&delta)));
            break;
        }
        high = low;
        high_log = logarithm(&delta);
    }
    let refuted = bracket.map(|low| narrowed(low, (&mut high, &mut high_log), target, &at));
    let enough = high.min(highest.clone());
    Ok(Least {
        delta: at(&enough)?,
        enough,
        refuted: refuted.transpose()?,
    })
}

/// The same between a scale that is not enough and one that is.
fn least_between(
    low: &Rational,
    high: &Rational,
    target: &Rational,
    at: impl Fn(&Rational) -> Result<Interval, Error>,
) -> Result<Least, Error> {
    let mut high = high.clone();
    let mut high_log = logarithm(&at(&high)?);
    let low = (low.clone(), logarithm(&at(low)?));
    let refuted = narrowed(low, (&mut high, &mut high_log), target, &at)?;
    Ok(Least {
        delta: at(&high)?,
        enough: high,
        refuted: Some(refuted),
    })
}

/// Moves two scales together, one that is not enough and one that is, given ln δ at both; returns the
/// lower one. Not [`dp_exact::search::narrow`], as the secant needs ln δ at both ends and each δ is
/// expensive: it takes a third of the steps of halving.
fn narrowed(
    (mut low, mut low_log): (Rational, f64),
    (high, high_log): (&mut Rational, &mut f64),
    target: &Rational,
    at: &impl Fn(&Rational) -> Result<Interval, Error>,
) -> Result<Rational, Error> {
    let log_target = logarithm(&Interval::rational(target, 64));
    for step in 0..MAX_STEPS {
        let secant = (low_log - log_target) / (low_log - *high_log);
        let part = proposal(secant, step);
        let Some(middle) = between(&low, high, part) else {
            break;
        };
        let delta = at(&middle)?;
        if delta.upper().cmp_rational(target).is_le() {
            (*high, *high_log) = (middle, logarithm(&delta));
        } else {
            (low, low_log) = (middle, logarithm(&delta));
        }
    }
    Ok(low)
}

/// The least scale of discrete Laplace noise that makes the aggregate of a query
/// (ε, δ)-differentially private, or ε-differentially private for δ = 0.
///
/// By the law of the noise at the worst difference ([`Query::corner`]), for all types of Prio3; only
/// for more than 2^24 entries by [`calibrate_norm`].
///
/// ```
/// use dp_calibration::{Adjacency, Query, discrete_laplace::calibrate_query};
///
/// let query = Query::L1BoundSum { length: 10, max_measurement: 255 };
/// let noise = calibrate_query(&query, Adjacency::Replacement, &"1".parse()?, &"0".parse()?)?;
/// assert_eq!(noise.scale, 510);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If ε is outside 1e-9 to 10 000, δ neither 0 nor from 1e-500 to 0.9, or either has more than 2048
/// bits; those of [`Query::sensitivity`]; if the sensitivity is 0 (a histogram of one bucket,
/// replaced), so that no noise is needed.
pub fn calibrate_query(
    query: &Query,
    adjacency: Adjacency,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Result<Calibration, Error> {
    let moves = query.positive_sensitivity(adjacency)?;
    let corner = query.corner(adjacency).ok().flatten();
    if delta.value().is_zero() {
        accepted::epsilon(epsilon)?;
        return Ok(Calibration {
            scale: laplace::scale(epsilon, &moves.l1)?,
            delta: Interval::integer(0, 64),
            refuted: None,
            corner,
        });
    }
    match corner {
        Some(corner) if supported(&corner).is_ok() => calibrate(epsilon, delta, &corner),
        _ => calibrate_norm(epsilon, delta, &moves.l1),
    }
}

/// The least scale of discrete Laplace noise that makes every aggregate of L1 sensitivity `l1`
/// (ε, δ)-differentially private.
///
/// Moves on several coordinates are no worse than their sum on one ([`Corner`]), so this is the
/// scale for one coordinate that moves by Δ₁: the least for all such aggregates together. For a
/// single one it need not be, and there is no `corner`.
///
/// # Errors
/// Those of [`calibrate`]; if the sensitivity is 0 or has more than 200 bits.
pub fn calibrate_norm(
    epsilon: &Epsilon,
    delta: &Delta,
    l1: &BigUint,
) -> Result<Calibration, Error> {
    positive_sensitivity("l1", l1)?;
    let noise = calibrate(epsilon, delta, &Corner::new(1, l1.clone())?)?;
    Ok(Calibration {
        corner: None,
        ..noise
    })
}

/// A scale for (ε, δ) by what is true of every mechanism of L1 sensitivity `l1` that is
/// ε₀-differentially private, ε₀ = Δ₁/t: δ ≤ (e^(ε₀) − e^ε)/(e^(ε₀) + 1) (Kairouz, Oh, Viswanath
/// 2015, Theorem 3.3 for k = 1). [`calibrate_norm`] needs no more noise.
///
/// # Errors
/// If ε is outside 1e-9 to 10 000, δ outside 1e-500 to 0.9, or either has more than 2048 bits; if
/// the sensitivity is 0.
pub fn scale_of_any_pure(
    epsilon: &Epsilon,
    delta: &Delta,
    l1: &BigUint,
) -> Result<Rational, Error> {
    let epsilon = accepted::epsilon(epsilon)?;
    let target = accepted::delta(delta)?;
    let norm = positive_sensitivity("l1", l1)?;
    let rest = Rational::one() - target;
    // t = Δ₁/ε₀ with e^(ε₀) = (δ + e^ε)/(1 − δ), rounded up; never above Δ₁/ε, which needs no δ.
    let scale = refine(|precision| {
        let precision = precision.max(192);
        let growth = Interval::rational(epsilon, precision).exp()?;
        let ratio = (growth + Interval::rational(target, precision))
            .checked_div(&Interval::rational(&rest, precision))?;
        let scale = Interval::rational(&norm, precision).checked_div(&ratio.ln()?)?;
        scale.upper().to_rational()
    })?;
    let rounded = scale.round_to_digits(DIGITS, Rounding::Up);
    Ok(match norm.checked_div(epsilon) {
        Some(pure) => rounded.min(pure),
        None => rounded,
    })
}

/// Where to look between two scales: at the secant, pushed towards either end in turn so that both
/// ends move, and at the middle from time to time.
fn proposal(secant: f64, step: usize) -> f64 {
    match step % 3 {
        0 if secant.is_finite() => (secant * 1.02 + 1e-9).clamp(1e-6, 0.999_999),
        1 if secant.is_finite() => (secant * 0.98 - 1e-9).clamp(1e-6, 0.999_999),
        _ => 0.5,
    }
}

/// A decimal strictly between `low` and `high`, about `part` of the way up; `None` if there is
/// none of twelve digits.
fn between(low: &Rational, high: &Rational, part: f64) -> Option<Rational> {
    let width = high - low;
    let part = Rational::from_f64(part).ok()?;
    for (part, rounding) in [
        (&part, Rounding::Nearest),
        (&part, Rounding::Up),
        (&part, Rounding::Down),
    ] {
        let middle = (low + &(&width * part)).round_to_digits(DIGITS, rounding);
        if *low < middle && middle < *high {
            return Some(middle);
        }
    }
    None
}

/// Whether so few terms are summed that all of the search may sum them.
fn is_quick(corner: &Corner) -> bool {
    is_short(corner)
        && (corner.coordinates() <= 2
            || *corner.step() == 1u32.into()
            || corner.l1() * corner.coordinates() <= QUICK.into())
}

/// About ln of the enclosed number.
pub(super) fn logarithm(value: &Interval) -> f64 {
    value.ln().map_or(f64::NEG_INFINITY, |log| log.midpoint())
}
