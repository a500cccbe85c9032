//! The sum of losses whose distributions lie on different lattices: on their common lattice where
//! that is not too fine, and nothing is moved; else two at a time, on a grid whose step divides the
//! step of the coarser lattice, which suffers most from being moved.

use dp_exact::{Rational, Rounding};
use num_integer::Integer;

use super::tilted::{LONG, TiltedLoss};
use super::tilting::Tilting;
use dp_exact::directed::{floor_to_count, index};

/// The most points of a common lattice on which nothing is moved.
const COMMON: usize = 1 << 20;

/// About the number of points of a grid: for at most [`FEW`] distributions, and for more.
const POINTS: [usize; 2] = [LONG, LONG / 4];

/// The most distributions that are added up on long grids.
const FEW: usize = 4;

/// The distribution of the sum of independent losses: on their common lattice if it has at most
/// 2^20 points, else on grids, moved to the side of `tilting`. Without losses the sum is 0. `None`
/// if a lattice is too long.
pub(crate) fn together(mut laws: Vec<TiltedLoss>, tilting: &Tilting) -> Option<TiltedLoss> {
    let span: f64 = laws.iter().map(span).sum();
    let steps = laws.iter().map(|law| law.step.clone());
    if let Some(common) = common_step(steps, span / index(COMMON)) {
        for law in &mut laws {
            *law = law.on(&common, tilting)?;
        }
    }
    let points = POINTS[usize::from(laws.len() > FEW)];
    laws.sort_by(|one, other| other.step.cmp(&one.step));
    let mut laws = laws.into_iter();
    let mut sum = laws.next().unwrap_or_else(|| TiltedLoss::nothing(Rational::one()));
    for law in laws {
        let step = step(&sum, &law, points)?;
        sum = sum.on(&step, tilting)?.and(&law.on(&step, tilting)?)?;
    }
    Some(sum)
}

/// The largest common divisor of all steps, on whose lattice no loss moves. `None` if it is below
/// `low`, or there are no steps.
fn common_step(steps: impl IntoIterator<Item = Rational>, low: f64) -> Option<Rational> {
    let mut common: Option<Rational> = None;
    for step in steps {
        let next = common.map_or_else(|| step.clone(), |common| gcd(&common, &step));
        if next.to_f64() < low {
            return None;
        }
        common = Some(next);
    }
    common
}

/// An estimate of the range of losses, from the least to the largest, in nats.
fn span(law: &TiltedLoss) -> f64 {
    law.step.to_f64() * index(law.weights.len())
}

/// The step of a grid for the sum of two losses: the step of both if they are equal; else the
/// coarser step over an integer, or a larger step, with which the sum has about this number of
/// `points`.
fn step(one: &TiltedLoss, other: &TiltedLoss, points: usize) -> Option<Rational> {
    let coarse = (&one.step).max(&other.step);
    if one.step == other.step {
        return Some(coarse.clone());
    }
    let wanted = (span(one) + span(other)) / index(points);
    let parts = floor_to_count(coarse.to_f64() / wanted, 1 << 40);
    match parts {
        0 => Some(Rational::from_f64(wanted).ok()?.round_to_digits(4, Rounding::Up)),
        _ => coarse.checked_div(&Rational::from(parts + 1)),
    }
}

/// The greatest common divisor of two rationals.
fn gcd(a: &Rational, b: &Rational) -> Rational {
    let numerator = (a.numerator() * b.denominator()).gcd(&(b.numerator() * a.denominator()));
    let denominator = Rational::integer(a.denominator() * b.denominator());
    let quotient = Rational::integer(numerator).checked_div(&denominator);
    quotient.expect("a product of denominators is positive")
}
