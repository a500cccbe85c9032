//! The sum of losses whose distributions lie on different lattices.
//!
//! Where a common lattice is not too fine, it is used, and nothing is moved. Otherwise two
//! distributions at a time are put on a grid. A coarse lattice suffers from that most, as outcomes
//! that are merged downward lie a whole step of the lattice apart. So the step of the grid divides
//! the step of the coarser lattice, which is then not moved. Of all such steps one is taken of
//! which the other lattice's step is slightly more than a whole multiple.

#[cfg(test)]
mod tests;

use dp_exact::{Rational, Rounding};
use num_integer::Integer;

use super::tilted::{LONG, TiltedLoss};
use super::tilting::Tilting;
use dp_exact::directed::{floor_to_count, index};

/// The most points of a common lattice on which nothing is moved.
pub const COMMON: usize = 1 << 20;

/// The relative change of the variance of the sum that a grid may cause.
const CHANGE: f64 = 1e-7;

/// How often the step of a grid may be halved.
const HALVINGS: u32 = 3;

/// The most candidates for the step of a grid that are compared.
const COMPARED: u64 = 1 << 16;

/// The distribution of the sum of independent losses; `variance` is an estimate of the variance of
/// that sum.
#[must_use]
pub fn together(mut laws: Vec<TiltedLoss>, variance: f64, tilting: &Tilting) -> Option<TiltedLoss> {
    let span: f64 = laws.iter().map(span).sum();
    let steps = laws.iter().map(|law| law.step.clone());
    if let Some(common) = common_step(steps, span / index(COMMON)) {
        for law in &mut laws {
            *law = law.on(&common, tilting)?;
        }
    }
    laws.sort_by(|one, other| other.step.cmp(&one.step));
    let mut laws = laws.into_iter();
    let mut sum = laws.next()?;
    for law in laws {
        let step = step(&sum, &law, variance)?;
        sum = sum.on(&step, tilting)?.and(&law.on(&step, tilting)?)?;
    }
    Some(sum)
}

/// The largest common divisor of all steps, if it is at least about `least`: on a lattice of this
/// step no loss has to be moved.
#[must_use]
pub fn common_step(steps: impl IntoIterator<Item = Rational>, least: f64) -> Option<Rational> {
    let mut common: Option<Rational> = None;
    for step in steps {
        let next = common.map_or_else(|| step.clone(), |common| gcd(&common, &step));
        if next.to_f64() < least {
            return None;
        }
        common = Some(next);
    }
    common
}

/// An estimate of the range of losses, from the least to the largest.
fn span(law: &TiltedLoss) -> f64 {
    law.step.to_f64() * index(law.weights.len())
}

/// The step of a grid on which both distributions are put; `variance` is an estimate of the
/// variance of their sum. `None` if no step is found.
fn step(one: &TiltedLoss, other: &TiltedLoss, variance: f64) -> Option<Rational> {
    if one.step == other.step {
        return Some(one.step.clone());
    }
    let (coarse, fine) = if one.step > other.step { (one, other) } else { (other, one) };
    let (large, small) = (coarse.step.to_f64(), fine.step.to_f64());
    let filled = fine.weights.iter().filter(|&&weight| weight > 0).count();
    let apart = span(fine) / index(filled);
    let mut wanted = (span(one) + span(other)) / index(LONG);
    let mut best: Option<(f64, Option<u64>, f64)> = None;
    for _ in 0..=HALVINGS {
        // What a grid of step h changes: outcomes are some distance apart, and drift by a part of
        // h from one place of the lattice to the next.
        let change = |step: f64| {
            let drift = (small / step).fract() * index(fine.weights.len());
            drift.min(1.0) * step * apart.max(step) / (2.0 * variance)
        };
        let found = if large <= wanted {
            (2.0 * change(wanted), None, wanted)
        } else {
            let least = floor_to_count(large / wanted, 1 << 40) + 1;
            let parts = (least..2 * least).take(usize::try_from(COMPARED).ok()?);
            let changes = parts.map(|part| {
                let step = large / dp_exact::directed::count(part);
                (change(step), Some(part), step)
            });
            changes.min_by(|one, other| one.0.total_cmp(&other.0))?
        };
        if best.is_none_or(|best| found.0 < best.0) {
            best = Some(found);
        }
        if found.0 <= CHANGE {
            break;
        }
        wanted /= 2.0;
    }
    match best? {
        (_, Some(parts), _) => coarse.step.checked_div(&Rational::from(parts)),
        (_, None, step) => Some(Rational::from_f64(step).ok()?.round_to_digits(4, Rounding::Up)),
    }
}

/// The greatest common divisor of two rationals.
fn gcd(a: &Rational, b: &Rational) -> Rational {
    let numerator = (a.numerator() * b.denominator()).gcd(&(b.numerator() * a.denominator()));
    let denominator = Rational::integer(a.denominator() * b.denominator());
    let quotient = Rational::integer(numerator).checked_div(&denominator);
    quotient.unwrap_or_else(Rational::zero)
}
