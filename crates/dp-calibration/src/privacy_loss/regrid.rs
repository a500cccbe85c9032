//! A distribution on a grid: every loss between two grid points moved up, or down.
//!
//! **Upward**, with h the step, an outcome at g + c·h, 0 < c < 1, is split between g and g + h such
//! that its P and its Q are kept: u = (1 − e^(−ch))/(1 − e^(−h)) of P goes to g + h. **Downward**,
//! from the top, the outcomes above the grid point g are merged with as much of the outcomes next
//! below g as keeps the mean of e^(g−ℓ) at most 1, and lowered to g. `docs/composition.md` proves
//! that δ changes to that side.
//!
//! Weights are tilted: a move by d multiplies by e^(λd). All results are rounded down.

use dp_exact::{Interval, Rational};

use super::tilting::{BoundSide, PRECISION};
use dp_exact::convolution::MAX_LENGTH;
use dp_exact::fixed::{self, ONE, decay, mean_decay};

/// Units of 2^−62 that an outcome may lose upward: its two results are each within 48 units of
/// 2^−64 of the true share of the weight, which is at most 2^62 units, and are rounded down.
const LOST_EACH: u64 = 32;

/// A loss in steps of the grid, times 2^64, and its weight in units of 2^−62.
pub(super) type PlacedOutcome = (u128, u64);

/// Weights on a grid, in units of 2^−62.
#[derive(Debug)]
pub(super) struct GridWeights {
    /// The grid point of the first weight: its loss in steps.
    pub(super) first: i64,
    pub(super) weights: Vec<u64>,
    /// Upper bound on the weight that rounding has lost, in units of 2^−62.
    pub(super) lost: u64,
}

/// The weights of ascending outcomes that all lie on grid points; `None` if one does not, there are
/// none, or the grid would be too long.
pub(super) fn unmoved(outcomes: &[PlacedOutcome]) -> Option<GridWeights> {
    let (first, mut weights) = room(outcomes)?;
    for &(place, weight) in outcomes {
        if place % ONE != 0 {
            return None;
        }
        weights[usize::try_from(cell(place)? - first).ok()?] += weight;
    }
    Some(GridWeights { first, weights, lost: 0 })
}

/// The grid point at or below the least of ascending losses, and zeros from there to one point
/// beyond the largest. `None` if there are no outcomes, or the grid would be too long.
fn room(outcomes: &[PlacedOutcome]) -> Option<(i64, Vec<u64>)> {
    let first = cell(outcomes.first()?.0)?;
    let length = usize::try_from(cell(outcomes.last()?.0)? - first).ok()? + 2;
    (length <= MAX_LENGTH).then(|| (first, vec![0; length]))
}

/// The step h of a grid and the tilt λ.
#[derive(Debug)]
pub(super) struct Grid {
    /// The step h in units of 2^−64, rounded down.
    step: u64,
    /// λh, tilt times step, in units of 2^−64, rounded down.
    rate: u64,
    /// e^(λh), rounded down, in units of 2^−64
    raise: u128,
    /// An upper bound for e^(λh)
    pub(super) largest_raise: Interval,
}

impl Grid {
    /// The grid of step h and tilt λ; `None` unless h and λh are below 1/4.
    pub(super) fn new(step: &Rational, tilt: &Rational) -> Option<Self> {
        let raise = Interval::rational(&(step * tilt), PRECISION).exp()?;
        Some(Self {
            step: fixed::small(step)?,
            rate: fixed::small(&(step * tilt))?,
            raise: fixed::floor(&raise, 64)?,
            largest_raise: raise,
        })
    }

    /// The weights of ascending outcomes, moved onto the grid to bound δ from this `side`. `None`
    /// if the grid would be too long.
    pub(super) fn place(&self, outcomes: &[PlacedOutcome], side: BoundSide) -> Option<GridWeights> {
        let (first, mut weights) = room(outcomes)?;
        let mut lost = 0;
        match side {
            BoundSide::Upper => {
                lost = LOST_EACH * outcomes.len() as u64;
                self.spread(outcomes, first, &mut weights)?;
            }
            BoundSide::Lower => self.merge(outcomes, first, &mut weights)?,
        }
        Some(GridWeights { first, weights, lost })
    }

    /// Adds every outcome to `weights`, split between the grid points below and above, which bounds
    /// δ from above. The first weight is at the grid point `lowest`. `None` if a number is too
    /// large.
    fn spread(&self, outcomes: &[PlacedOutcome], lowest: i64, weights: &mut [u64]) -> Option<()> {
        let whole = mean_decay(self.step, ONE);
        for &(place, weight) in outcomes {
            let index = usize::try_from(cell(place)? - lowest).ok()?;
            let part = place % ONE;
            if part == 0 {
                weights[index] += weight;
                continue;
            }
            let mean = mean_decay(self.step, part);
            let share_low = (part * mean.lower / whole.upper).min(ONE);
            let share_high = (part * mean.upper / whole.lower + 1).min(ONE);
            let lowered = decay(self.rate, part).lower;
            // At most 1, as the share is nearly `part` and λh + h/2 < 1.
            let raised = ((lowered * share_low) >> 64).checked_mul(self.raise)? >> 64;
            let kept = (lowered * (ONE - share_high)) >> 64;
            weights[index] += scaled(weight, kept)?;
            weights[index + 1] += scaled(weight, raised)?;
        }
        Some(())
    }

    /// Adds all outcomes to `weights`, merged downward onto grid points, which bounds δ from below.
    /// The first weight is at the grid point `lowest`. `None` if a number is too large.
    fn merge(&self, outcomes: &[PlacedOutcome], lowest: i64, weights: &mut [u64]) -> Option<()> {
        let mut left = outcomes.iter().rev().copied();
        let mut next = left.next();
        while let Some((top, _)) = next {
            let floor = cell(top)?;
            let level = top - top % ONE;
            let sum = &mut weights[usize::try_from(floor - lowest).ok()?];
            // Σ P·(1 − e^(g−ℓ))/h of what was merged, in units of 2^−62·2^−64.
            let mut excess = 0u128;
            while let Some((place, weight)) = next {
                if place < level {
                    break;
                }
                let above = place - level;
                let lowered = scaled(weight, decay(self.rate, above).lower)?;
                *sum += lowered;
                excess +=
                    u128::from(lowered) * ((above * mean_decay(self.step, above).lower) >> 64);
                next = left.next();
            }
            while excess > 0
                && let Some((place, weight)) = next
            {
                let taken = self.taken(level - place, weight, excess)?;
                *sum += taken.raised;
                excess = excess.saturating_sub(taken.paid);
                if taken.weight < weight {
                    next = Some((place, weight - taken.weight));
                    break;
                }
                next = left.next();
            }
        }
        Some(())
    }

    /// The part of an outcome of this `weight` that is merged upward by the distance `below`, in
    /// steps times 2^64: as much as `excess` pays for, what the losses lowered to the same grid
    /// point have given up, in units of 2^−126. `None` if a number is too large.
    fn taken(&self, below: u128, weight: u64, excess: u128) -> Option<MergedPart> {
        // Raising a unit of P to g costs (e^(hd) − 1)/h = cost·e^(hd), cost = (1 − e^(−hd))/h, up.
        let mean = mean_decay(self.step, below).upper;
        let cost = if below < ONE {
            ((below * mean) >> 64) + 1
        } else {
            (((below >> 24) * mean) >> 40) + (1 << 24) + 1
        };
        let power = decay(self.step, below).lower.max(1);
        let affordable = ((excess / cost).min(1 << 63) * power) >> 64;
        // Raising multiplies a weight by e^(λhd).
        let lowered = decay(self.rate, below).upper;
        let needed = ((affordable * lowered) >> 64) + 1;
        if needed <= u128::from(weight) {
            return Some(MergedPart {
                weight: u64::try_from(needed).ok()?,
                raised: u64::try_from(affordable).ok()?,
                paid: excess,
            });
        }
        let raised = ((u128::from(weight) << 64) / lowered.max(1)).min(affordable);
        let spent = raised * cost;
        let paid = (spent / power).checked_mul(ONE)? + ((spent % power) << 64) / power + 1;
        Some(MergedPart { weight, raised: u64::try_from(raised).ok()?, paid })
    }
}

/// The part of an outcome that is merged upward.
struct MergedPart {
    weight: u64,
    /// The weight that arrives at the grid point.
    raised: u64,
    /// The part of the excess that is used up.
    paid: u128,
}

/// The grid point at or below a place in units of 2^−64; `None` if it exceeds 64 bits.
fn cell(place: u128) -> Option<i64> {
    i64::try_from(place >> 64).ok()
}

/// ⌊weight·factor⌋ for a factor in units of 2^−64; `None` if it exceeds 64 bits.
fn scaled(weight: u64, factor: u128) -> Option<u64> {
    u64::try_from((u128::from(weight) * factor) >> 64).ok()
}
