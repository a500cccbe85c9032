//! The privacy loss of one integer under discrete Laplace noise, to be composed.
//!
//! A change by d under noise of scale t has the losses (d−2j)/t for j from 0 to d. If these are too
//! many for a table, n + 1 losses bound δ (`docs/composition.md` has the proof),
//! with m = d/t: from above the losses of a change by n under noise of scale n/m′, m′ = m +
//! 1/(4t²); from below the losses m with probability 1/2, m − (2i+1)m/n with (1−g)·g^i/2, g =
//! e^(−m/n), and −m with e^(−m)/2, by tangents to the curve of continuous noise.

use dp_exact::{Interval, Rational, elementary, fixed};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

use crate::privacy_loss::{BoundSide, PRECISION, TiltedLoss, Tilting, real};

/// Weights below e to the power of minus this, relative to the largest, are negligible.
const NEGLIGIBLE: f64 = 45.0;

/// The tilted privacy loss of one integer that changes by `step` under noise of scale 1/`rate`. It
/// is exact, on the lattice of `step` + 1 losses, while at most `cells` of these are not
/// negligible; else it has `cells` + 1 losses and bounds δ on the side of `tilting`.
pub(crate) fn loss(
    rate: &Rational,
    step: &BigUint,
    cells: u32,
    tilting: &Tilting,
) -> Option<TiltedLoss> {
    let steep = (1.0 + 2.0 * tilting.tilt.to_f64()) * rate.to_f64();
    let largest = Rational::integer(step.clone()) * rate;
    // Under the tilt j is a geometric variable of the rate `steep`, cut off at the change.
    if step.to_f64()?.min(NEGLIGIBLE / steep + 2.0) <= f64::from(cells) {
        return on_lattice(rate, step, &tilting.tilt);
    }
    let count = Rational::from(u64::from(cells));
    let mut bound = match tilting.side {
        BoundSide::Upper => {
            let four = Rational::integer(4);
            let largest = largest + rate.pow(2).checked_div(&four)?;
            on_lattice(&largest.checked_div(&count)?, &cells.into(), &tilting.tilt)?
        }
        BoundSide::Lower => tangents(&largest, cells, &tilting.tilt)?,
    };
    bound.exact = false;
    Some(bound)
}

fn one() -> Interval {
    Interval::integer(1, PRECISION)
}

/// Weights of losses from the largest down: 1, `first`·`ratio`^i for 0 ≤ i < `count`, e^(−`end`).
struct GeometricWeights {
    first: Interval,
    ratio: Interval,
    count: BigUint,
    end: Rational,
}

impl GeometricWeights {
    /// The tilted distribution with these weights over their sum, from the loss `largest` down;
    /// before the tilt `largest` has the probability 1/`odds`. Inner neighbours are `apart` steps
    /// apart, with zeros between. Weights are in units of 2^−62, rounded down, up to the first 0.
    /// `None` if a number is too large.
    fn distribution(
        &self,
        largest: &Rational,
        (step, apart): (Rational, usize),
        odds: &Interval,
        tilt: &Rational,
    ) -> Option<TiltedLoss> {
        let end = real(&-&self.end).exp()?;
        let count = Interval::integer(self.count.clone(), PRECISION);
        let last = (self.ratio.ln()? * count).exp()?;
        let inner = (one() - last).checked_div(&(one() - &self.ratio))?;
        let total = one() + &self.first * inner + &end;
        let share = |value: &Interval| fixed::floor(&value.checked_div(&total)?, 128);
        let mut weights = vec![u64::try_from(share(&one())? >> 66).ok()?];
        let (ratio, mut term) = (fixed::floor(&self.ratio, 128)?, share(&self.first)?);
        // Weights have fallen to 0 long before this many terms.
        let count = self.count.to_usize().unwrap_or(usize::MAX);
        let mut index = 0;
        while index < count && term >> 66 > 0 {
            let gap = if index == 0 { 1 } else { apart };
            weights.extend(std::iter::repeat_n(0, gap - 1));
            weights.push(u64::try_from(term >> 66).ok()?);
            term = fixed::product(term, ratio);
            index += 1;
        }
        if index == count {
            weights.push(u64::try_from(share(&end)? >> 66).ok()?);
        }
        weights.reverse();
        let below = Rational::from(u64::try_from(weights.len()).ok()? - 1);
        Some(TiltedLoss {
            offset: largest - &(below * &step),
            step,
            weights,
            total: one(),
            log_moment: real(&(tilt * largest)) + total.checked_div(odds)?.ln()?,
            exact: true,
        })
    }
}

/// The exact tilted distribution of the loss of one integer that changes by `step` under noise of
/// scale 1/`rate`: `step` + 1 losses. `None` if a number is too large.
fn on_lattice(rate: &Rational, step: &BigUint, tilt: &Rational) -> Option<TiltedLoss> {
    let whole = Rational::integer(step.clone());
    let largest = &whole * rate;
    let steep = tilt + tilt + Rational::one();
    let ratio = real(&-(&steep * rate)).exp()?;
    let inner = -real(&-rate).exp_m1()?;
    let between = GeometricWeights {
        first: inner * &ratio,
        ratio,
        count: step - 1u32,
        end: &steep * &largest,
    };
    let odds = one() + real(&-rate).exp()?;
    between.distribution(&largest, (rate + rate, 1), &odds, tilt)
}

/// A tilted distribution of losses that bounds δ from below. It rests on tangents to the exact
/// curve at `cells` + 1 losses from m = `largest` to −m. `None` if a number is too large.
fn tangents(largest: &Rational, cells: u32, tilt: &Rational) -> Option<TiltedLoss> {
    let half = largest.checked_div(&Rational::from(u64::from(cells)))?;
    let steep = tilt + tilt + Rational::one();
    let inner = -real(&-&half).exp_m1()?;
    let between = GeometricWeights {
        first: inner * real(&-(tilt * &half)).exp()?,
        ratio: real(&-(&steep * &half)).exp()?,
        count: cells.into(),
        end: &steep * largest,
    };
    // Half a cell from each end to the next loss, and a whole one between the others.
    between.distribution(largest, (half, 2), &Interval::integer(2, PRECISION), tilt)
}

/// An estimate of ln E[e^(λℓ)], λ = `tilt`, for the loss ℓ of one integer that changes by `step`
/// under noise of scale 1/`rate`, from the geometric sums.
pub(crate) fn log_moment_about(step: f64, rate: f64, tilt: f64) -> f64 {
    let steep = (1.0 + 2.0 * tilt) * rate;
    let inner = -elementary::exp_m1(-rate) / -elementary::exp_m1(-steep);
    let inner = inner * (elementary::exp(-steep) - elementary::exp(-steep * step));
    let sum = inner + elementary::exp(-steep * step);
    tilt * rate * step + elementary::ln_1p(sum) - elementary::ln_1p(elementary::exp(-rate))
}

/// About √E(ℓ²) for the loss ℓ of one integer that changes by `step` under noise of scale 1/`rate`.
pub(crate) fn deviation_about(step: f64, rate: f64) -> f64 {
    let largest = step * rate;
    if largest < 1e-2 {
        return largest;
    }
    // From the moments of an exponential variable cut off at the largest loss.
    let square =
        largest * (largest - 2.0) + 4.0 - elementary::exp(-largest) * (2.0 * largest + 4.0);
    square.max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number;

    /// δ at ε = 0.7 of one integer that changes by `step`, by a distribution of `cells` losses.
    fn delta(scale: &str, step: u32, cells: u32, side: BoundSide) -> Interval {
        let tilt = number("3");
        let tilting = Tilting { tilt: tilt.clone(), side };
        let rate = number(scale).reciprocal().expect("positive");
        let law = loss(&rate, &step.into(), cells, &tilting).expect("a distribution");
        law.delta(&number("0.7"), &tilt).expect("an enclosure")
    }

    #[test]
    fn coarser_lattices_bound_delta_on_their_sides_and_approach_it() {
        // With the sides exchanged, or half a cell forgotten, this fails.
        let exact = delta("600", 1001, 4096, BoundSide::Upper);
        let mut gaps = Vec::new();
        for cells in [7, 20, 64, 250] {
            let above = delta("600", 1001, cells, BoundSide::Upper);
            let below = delta("600", 1001, cells, BoundSide::Lower);
            assert!(above.lower() >= exact.lower(), "{cells} {above} {exact}");
            assert!(below.upper() <= exact.upper(), "{cells} {below} {exact}");
            gaps.push(above.upper().to_f64() / below.lower().to_f64() - 1.0);
        }
        assert!(gaps[3] < gaps[0] / 50.0 && gaps[3] < 1e-3, "{gaps:?}");
    }
}
