//! A release on the lattice: where its losses go, and what its probabilities are rounded to.
//!
//! A loss between the grid points g and g + h goes up, split in two, or down, as the top of
//! [`crate::privacy_loss`] says; one on the lattice stays. Probabilities are then integers in
//! units of 2^−62 of the total, rounded down.

use std::collections::BTreeMap;

use dp_exact::{Interval, Rational};
use num_bigint::BigInt;

use super::convolution;
use super::release::{Atom, Part};
use super::tilted::{PRECISION, TiltedLaw};

/// How losses are placed on the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Upward,
    Downward,
}

/// The tilted law of one release, on the grid.
pub(super) fn single(
    part: &Part,
    side: Side,
    step: &Rational,
    tilt: &Rational,
    exact: bool,
) -> Option<TiltedLaw> {
    let (atoms, rest) = part.atoms(tilt)?;
    let offset = if exact {
        atoms.first()?.loss.clone()
    } else {
        Rational::zero()
    };
    let mut placed: Vec<(i64, Interval)> = Vec::with_capacity(2 * atoms.len());
    for Atom { loss, weight } in atoms {
        let place = (&loss - &offset).checked_div(step)?;
        let below = place.floor();
        let gap = &loss - &offset - Rational::integer(below.clone()) * step;
        let index = i64::try_from(&below).ok()?;
        if gap.is_zero() {
            placed.push((index, weight));
            continue;
        }
        let real = |value: Rational| Interval::rational(&value, PRECISION);
        let lowered = &weight * real(-(tilt * &gap)).exp()?;
        if side == Side::Downward {
            placed.push((index, lowered));
            continue;
        }
        let share = real(-&gap).exp_m1()?.checked_div(&real(-step).exp_m1()?)?;
        let raised = weight * real(tilt * &(step - &gap)).exp()?;
        placed.push((index, lowered * (Interval::integer(1, PRECISION) - &share)));
        placed.push((index + 1, raised * share));
    }
    collect(offset, placed, &rest)
}

/// Adds up what falls on the same place, and rounds down.
fn collect(offset: Rational, placed: Vec<(i64, Interval)>, rest: &Interval) -> Option<TiltedLaw> {
    let mut sums: BTreeMap<i64, Interval> = BTreeMap::new();
    let mut all = Interval::integer(0, PRECISION);
    for (index, weight) in placed {
        all = all + &weight;
        let sum = sums.entry(index);
        let sum = sum.or_insert_with(|| Interval::integer(0, PRECISION));
        *sum = &*sum + weight;
    }
    let first = *sums.first_key_value()?.0;
    let last = *sums.last_key_value()?.0;
    let length = usize::try_from(last.checked_sub(first)?)
        .ok()?
        .checked_add(1)?;
    if length > convolution::MAX_LENGTH {
        return None;
    }
    // Everything in units of the upper end of what is there.
    let unit = Interval::hull_of(all.upper().clone(), all.upper().clone(), PRECISION);
    let mut weights = vec![0; length];
    for (index, sum) in sums {
        let share = sum.checked_div(&unit)?;
        let floor = share.lower().floor_shifted(u64::from(convolution::BITS));
        let place = usize::try_from(index - first).ok()?;
        weights[place] = u64::try_from(floor.max(BigInt::ZERO)).ok()?;
    }
    let total = (all + rest).checked_div(&unit)?;
    Some(TiltedLaw {
        offset,
        first,
        weights,
        total: Interval::hull_of(total.upper().clone(), total.upper().clone(), PRECISION),
        log_moment: unit.ln()?,
    })
}
