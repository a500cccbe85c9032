//! The least scale of twelve digits, by halving and by secants on an enclosure of δ.

use dp_exact::{Interval, Rational, Rounding};

use crate::Error;

/// Significant digits of a scale.
pub(super) const DIGITS: usize = 12;

/// The most steps of a search; some fifteen are needed.
const MAX_STEPS: usize = 200;

/// Which ends of an enclosure of δ are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// The upper end; the lower end may be 0.
    Upper,
    /// Both ends.
    Both,
}

/// The result of a search for the least scale.
#[derive(Clone, Debug)]
pub(crate) struct LeastScale {
    /// The least scale of twelve digits that was proved.
    pub(crate) scale: Rational,
    /// Enclosure of δ at that scale.
    pub(crate) delta: Interval,
    /// A smaller scale whose δ is certainly above the target.
    pub(crate) refuted: Option<Rational>,
}

/// The least scale of twelve digits, at most `highest`, at which δ is at most `target`. `at`
/// encloses δ, which falls as the scale grows and is at most the target at `highest`.
pub(crate) fn least_scale(
    highest: &Rational,
    target: &Rational,
    at: impl Fn(&Rational, Ends) -> Result<Interval, Error>,
) -> Result<LeastScale, Error> {
    let mut high = highest.round_to_digits(DIGITS, Rounding::Up);
    let mut high_log = f64::NEG_INFINITY;
    let mut bracket = None;
    for _ in 0..MAX_STEPS {
        let low = &high * &Rational::new(1, 2)?;
        let low = low.round_to_digits(DIGITS, Rounding::Up);
        let delta = at(&low, Ends::Upper)?;
        if delta.upper().cmp_rational(target).is_gt() {
            bracket = Some((low, logarithm(&delta)));
            break;
        }
        high = low;
        high_log = logarithm(&delta);
    }
    let missed = bracket.map(|low| narrowed(low, (&mut high, &mut high_log), target, &at));
    let scale = high.min(highest.clone());
    Ok(LeastScale {
        delta: at(&scale, Ends::Both)?,
        refuted: match missed.transpose()? {
            Some(missed) => refuted(missed, target, &at)?,
            None => None,
        },
        scale,
    })
}

/// A scale whose δ is certainly above the target: `missed`, whose upper bound on δ is, or a smaller
/// one.
fn refuted(
    missed: Rational,
    target: &Rational,
    at: &impl Fn(&Rational, Ends) -> Result<Interval, Error>,
) -> Result<Option<Rational>, Error> {
    let mut scale = missed.clone();
    for digits in (0..=10).rev() {
        if at(&scale, Ends::Both)?.lower().cmp_rational(target).is_gt() {
            return Ok(Some(scale));
        }
        let part = Rational::one() - Rational::new(1, 10u64.pow(digits))?;
        scale = (&missed * &part).round_to_digits(DIGITS, Rounding::Up);
        if scale.is_zero() {
            break;
        }
    }
    Ok(None)
}

/// Narrows a bracket of scales, given ln δ at both ends; δ at `high` meets the target. Returns the
/// lower end. Not [`dp_exact::search::bisect`], as the secant needs ln δ at both ends and each δ is
/// expensive: it takes a third of the steps of halving.
fn narrowed(
    (mut low, mut low_log): (Rational, f64),
    (high, high_log): (&mut Rational, &mut f64),
    target: &Rational,
    at: &impl Fn(&Rational, Ends) -> Result<Interval, Error>,
) -> Result<Rational, Error> {
    let log_target = logarithm(&Interval::rational(target, 64));
    for step in 0..MAX_STEPS {
        let secant = (low_log - log_target) / (low_log - *high_log);
        let part = proposal(secant, step);
        let Some(middle) = between(&low, high, part) else {
            break;
        };
        let delta = at(&middle, Ends::Upper)?;
        if delta.upper().cmp_rational(target).is_le() {
            (*high, *high_log) = (middle, logarithm(&delta));
        } else {
            (low, low_log) = (middle, logarithm(&delta));
        }
    }
    Ok(low)
}

/// Where to look in a bracket of scales, from 0 at the lower end to 1: at the secant, pushed
/// towards either end in turn so that both ends advance, and at the middle every third `step`.
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
    for (part, rounding) in
        [(&part, Rounding::Nearest), (&part, Rounding::Up), (&part, Rounding::Down)]
    {
        let middle = (low + &(&width * part)).round_to_digits(DIGITS, rounding);
        if *low < middle && middle < *high {
            return Some(middle);
        }
    }
    None
}

/// An estimate of ln of the enclosed number, −∞ if its enclosure reaches 0.
pub(super) fn logarithm(value: &Interval) -> f64 {
    value.ln().map_or(f64::NEG_INFINITY, |log| log.midpoint())
}
