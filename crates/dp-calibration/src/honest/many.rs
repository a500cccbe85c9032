//! Three coordinates and more, from the losses of one.
//!
//! The losses ln p(y)/p(y+Δ) of the coordinates are independent, so that δ is that of a composition
//! ([`crate::privacy_loss`]): upper and lower bounds come from the losses on a grid, rounded up or down.
//!
//! **Ranges.** In the notation of [`super::descent`], now with g and z for one coordinate, so that those of
//! all are products: G_s = e^(c(s−s₁))·g_s/z(s₁) is convex in s, and so is its logarithm, as g_s is a sum of
//! exponentials. For s₀ ≤ s ≤ s₁ hence
//!
//!   G_s ≤ P̂ = max(ρ·p₀, p₁)  and  G_s ≥ Q̂ = min(p₁, p₁²/p₂),
//!
//! the second since ln G_s is not below the line through its values at s₁ and s₂, which are ln p₁ and ln p₂,
//! outside of the two. The normalizer e^(c(s−s₁))·z(s)/z(s₁) is at least 1. So over the whole range δ is at
//! most Σ [Π P̂(yᵢ) − γ·Π Q̂(yᵢ+Δ)]₊, a composition again, of measures whose totals are not 1. It exceeds
//! δ(s₁) in first order of the length, so that the descent ends a little above the last safe variance.

#[cfg(test)]
mod tests;

use dp_exact::{Dyadic, Interval, Rational, Rounding, elementary};
use num_bigint::BigInt;

use super::descent::Certificate;
use super::laws::{Noise, Sum};
use crate::Corner;
use crate::privacy_loss::{self, PRECISION, Side, View};
use dp_exact::directed::floor_to_count;
use dp_exact::search::minimum;

/// The least part of the range of losses that counts as their standard deviation: where nearly all draws
/// are 0, a grid that follows the true one would be far too fine.
const NARROWEST: f64 = 64.0;

/// The longest table.
const MOST: u64 = 1_000;

/// Digits of a loss and of a probability.
const DIGITS: usize = 18;

/// How much coarser than that of an accountant the grid is at most: steps of a
/// fortieth of a standard deviation of one loss.
const COARSEST: f64 = 64.0;

/// The largest tilt, in units of one over the standard deviation of a loss.
const STEEPEST: f64 = 100.0;

/// The largest product of tilt and coarseness, in the same units, that keeps the tilt within a quarter
/// of the inverse of a grid's step.
const RESOLVED: f64 = 600.0;

/// The largest product of coarseness and standard deviation that keeps a grid's step below a quarter.
const FINE: f64 = 600.0;

/// The law of the sum on one coordinate at one variance.
pub(super) struct Place {
    masses: Vec<Interval>,
    normalizer: Interval,
    /// P(|Y| > L)
    beyond: Interval,
}

/// What all variances share.
pub(super) struct Many<'a> {
    honest: u32,
    coordinates: u32,
    step: u64,
    reach: u64,
    epsilon: &'a Rational,
    target: &'a Rational,
}

/// (P, Q) of the outcomes of one coordinate.
type Pairs = Vec<(Interval, Interval)>;

impl<'a> Many<'a> {
    /// For variances up to `largest` and deltas down to e^`log_least`. `None` where the table would be
    /// too long.
    pub(super) fn new(
        largest: &Rational,
        corner: &Corner,
        honest: u32,
        epsilon: &'a Rational,
        target: &'a Rational,
        log_least: f64,
    ) -> Option<Self> {
        let spread = 2.0 * f64::from(honest) * largest.to_f64() * (40.0 - log_least);
        let reach = floor_to_count(spread.sqrt(), MOST) + 2;
        let step = u64::try_from(corner.step()).ok()?;
        (reach.checked_add(step)? <= MOST).then_some(())?;
        Some(Self {
            honest,
            coordinates: u32::try_from(corner.coordinates()).ok()?,
            step,
            reach,
            epsilon,
            target,
        })
    }

    /// δ at one variance.
    pub(super) fn delta(&self, variance: &Rational) -> Option<Interval> {
        let place = self.place(variance)?;
        let pairs = self.pairs(&place.masses, &place.masses)?;
        let upper = self.bound(&pairs, &place.beyond, Side::Upward)?;
        let lower = self.bound(&pairs, &place.beyond, Side::Downward)?;
        let lower = lower.lower().clone().min(upper.upper().clone());
        Some(Interval::hull_of(lower, upper.upper().clone(), PRECISION))
    }

    /// p(y) and q(y + Δ) for y = −L, …, L.
    fn pairs(&self, here: &[Interval], there: &[Interval]) -> Option<Pairs> {
        let at = |values: &[Interval], y: u64| values.get(usize::try_from(y).ok()?).cloned();
        let above = (0..=self.reach).map(|y| (y, y + self.step));
        let below = (1..=self.reach).map(|y| (y, y.abs_diff(self.step)));
        let pairs = above.chain(below);
        pairs
            .map(|(y, z)| Some((at(here, y)?, at(there, z)?)))
            .collect()
    }

    /// A bound on Σ [Π P − γ·Π Q]₊, given what of P is left out.
    fn bound(&self, pairs: &Pairs, rest: &Interval, side: Side) -> Option<Interval> {
        let rounding = match side {
            Side::Upward => Rounding::Up,
            Side::Downward => Rounding::Down,
        };
        let end = |interval: &Interval| {
            let end: &Dyadic = match side {
                Side::Upward => interval.upper(),
                Side::Downward => interval.lower(),
            };
            Some(end.to_rational()?.round_to_digits(DIGITS, rounding))
        };
        let mut outcomes = Vec::with_capacity(pairs.len());
        for (p, q) in pairs {
            let loss = p.ln()? - q.ln()?;
            let mass = end(p)?;
            if mass.is_positive() {
                outcomes.push((end(&loss)?, mass));
            }
        }
        outcomes.sort_by(|one, other| one.0.cmp(&other.0));
        let (tilt, deviation) = self.tilt(&outcomes);
        let view = View {
            tilt: Rational::from_f64(tilt)
                .ok()?
                .round_to_digits(6, Rounding::Nearest),
            side,
        };
        let coarser = (RESOLVED / (tilt * deviation))
            .clamp(1.0, COARSEST)
            .min(FINE / deviation);
        let law = privacy_loss::outcomes(&outcomes, self.coordinates, coarser * deviation, &view)?;
        let delta = law.delta(self.epsilon, &view.tilt)?;
        // One coordinate beyond the table, the others anywhere.
        let zero = Interval::integer(0, PRECISION);
        let kept = pairs.iter().fold(zero, |sum, (p, _)| sum + p);
        let others = (kept + rest).powi(self.coordinates - 1);
        let left_out = rest * Interval::integer(self.coordinates, PRECISION) * others;
        Some(match side {
            Side::Upward => delta + left_out,
            Side::Downward => delta,
        })
    }

    /// About the best tilt, and the standard deviation of a loss, given the outcomes in ascending order.
    fn tilt(&self, outcomes: &[(Rational, Rational)]) -> (f64, f64) {
        let about = |(loss, mass): &(Rational, Rational)| (loss.to_f64(), mass.to_f64());
        let about: Vec<(f64, f64)> = outcomes.iter().map(about).collect();
        let mean: f64 = about.iter().map(|(loss, mass)| loss * mass).sum();
        let square: f64 = about
            .iter()
            .map(|(loss, mass)| elementary::powi(loss - mean, 2) * mass)
            .sum();
        let losses = about.first().zip(about.last());
        let span = losses.map_or(0.0, |(first, last)| last.0 - first.0);
        let deviation = square.sqrt().max(span / NARROWEST);
        let epsilon = self.epsilon.to_f64();
        let bound = |tilt: f64| {
            let exponent =
                |&(loss, mass): &(f64, f64)| tilt * loss + elementary::ln(mass.max(1e-320));
            let top = about.iter().map(exponent).fold(f64::MIN, f64::max);
            let sum: f64 = about
                .iter()
                .map(|one| elementary::exp(exponent(one) - top))
                .sum();
            let moments = f64::from(self.coordinates) * (top + elementary::ln(sum));
            moments
                - tilt * epsilon
                - tilt * elementary::ln_1p(tilt.recip())
                - elementary::ln_1p(tilt)
        };
        let logarithms = (elementary::ln(1e-6), elementary::ln(STEEPEST / deviation));
        (minimum(logarithms, 40, bound), deviation)
    }
}

impl Certificate for Many<'_> {
    type Place = Place;

    const SHORTEST: f64 = 3e-4;

    const MOST_TRIED: u32 = 40;

    fn place(&self, variance: &Rational) -> Option<Place> {
        let sum = Sum::new(variance, self.honest, PRECISION)?;
        Some(Place {
            masses: sum.masses(u32::try_from(self.reach + self.step).ok()?)?,
            normalizer: sum.normalizer().clone(),
            beyond: sum.upper_tail(&BigInt::from(self.reach + 1))?.shifted(1),
        })
    }

    fn holds_at(&self, place: &Place) -> Option<bool> {
        let pairs = self.pairs(&place.masses, &place.masses)?;
        let bound = self.bound(&pairs, &place.beyond, Side::Upward)?;
        Some(bound.upper().cmp_rational(self.target).is_le())
    }

    fn holds_between(&self, low: &Place, high: &Place, third: &Place) -> Option<bool> {
        let square = low.normalizer.square();
        let ratio = (&high.normalizer * &third.normalizer).checked_div(&square)?;
        let largest = high.masses.iter().zip(&low.masses).map(|(first, second)| {
            let scaled = &ratio * first;
            let upper = scaled.upper().max(second.upper()).clone();
            Interval::hull_of(upper.clone(), upper, PRECISION)
        });
        let smallest = low.masses.iter().zip(&third.masses).map(|(second, third)| {
            let line = second.square().checked_div(third)?;
            let lower = line.lower().min(second.lower()).clone();
            Some(Interval::hull_of(lower.clone(), lower, PRECISION))
        });
        let smallest: Vec<Interval> = smallest.collect::<Option<_>>()?;
        let pairs = self.pairs(&largest.collect::<Vec<_>>(), &smallest)?;
        let beyond = &ratio * &high.beyond + &low.beyond;
        let bound = self.bound(&pairs, &beyond, Side::Upward)?;
        Some(bound.upper().cmp_rational(self.target).is_le())
    }
}
