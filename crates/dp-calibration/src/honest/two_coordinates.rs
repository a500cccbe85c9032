//! δ for two coordinates, from a table of the law of one.
//!
//! With T_y the first T at which p(y)·p(T) > γ·p(y+Δ)·p(T+Δ),
//!
//!   δ₂ = Σ_y [p(y)·G(T_y) − γ·p(y+Δ)·G(T_y+Δ)].
//!
//! The likelihood ratio p(y)/p(y+Δ) grows with y, so T_y falls as y grows, and one pass finds them
//! all. Both y and T are kept within −L … L. No bracket is negative, and a pair weighs at most
//! p(y)·p(T), so what is left out lies between 0 and 4·G(L+1): y too low, y too high, T too low, T
//! too high.

use dp_exact::Interval;
use num_bigint::BigInt;

use super::Noise;

/// The most values to either side that a table has.
pub(super) const MAX_REACH: u32 = 20_000;

/// The most T in a row at which the sign of a bracket may be in doubt.
const MOST_DOUBTFUL: i64 = 64;

/// p and G on the integers from −last to last.
struct Table {
    masses: Vec<Interval>,
    tails: Vec<Interval>,
}

impl Table {
    fn new(noise: &impl Noise, last: u32) -> Option<Self> {
        let masses = noise.masses(last)?;
        let mut tail = noise.upper_tail(&BigInt::from(last + 1))?;
        let add = |mass: &Interval| {
            tail = &tail + mass;
            tail.clone()
        };
        let mut tails: Vec<Interval> = masses.iter().rev().map(add).collect();
        tails.reverse();
        Some(Self { masses, tails })
    }

    fn mass(&self, y: i64) -> Option<&Interval> {
        self.masses.get(usize::try_from(y.unsigned_abs()).ok()?)
    }

    /// P(Y ≥ n)
    fn tail(&self, n: i64) -> Option<Interval> {
        let at = |n: i64| self.tails.get(usize::try_from(n).ok()?);
        if n > 0 {
            return at(n).cloned();
        }
        let rest = at(1 - n)?;
        Some(Interval::integer(1, rest.precision()) - rest)
    }
}

/// δ at γ = `growth` = e^`epsilon`, for two coordinates that move by `step`, narrow `enough`, or as
/// narrow as the longest table makes it.
pub(super) fn delta(
    noise: &impl Noise,
    epsilon: f64,
    growth: &Interval,
    step: u32,
    enough: &impl Fn(&Interval) -> bool,
) -> Option<Interval> {
    let mut wanted = noise.reach(epsilon, f64::from(step)).ceil();
    let mut found = None;
    while wanted + f64::from(step) <= f64::from(MAX_REACH) {
        let reach = (1..=MAX_REACH).find(|&reach| f64::from(reach) >= wanted)?;
        let table = Table::new(noise, reach + step + 1)?;
        let sum = within(&table, growth, i64::from(step), i64::from(reach))?;
        let rest = table.tail(i64::from(reach) + 1)? * Interval::integer(4, sum.precision());
        let complete = *rest.upper() <= *sum.shifted(-70).lower();
        let delta = sum + rest.hull(&Interval::integer(0, rest.precision()));
        if complete || enough(&delta) {
            return Some(delta);
        }
        found = Some(delta);
        wanted *= 2.0;
    }
    found
}

/// The sum over y and T from −`reach` to `reach`, up to what is left out.
fn within(table: &Table, growth: &Interval, step: i64, reach: i64) -> Option<Interval> {
    let zero = Interval::integer(0, growth.precision());
    let (mut sum, mut doubtful) = (zero.clone(), zero.clone());
    let mut threshold = reach + 1;
    for y in -reach..=reach {
        let (here, there) = (table.mass(y)?, growth * table.mass(y + step)?);
        let bracket = |t: i64| Some(here * table.mass(t)? - &there * table.mass(t + step)?);
        let mut next = None;
        while threshold > -reach {
            let value = bracket(threshold - 1)?;
            if !value.is_positive() {
                next = Some(value);
                break;
            }
            threshold -= 1;
        }
        if threshold <= reach {
            sum = sum + here * table.tail(threshold)? - &there * table.tail(threshold + step)?;
        }
        // What lies just below the threshold may be positive, if no more than the enclosure shows.
        let mut below = threshold - 1;
        while let Some(value) = next.filter(Interval::contains_zero) {
            doubtful = doubtful + zero.hull(&value);
            below -= 1;
            if threshold - below > MOST_DOUBTFUL {
                return None;
            }
            next = if below < -reach {
                None
            } else {
                Some(bracket(below)?)
            };
        }
    }
    // Of a doubtful bracket only what is above 0 counts.
    let nothing = dp_exact::Dyadic::new(0, 0);
    let upper = doubtful.upper().clone();
    let doubtful = Interval::hull_of(nothing, upper, growth.precision());
    Some(sum + doubtful)
}
