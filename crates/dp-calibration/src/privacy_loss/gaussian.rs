//! The tilted privacy loss of discrete Gaussian noise.
//!
//! P(x)·e^(λℓ) = e^(−(x−λd)²/(2σ²))·e^(λ(λ+1)d²/(2σ²))/Θ(0), as an integer that changes by d has
//! the loss ℓ = d(2x+d)/(2σ²), with Θ(c) = Σ e^(−(x−c)²/(2σ²)): noise around c = λd in place of 0.
//!
//! For σ² ≥ 16 the quotient Θ(c)/Θ(0) is 1 up to 2^−120 (`docs/composition.md`),
//! and each term follows from its neighbour in fixed point, rounded down. Less noise is enclosed
//! term by term, its tails by geometric series.

use dp_exact::{Dyadic, Interval, Rational, Shift, gaussian_sum};
use num_bigint::{BigInt, BigUint};

use super::tilted::TiltedLoss;
use super::tilting::{BoundSide, PRECISION, Tilting, real};
use dp_exact::directed::floor_to_count;
use dp_exact::fixed::{self, product};

/// Narrow noise is summed to this many standard deviations on either side.
const REACH: f64 = 9.5;

/// The number of terms from one that is computed exactly to the next such one.
const BLOCK: u64 = 256;

/// The variance that randomized rounding adds, in squares of a cell.
const ROUNDING: u64 = 17;

/// The tilted distribution of the summed loss of `times` integers that change by d = `step` each,
/// under noise of variance parameter σ² = `variance`. For σ² ≥ 16 it is the loss of one integer
/// that changes by `times`·d under noise of `times`·σ². If that variance is above `enough`², the
/// distribution bounds δ on the side of `tilting`: with d′ < d in the place of d, m = d/d′, noise
/// of variance parameter (σ² ∓ 17m²)/m² is at least, or at most, as bad up to 2^−110
/// (`docs/composition.md`). `None` if a number is too large.
pub(crate) fn summed_gaussian(
    variance: &Rational,
    step: &BigUint,
    times: u32,
    enough: f64,
    tilting: &Tilting,
) -> Option<TiltedLoss> {
    if *variance < 16 {
        return discrete_gaussian(variance, step, &tilting.tilt)?.times(times, tilting);
    }
    let (variance, step) = (variance * &Rational::from(u64::from(times)), step * times);
    let whole = Rational::integer(step.clone());
    let deviation = variance.to_f64().sqrt();
    let fewer =
        BigUint::from(floor_to_count((enough * whole.to_f64() / deviation).ceil(), 1 << 53));
    if deviation <= enough || fewer >= step {
        return discrete_gaussian(&variance, &step, &tilting.tilt);
    }
    let cell = whole.checked_div(&Rational::integer(fewer.clone()))?;
    let scaled = variance.checked_div(&cell.pow(2))?;
    let slack = Rational::new(1, BigInt::from(1) << 110).ok()?;
    let (variance, shift) = match tilting.side {
        BoundSide::Upper => (scaled - Rational::from(ROUNDING), slack.clone()),
        BoundSide::Lower => (scaled + Rational::from(ROUNDING), -&slack),
    };
    let mut law = discrete_gaussian(&variance, &fewer, &tilting.tilt)?;
    law.offset = law.offset + shift;
    // Probabilities by a factor of up to e^slack, beside the shift of the losses.
    Some(law.moved(&(&slack + slack.checked_div(&tilting.tilt)?), tilting))
}

/// The tilted distribution of the loss of one integer that changes by `step`, under noise of
/// variance parameter σ² = `variance`. `None` if a number is too large.
pub(crate) fn discrete_gaussian(
    variance: &Rational,
    step: &BigUint,
    tilt: &Rational,
) -> Option<TiltedLoss> {
    let step = Rational::integer(step.clone());
    let loss = GaussianLoss {
        half_rate: (variance + variance).reciprocal()?,
        centre: tilt * &step,
        moment: tilt * &(tilt + &Rational::one()) * &step * &step,
        step,
    };
    if *variance >= 16 { wide(variance, &loss) } else { narrow(variance, &loss) }
}

/// The loss of one integer that changes by d, and its tilt λ.
struct GaussianLoss {
    /// d, the change of the integer.
    step: Rational,
    /// 1/(2σ²) for the variance parameter σ².
    half_rate: Rational,
    /// λd, the centre of the tilted noise.
    centre: Rational,
    /// λ(λ+1)d²; times 1/(2σ²) it is ln M, M = E[e^(λℓ)] for the privacy loss ℓ.
    moment: Rational,
}

impl GaussianLoss {
    /// The difference d/σ² between the losses of neighbouring integers.
    fn spacing(&self) -> Rational {
        &self.step * &(&self.half_rate + &self.half_rate)
    }

    /// The loss d(2x+d)/(2σ²) at the integer x.
    fn at(&self, x: &Rational) -> Rational {
        (x + x + &self.step) * &self.step * &self.half_rate
    }
}

/// The tilted distribution of `loss` for σ² = `variance` ≥ 16, also if the noise is the sum of up
/// to 2^31 draws of variance parameters of at least 16; `None` if a number is too large.
fn wide(variance: &Rational, loss: &GaussianLoss) -> Option<TiltedLoss> {
    let half_rate = &loss.half_rate;
    let centre = loss.centre.floor();
    let part = &loss.centre - &Rational::integer(centre.clone());
    let tiny = Interval::hull_of(Dyadic::new(-1, -119), Dyadic::new(1, -119), PRECISION);
    let sum = gaussian_sum(variance, Shift::Zero, PRECISION)?;
    let sum = sum * (Interval::integer(1, PRECISION) + &tiny);
    let mut weights = side(half_rate, &part, &sum)?;
    let below = i64::try_from(weights.len()).ok()? - 1;
    weights.reverse();
    weights.extend(side(half_rate, &(Rational::one() - &part), &sum)?);
    let lowest = Rational::integer(centre - below);
    let moment = &loss.moment * half_rate;
    let law = TiltedLoss {
        step: loss.spacing(),
        offset: loss.at(&lowest),
        weights,
        total: Interval::integer(1, PRECISION),
        log_moment: Interval::rational(&moment, PRECISION) + tiny,
        exact: true,
    };
    law.trimmed()
}

/// The weights e^(−(d+i)²/(2σ²))/Θ for i = 0, 1, … in units of 2^−62, rounded down, until one is 0;
/// Θ = `sum` and 1/(2σ²) = `half_rate`. `None` if a number is too large.
fn side(half_rate: &Rational, d: &Rational, sum: &Interval) -> Option<Vec<u64>> {
    let change = fixed::floor(&real(&-(half_rate + half_rate)).exp()?, 128)?;
    let mut weights = Vec::new();
    let mut start = 0u64;
    loop {
        let distance = d + &Rational::from(start);
        let term = real(&-(distance.pow(2) * half_rate)).exp()?;
        let mut term = fixed::floor(&term.checked_div(sum)?, 128)?;
        let next = &distance + &distance + Rational::one();
        let mut ratio = fixed::floor(&real(&-(next * half_rate)).exp()?, 128)?;
        for _ in 0..BLOCK {
            let weight = u64::try_from(term >> 66).ok()?;
            if weight == 0 {
                return Some(weights);
            }
            weights.push(weight);
            term = product(term, ratio);
            ratio = product(ratio, change);
        }
        start += BLOCK;
    }
}

/// The tilted distribution of `loss` for σ² = `variance` < 16; `None` if a number is too large.
fn narrow(variance: &Rational, loss: &GaussianLoss) -> Option<TiltedLoss> {
    let half_rate = &loss.half_rate;
    let reach = floor_to_count(REACH * variance.to_f64().sqrt() + 4.0, 1 << 10);
    let lowest = Rational::integer(loss.centre.floor()) - Rational::from(reach);
    let scale = real(&(&loss.moment * half_rate)).exp()?.checked_div(&gaussian_sum(
        variance,
        Shift::Zero,
        PRECISION,
    )?)?;
    let share = |place: u64| {
        let distance = &lowest + &Rational::from(place) - &loss.centre;
        Some(real(&-(distance.pow(2) * half_rate)).exp()? * &scale)
    };
    let shares: Option<Vec<Interval>> = (0..=2 * reach).map(share).collect();
    // Both sides; the nearest place left out is at least `reach` away.
    let distance = Rational::integer(reach);
    let first = real(&-(distance.pow(2) * half_rate)).exp()?;
    let ratio = real(&-(&distance * &(half_rate + half_rate))).exp()?;
    let rest = first.checked_div(&(Interval::integer(1, PRECISION) - ratio))?;
    let rest = (rest * scale).shifted(1);
    TiltedLoss::new(loss.spacing(), loss.at(&lowest), &shares?, &rest)?.trimmed()
}
