//! One certified bound on δ for a whole range of variances.
//!
//! In terms of s = 1/(2τ) the sum of [`crate::lattice_gaussian`] is N(s) = Σ_w max(f_w(s), 0),
//!
//!   f_w(s) = Σ_x [e^(−|x|²s) − e^ε·e^(−|y|²s)],  y = x + (Δ, …, Δ),
//!
//! over the noise vectors x of total w; lengths are scaled so that |x|² = w² + k|v|², and
//! |y|² − |x|² = 2Dw + D² =: B. Where f_w ≥ 0, that is sB ≥ ε, its second derivative is
//!
//!   f_w″ = Σ_x e^(−|x|²s)·[|x|⁴·(1 − e^(ε−sB)) − e^(ε−sB)·(|y|⁴ − |x|⁴)] ≥ −M_w,
//!   M_w = Σ_x e^ε·e^(−|y|²s)·2B|y|²,
//!
//! largest at the small end of s. So over a range from s₀ (the high variance) to s₁ (the low one),
//! with h = s₁ − s₀, f_w is at most its chord plus h²M_w/8, and so is max(f_w, 0): where f_w is
//! negative at s₀, use the chord from its zero, which lies below the one from (s₀, 0). No other
//! w > θ(s₁) contributes anywhere in the range, since θ falls as s grows. In total
//!
//!   N(s) ≤ chord of N(s₀) and N(s₁), plus E,  E = h²/8·Σ_{w > θ(s₁)} M_w at s₀.
//!
//! This bound also holds for e^(cs)·N(s), for any c ≥ 0: all energies |x|² are c less, and E is
//! multiplied by at most e^(c·s₁). The normalizer z(s) is logarithmically convex (a product of sums
//! of exponentials, or √(π/s)), so e^(cs)·z(s) is convex, and at least the line through its values
//! at s₁ and at s₁ + h. With e^(ch) = z(s₁)/z(s₁ + h) that line is level, and comparing both
//! bounds, which are linear, at the two ends leaves
//!
//!   N(s₁) + E ≤ δ*·z(s₁)  and  N(s₀) + E·e^(ch) ≤ δ*·z(s₁)²/z(s₁ + h).
//!
//! The error is of second order in the length of the range, so that the slack that is left is
//! squared by each range. Nothing is assumed about the shape of δ.
//!
//! **E**, with B = 2Dv − D² ≤ 2Dv at v = w + D ≥ v₀ and k·Σ_v|v|²e^(…) = −S′: at most
//!
//!   E ≤ h²D/2·e^ε·Σ_{v ≥ v₀} [v³·S − v·S′]·e^(−v²s₀),
//!
//! where −S′(s₀) ≤ (S(s₀ − a) − S(s₀))/a by convexity, for any a > 0. The largest S and −S′ of all
//! residue classes stand for each; the sums that remain are at most the largest term plus the
//! integral.

use dp_exact::{Interval, Rational};
use num_bigint::BigInt;

use crate::coset_sums::coset_sums;
use crate::lattice_gaussian::{Divergence, SummedNoise, WeightForm, half, lost_bits};

/// Bits of the arithmetic that certifies a range, beyond those that differences lose.
const PRECISION: u32 = 64;

/// Bits of δ below which the ripple is negligible. Where it matters at all, δ falls by its tenth
/// power or faster with the variance, so that the answer is settled to more bits.
const RIPPLE: u32 = 34;

/// Bits of E, the excess over a chord; only its order of magnitude matters.
const COARSE: u32 = 64;

/// δ at one variance, with the numbers from which ranges are bounded.
#[derive(Clone, Debug)]
pub(super) struct DeltaPoint {
    pub(super) variance: Rational,
    /// δ, enclosed.
    pub(super) delta: Interval,
    /// The distribution of the noise's total w at this variance, not normalized.
    law: SummedNoise,
    /// The sum of all positive terms of δ, not normalized.
    positive_part: Interval,
}

impl DeltaPoint {
    /// δ at `variance`, and the sums from which ranges are bounded, with weights in the form for a
    /// ripple of 2^−34. `None` if the ripple is too large, or a sum takes too long.
    pub(super) fn new(divergence: &Divergence<'_>, variance: &Rational) -> Option<Self> {
        let form = divergence.form(variance, RIPPLE)?;
        Self::in_form(divergence, variance, form)
    }

    /// δ at `variance`, with weights in this form. `None` if the computation takes too long.
    fn in_form(divergence: &Divergence<'_>, variance: &Rational, form: WeightForm) -> Option<Self> {
        let precision = PRECISION + lost_bits(divergence, variance);
        let law = SummedNoise::new(divergence, variance, form, precision)?;
        let positive_part = law.positive_part(divergence)?;
        Some(Self {
            variance: variance.clone(),
            delta: law.normalized(&positive_part)?,
            law,
            positive_part,
        })
    }

    /// s = 1/(2τ), where τ = kσ² for k coordinates; `None` if τ is 0.
    fn inverse(&self) -> Option<Rational> {
        Some(half(&self.law.tau.reciprocal()?))
    }
}

/// Whether δ is certainly at most the target for every variance from `low` to `high`; and an
/// estimate of how far the certified bound is above δ, in parts of the target, which tells how long
/// a range may be. `None` if a sum takes too long or has no enclosure.
pub(super) fn certify(
    divergence: &Divergence<'_>,
    low: &DeltaPoint,
    high: &DeltaPoint,
    target: &Rational,
) -> Option<(bool, f64)> {
    if high.law.form != low.law.form {
        let high = DeltaPoint::in_form(divergence, &high.variance, low.law.form)?;
        return certify(divergence, low, &high, target);
    }
    let excess = excess(divergence, low, high)?;
    let width = low.inverse()? - high.inverse()?;
    let beyond = half(&(low.inverse()? + width).reciprocal()?);
    let beyond = beyond.checked_div(&divergence.count)?;
    let precision = low.positive_part.precision();
    let beyond = SummedNoise::new(divergence, &beyond, low.law.form, precision)?.normalizer;
    let at_low = low.law.normalizer.clone();
    let tilt = at_low.checked_div(&beyond)?;
    let at_high = &at_low * &tilt;
    let target = Interval::rational(target, precision);
    let below = |positive_part: &Interval, excess: &Interval, normalizer: &Interval| {
        let bound = (positive_part + excess) * &low.law.ripple;
        bound.upper() <= (normalizer * &target).lower()
    };
    // e^(ch) ≥ 1: the normalizer falls with s.
    let one = Interval::integer(1, precision);
    let tilted = &excess * tilt.hull(&one);
    let holds = below(&low.positive_part, &excess, &at_low)
        && below(&high.positive_part, &tilted, &at_high);
    let curvature = excess.checked_div(&(&at_low * target))?.midpoint();
    let missing = at_high.checked_div(&high.law.normalizer)?.midpoint();
    Some((holds, curvature + (1.0 - missing).max(0.0)))
}

/// Upper bound on how far the sum of the positive terms of δ, not normalized, exceeds the chord
/// between its values at two variances. `None` if the computation takes too long.
fn excess(divergence: &Divergence<'_>, low: &DeltaPoint, high: &DeltaPoint) -> Option<Interval> {
    let rate = high.inverse()?;
    let width = low.inverse()? - &rate;
    let (weight, slope) = heaviest(divergence, high, &rate, &width)?;
    let start = low.law.start(divergence)? + divergence.change.numerator();
    let sum = weighted_sum(&start, &rate, &weight, &slope)?;
    let factor = half(&(width.pow(2) * &divergence.change));
    let factor = Interval::rational(&factor, COARSE);
    Some(factor * Interval::rational(divergence.epsilon, COARSE).exp()? * sum)
}

/// Upper bounds on the coset sum S and on −S′ of every residue class at `high`, where S′ is the
/// slope in s = 1/(2τ); the slope is 0 where the weights are constant. `rate` is s at `high`,
/// `width` the length of the range in s. S is convex in s: its chord over the mirror image of the
/// range is steep enough. `None` if that image reaches s = 0, or the sums take too long.
fn heaviest(
    divergence: &Divergence<'_>,
    high: &DeltaPoint,
    rate: &Rational,
    width: &Rational,
) -> Option<(Interval, Interval)> {
    let precision = high.positive_part.precision();
    let largest = |all: Vec<Interval>| all.into_iter().reduce(|one, other| one.hull(&other));
    let weight = largest(high.law.weights.clone())?;
    if high.law.weights.len() == 1 {
        return Some((weight, Interval::integer(0, precision)));
    }
    let mirrored = half(&(rate - width).reciprocal()?).checked_div(&divergence.count)?;
    let mirrored = Some(mirrored).filter(Rational::is_positive)?;
    let weights = coset_sums(divergence.difference.coordinates(), &mirrored, precision)?;
    let width = Interval::rational(width, precision);
    let pairs = weights.iter().zip(&high.law.weights);
    let slopes = pairs.map(|(beyond, here)| (beyond - here).checked_div(&width));
    Some((weight, largest(slopes.collect::<Option<_>>()?)?))
}

/// Upper bound on Σ [v³·`weight` + v·`slope`]·e^(−v²s) over all integers v ≥ `first` ≥ 1, s =
/// `rate`: each sum is at most its largest term plus the integral. `None` if s is 0 or a power has
/// no enclosure.
fn weighted_sum(
    first: &BigInt,
    rate: &Rational,
    weight: &Interval,
    slope: &Interval,
) -> Option<Interval> {
    let enclose = |value: &Rational| Interval::rational(value, COARSE);
    let start = Rational::integer(first.clone());
    let twice = rate + rate;
    let bell = enclose(&-(start.pow(2) * rate)).exp()?;
    // v^n·e^(−v²s) peaks at v² = n/(2s).
    let highest = |power: u32| {
        let square = Rational::from(u64::from(power)).checked_div(&twice)?;
        if start.pow(2) >= square {
            return Some(enclose(&start).powi(power) * &bell);
        }
        let exponent = Interval::integer(-i64::from(power), COARSE).shifted(-1);
        Some(enclose(&square).sqrt()?.powi(power) * exponent.exp()?)
    };
    // The integrals are (v₀²s + 1)/(2s²)·e^(−v₀²s) and e^(−v₀²s)/(2s).
    let cubic = (start.pow(2) * rate + Rational::one()).checked_div(&(&twice * rate))?;
    let cubes = highest(3)? + enclose(&cubic) * &bell;
    let lines = highest(1)? + enclose(&twice.reciprocal()?) * &bell;
    Some(cubes * weight + lines * slope)
}

#[cfg(test)]
mod tests;
