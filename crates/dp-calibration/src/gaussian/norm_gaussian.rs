//! Discrete Gaussian noise against every difference of a given L2 norm.
//!
//! **Theorem.** n integers change by v, ‖v‖₂ ≤ V, and receive independent discrete Gaussian noise
//! with variance parameter s². With δ_c(ε; μ) the exact δ of *continuous* Gaussian noise of
//! standard deviation 1 on one number that changes by μ ([`analytic_gaussian`]), for every L ≥ 0
//! and ε ≥ η
//!
//!   δ(ε) ≤ e^(n/24s²)·δ_c(ε − η; V/s) + e^−L,  η = V²/8s⁴ + V·√(n + 2√(nL) + 2L)/4s³.
//!
//! Section 3 of `docs/calibration.md` has the proof. The bound falls as s grows. Integers change by
//! 1 at least, so that n is at most the L1 norm of v; behind a strategy matrix it is the number of
//! rows. Releases compose: k of them with the same s² are one with kn integers and k·V².

use dp_exact::{Delta, Dyadic, Epsilon, Interval, PrecisionError, Rational, Rounding};
use dp_exact::{refine, square_root_up};
use num_bigint::{BigInt, BigUint};

use crate::crossing::{crossing, log_excess};
use crate::{Result, accepted, analytic_gaussian};

/// Significant digits of a variance.
const DIGITS: usize = 13;

/// e^−L, the probability granted to noise vectors far from 0, is at most δ·2^−`TAIL_BITS`.
const TAIL_BITS: u32 = 20;

/// A bound on the differences of neighbouring inputs by their norm and their number of integers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NormBound {
    /// V², at least the squared L2 norm of every difference.
    pub(crate) l2_squared: BigUint,
    /// n, at least the number of integers that change.
    pub(crate) coordinates: BigUint,
}

impl NormBound {
    /// The bound for the sum of the independent noises of `aggregators` honest aggregators, at
    /// least one.
    ///
    /// The sum is a function of the A noise vectors together. Written as v = Σ vₐ with every entry
    /// of vₐ next to the entry of v/A, the difference is one on An integers with Σ‖vₐ‖² = Σ(vᵢ² −
    /// rᵢ²)/A + rᵢ ≤ V²/A + nA/4, where rᵢ is vᵢ modulo A.
    pub(crate) fn shared(&self, aggregators: u32) -> Self {
        if aggregators == 1 {
            return self.clone();
        }
        let rounded = &self.coordinates * (aggregators / 4 + 1);
        Self {
            l2_squared: &self.l2_squared / aggregators + 1u32 + rounded,
            coordinates: &self.coordinates * aggregators,
        }
    }
}

/// Upper bound on the δ at `epsilon` of discrete Gaussian noise of this `variance`, for every
/// difference within `norm`: at most 1, and 1 where ε is too small for the theorem, or n/24s² above
/// 100. `about` is about the δ that is asked for; the probability e^−L that the theorem gives away is
/// far below it. `Err` if V² is 0 or has more than 512 bits.
pub(crate) fn delta(
    variance: &Rational,
    epsilon: &Rational,
    about: &Rational,
    norm: &NormBound,
) -> Result<Rational> {
    let l2_squared = accepted::l2_squared(&norm.l2_squared)?;
    let changed = Rational::integer(norm.coordinates.clone());
    let bits = tail_bits(about);
    // L = 0.7·bits, so that e^−L ≤ 2^−bits.
    let far = Rational::integer(bits) * Rational::new(7, 10)?;
    let root = square_root_up(&(&changed * &far), DIGITS)?;
    let reach = &changed + &(&root + &far) + (&root + &far);
    let inverse = variance.reciprocal().ok_or(PrecisionError)?;
    let linear = square_root_up(&(&l2_squared * &reach * inverse.pow(3)), DIGITS)?;
    let slack =
        &l2_squared * &inverse.pow(2) * Rational::new(1, 8)? + linear * Rational::new(1, 4)?;
    let rate = epsilon - &slack.round_to_digits(DIGITS, Rounding::Up);
    let growth = changed * &inverse * Rational::new(1, 24)?;
    if !rate.is_positive() || growth > 100 {
        return Ok(Rational::one());
    }
    let ratio = variance.checked_div(&l2_squared).ok_or(PrecisionError)?;
    let least = Dyadic::new(1, -i64::from(bits));
    let bound = refine(|precision| {
        let continuous = analytic_gaussian::delta_at(&rate, &ratio, precision)?;
        // Terms below 2^−bits need not be distinguished.
        let width = &continuous - &Interval::point(continuous.lower(), precision);
        let is_close = *width.upper() <= least;
        let bound = continuous * Interval::rational(&growth, precision).exp()?;
        bound.upper().to_rational().filter(|_| is_close)
    })?;
    let tail = Rational::new(1, BigInt::from(1) << bits)?;
    Ok((bound + tail).min(Rational::one()))
}

/// The least variance, of thirteen digits, at which [`delta`] proves (ε, δ). It proves every larger
/// variance as well. `start` is a variance that the search begins with.
pub(crate) fn variance(
    epsilon: &Epsilon,
    target: &Delta,
    norm: &NormBound,
    start: &Rational,
) -> Result<Rational> {
    let (rate, target) = (accepted::epsilon(epsilon)?, accepted::delta(target)?);
    let (_, variance, _) = crossing(start, (&Rational::new(1, 8)?, DIGITS), |variance| {
        let bound = delta(variance, rate, target, norm)?;
        Ok(log_excess(&Interval::rational(&bound, 256), target))
    })?;
    Ok(variance)
}

/// −log₂ of the probability e^−L of noise vectors far from 0, between 2^−22 and 2^−20 of `delta`.
fn tail_bits(delta: &Rational) -> u32 {
    let bits = delta.denominator().bits().saturating_sub(delta.numerator().bits());
    u32::try_from(bits).expect("a δ has some thousand bits at most") + 1 + TAIL_BITS
}
