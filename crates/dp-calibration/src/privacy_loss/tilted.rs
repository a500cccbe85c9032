//! Sums of privacy losses, with certified bounds.
//!
//! Let ℓ be the privacy loss ln P/Q of one release, under P. Independent losses add up, and
//!
//!   δ(ε) = E[(1 − e^(ε−ℓ))₊].
//!
//! **Tilting.** With M(λ) = E[e^(λℓ)] and the tilted law y ∝ P·e^(λℓ), also a law of sums,
//!
//!   δ(ε) = M·e^(−λε)·Σ_{z = ℓ−ε > 0} y(ℓ)·w(z),   w(z) = e^(−λz)·(1 − e^(−z)),
//!
//! where M is the product of those of the releases. λ is chosen such that the losses near ε are
//! what is likely under y: then an absolute error in y is a relative error in δ, however small δ.
//! As w ≤ w* = (λ/(1+λ))^λ/(1+λ), this is at most M·e^(−λε)·w*, the bound by Rényi divergence.
//!
//! **Rounding.** Probabilities under y are integers in units of 2^−62, rounded down at the start
//! and after each convolution, which is exact. So the numbers L that are kept are lower bounds.
//! The total of y is known, and the total of L is counted: nothing else is needed, since what is
//! missing, whatever it was lost to, weighs at most w*. Hence
//!
//!   Σ L·w ≤ Σ y·w ≤ Σ L·w + (total of y − total of L)·w*.

use dp_exact::{Interval, Rational};
use num_bigint::BigInt;

use super::convolution::{BITS, convolve};

/// Bits of the certified arithmetic.
pub(super) const PRECISION: u32 = 128;

/// A law of losses offset + (first + i)·step under the tilted law.
#[derive(Clone, Debug)]
pub(super) struct TiltedLaw {
    pub(super) offset: Rational,
    pub(super) first: i64,
    /// Lower bounds in units of 2^−62.
    pub(super) weights: Vec<u64>,
    /// An upper bound on the total of the true weights: 1, or a little more.
    pub(super) total: Interval,
    /// ln M
    pub(super) log_moment: Interval,
}

impl TiltedLaw {
    /// No release: the loss is 0.
    pub(super) fn nothing() -> Self {
        Self {
            offset: Rational::zero(),
            first: 0,
            weights: vec![1 << BITS],
            total: Interval::integer(1, PRECISION),
            log_moment: Interval::integer(0, PRECISION),
        }
    }

    /// Both releases. `None` if the lattice would be too long.
    pub(super) fn and(&self, other: &Self) -> Option<Self> {
        let weights = convolve(&self.weights, &other.weights)?;
        let start = weights.iter().position(|&weight| weight > 0)?;
        let end = weights.iter().rposition(|&weight| weight > 0)?;
        let moved = i64::try_from(start).ok()?;
        Some(Self {
            offset: &self.offset + &other.offset,
            first: self.first.checked_add(other.first)?.checked_add(moved)?,
            weights: weights[start..=end].to_vec(),
            total: &self.total * &other.total,
            log_moment: &self.log_moment + &other.log_moment,
        })
    }

    /// The release `times` times.
    pub(super) fn times(&self, times: u32) -> Option<Self> {
        let mut power = Self::nothing();
        for bit in (0..u32::BITS - times.leading_zeros()).rev() {
            power = power.and(&power)?;
            if times >> bit & 1 == 1 {
                power = power.and(self)?;
            }
        }
        Some(power)
    }
}

/// A composed law, and its step and tilt.
#[derive(Clone, Debug)]
pub(super) struct Composed {
    pub(super) law: TiltedLaw,
    pub(super) step: Rational,
    pub(super) tilt: Rational,
}

impl Composed {
    /// δ at ε between bounds, for what the law describes.
    pub(super) fn delta(&self, epsilon: &Rational) -> Option<Interval> {
        let law = &self.law;
        let real = |value: &Rational| Interval::rational(value, PRECISION);
        // The first place with a loss above ε.
        let from_first = (epsilon - &law.offset).checked_div(&self.step)?
            - Rational::integer(BigInt::from(law.first));
        let start: BigInt = from_first.floor() + 1;
        let start = usize::try_from(start.max(BigInt::ZERO)).unwrap_or(usize::MAX);
        let one = Interval::integer(1, PRECISION);
        let mut sum = Interval::integer(0, PRECISION);
        if let Some(weights) = law.weights.get(start..) {
            let place = Rational::integer(BigInt::from(law.first) + BigInt::from(start));
            let z = &law.offset + &(&place * &self.step) - epsilon;
            let mut fall = real(&-&z).exp()?;
            let mut tilted = real(&-(&z * &self.tilt)).exp()?;
            let fall_step = real(&-&self.step).exp()?;
            let tilted_step = real(&-(&self.step * &self.tilt)).exp()?;
            for &weight in weights {
                if weight > 0 {
                    let share = &tilted * &(&one - &fall);
                    sum = sum + Interval::integer(weight, PRECISION) * share;
                }
                fall = fall * &fall_step;
                tilted = tilted * &tilted_step;
            }
        }
        let kept: u128 = law.weights.iter().map(|&weight| u128::from(weight)).sum();
        let unit = -i64::from(BITS);
        let missing = &law.total - Interval::integer(kept, PRECISION).shifted(unit);
        let upper = sum.shifted(unit) + missing * self.heaviest()?;
        let scale = (&law.log_moment - real(&(&self.tilt * epsilon))).exp()?;
        Some((sum.shifted(unit).hull(&upper)) * scale)
    }

    /// w* = (λ/(1+λ))^λ/(1+λ); 1 for λ = 0.
    fn heaviest(&self) -> Option<Interval> {
        let one = Interval::integer(1, PRECISION);
        if self.tilt.is_zero() {
            return Some(one);
        }
        let tilt = Interval::rational(&self.tilt, PRECISION);
        let above = &one + &tilt;
        let power = (tilt.checked_div(&above)?.ln()? * &tilt).exp()?;
        power.checked_div(&above)
    }

    /// About ln δ at ε, to steer.
    pub(super) fn log_delta_about(&self, epsilon: f64) -> f64 {
        let law = &self.law;
        let (step, tilt, offset) = (self.step.to_f64(), self.tilt.to_f64(), law.offset.to_f64());
        let first = Rational::from(law.first).to_f64();
        let start = ((epsilon - offset) / step - first).floor() + 1.0;
        let start = crate::directed::to_index(crate::directed::floor_to_count(start, 1 << 30));
        let mut sum = 0.0f64;
        let mut nearest = None;
        for (place, &weight) in law.weights.iter().enumerate().skip(start) {
            let z = offset + (first + crate::directed::index(place)) * step - epsilon;
            if z > 0.0 && weight > 0 {
                // Relative to the nearest loss, so that nothing is too small.
                let nearest = *nearest.get_or_insert(z);
                sum += float(weight) * (-tilt * (z - nearest)).exp() * -(-z).exp_m1();
            }
        }
        sum.ln() - f64::from(BITS) * std::f64::consts::LN_2 + law.log_moment.midpoint()
            - tilt * (epsilon + nearest.unwrap_or(0.0))
    }
}

/// About a weight.
#[expect(clippy::cast_precision_loss, reason = "it only steers")]
fn float(weight: u64) -> f64 {
    weight as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two releases of randomized response with e^ε = 3, untilted: losses −2ε, 0, 2ε.
    fn two_responses() -> (TiltedLaw, f64) {
        let epsilon = 3.0f64.ln();
        let law = TiltedLaw {
            offset: Rational::zero(),
            first: 0,
            weights: vec![1 << (BITS - 2), 3 << (BITS - 2)],
            total: Interval::integer(1, PRECISION),
            log_moment: Interval::integer(0, PRECISION),
        };
        (law.times(2).unwrap(), epsilon)
    }

    fn delta(law: TiltedLaw, at: f64) -> Interval {
        // ln 3 is irrational; a step this close moves δ by less than the test looks at.
        let step = Rational::from_f64(2.0 * 3.0f64.ln()).unwrap();
        let offset = -&step;
        let law = TiltedLaw { offset, ..law };
        let composed = Composed {
            law,
            step,
            tilt: Rational::zero(),
        };
        composed.delta(&Rational::from_f64(at).unwrap()).unwrap()
    }

    #[test]
    fn two_randomized_responses_have_the_delta_of_the_closed_form() {
        let (law, epsilon) = two_responses();
        // 9/16·(1 − e^(ε' − 2ε)) for ε' between 0 and 2ε.
        let exact = 9.0 / 16.0 * (1.0 - (epsilon - 2.0 * epsilon).exp());
        let found = delta(law, epsilon);
        assert!((found.midpoint() - exact).abs() < 1e-12);
    }

    #[test]
    fn mass_that_is_cut_off_comes_back_in_the_upper_bound() {
        // A planted fault would be to forget it: what is kept alone is then below the truth.
        let (law, epsilon) = two_responses();
        let whole = delta(law.clone(), epsilon);
        let mut cut = law;
        let last = cut.weights.len() - 1;
        cut.weights[last] -= 1 << 50;
        let cut = delta(cut, epsilon);
        assert!(cut.lower() < whole.lower());
        assert!(cut.upper() >= whole.upper());
    }

    #[test]
    fn no_epsilon_is_too_large_or_too_small_to_look_up() {
        let (law, _) = two_responses();
        assert!(delta(law.clone(), 1e300).upper().to_f64() < 1e-15);
        assert!(delta(law, -1e300).lower().to_f64() > 0.99);
    }
}
