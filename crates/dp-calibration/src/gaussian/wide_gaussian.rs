//! Discrete Gaussian noise with a large variance, against every difference of a given L2 norm.
//!
//! **Theorem.** n integers change by v, ‖v‖₂ ≤ V, and receive independent discrete Gaussian noise
//! with variance parameter s² ≥ 2^10, n ≤ 2^30. With δ_c(ε; μ) the exact δ of *continuous* Gaussian
//! noise of standard deviation 1 on one number that changes by μ ([`analytic_gaussian`]), for every
//! L ≥ 0 and ε₀ ≥ 0
//!
//!   δ(ε₀ + η) ≤ e^η·δ_c(ε₀; V/s) + e^−L,  η = (5n + 6L + 2V²/s²)/(24s²) + 2^−400.
//!
//! Section 3 of `docs/calibration.md` has the proof. η and e^−L cost less than 10^−6 of s if s² is
//! above 10^6·n. Releases compose: k of them with the same s² are one with kn integers and k·V².

use dp_exact::{Delta, Epsilon, Interval, PrecisionError, Rational, Rounding, refine};
use num_bigint::{BigInt, BigUint};

use super::discrete_gaussian::{is_narrow, least_epsilon};
use crate::{Error, Result, accepted, analytic_gaussian};

/// Significant digits of a variance and of an ε.
const DIGITS: usize = 12;

/// e^−L, the probability granted to noise vectors far from 0, is at most δ·2^−`TAIL_BITS`.
const TAIL_BITS: u32 = 20;

/// A bound on the differences of neighbouring inputs by their norm and their number of integers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NormBound {
    /// V², at least the squared L2 norm of every difference.
    pub l2_squared: BigUint,
    /// n, the number of integers that receive noise.
    pub coordinates: u64,
}

impl NormBound {
    /// The most integers.
    pub const MAX_COORDINATES: u64 = 1 << 30;

    /// The bound for `releases` releases with the same variance.
    #[must_use]
    pub fn repeated(&self, releases: u64) -> Self {
        let coordinates = self.coordinates.saturating_mul(releases);
        Self { l2_squared: &self.l2_squared * releases, coordinates }
    }

    /// The bound for the sum of the independent noises of `aggregators` honest aggregators.
    ///
    /// The sum is a function of the A noise vectors together. Written as v = Σ vₐ with every entry
    /// of vₐ next to the entry of v/A, the difference is one on An integers with Σ‖vₐ‖² = Σ(vᵢ² −
    /// rᵢ²)/A + rᵢ ≤ V²/A + nA/4, where rᵢ is vᵢ modulo A.
    #[must_use]
    pub fn shared(&self, aggregators: u32) -> Self {
        let honest = u64::from(aggregators.max(1));
        if honest == 1 {
            return self.clone();
        }
        let rounded = BigUint::from(self.coordinates) * (honest / 4 + 1);
        Self {
            l2_squared: &self.l2_squared / honest + 1u32 + rounded,
            coordinates: self.coordinates.saturating_mul(honest),
        }
    }

    /// V² as a fraction. `Err` unless V² is from 1 to 2^512 − 1 and the number of coordinates from
    /// 1 to 2^30.
    fn checked(&self) -> Result<Rational> {
        let accepted = "an integer from 1 to 2^30";
        let is_accepted = (1..=Self::MAX_COORDINATES).contains(&self.coordinates);
        Error::check(is_accepted, "coordinates", self.coordinates, accepted)?;
        accepted::l2_squared(&self.l2_squared)
    }
}

/// An upper bound on the δ at `epsilon` of discrete Gaussian noise of this `variance`. `Err` if ε
/// is outside 1e-9 to 100, σ²/Δ₂² outside 1e-10 to 1e30 or above 2^36/ε², the variance below 2^10,
/// or the norm bound has 0 or more than 2^30 coordinates or a squared norm of 0.
pub(crate) fn delta(variance: &Rational, epsilon: &Epsilon, norm: &NormBound) -> Result<Rational> {
    let epsilon = accepted::epsilon(epsilon)?;
    let l2_squared = norm.checked()?;
    accepted::variance(variance, epsilon, &l2_squared)?;
    delta_at(variance, epsilon, norm, &l2_squared)
}

/// The least ε, rounded up to twelve digits, for which [`delta`] proves (ε, δ). `Err` if that is
/// above 10 000, or a parameter out of range.
pub(crate) fn epsilon(variance: &Rational, delta: &Delta, norm: &NormBound) -> Result<Rational> {
    let target = accepted::delta(delta)?;
    let l2_squared = norm.checked()?;
    let is_proved = |epsilon: &Rational| -> Result<bool> {
        Ok(delta_at(variance, epsilon, norm, &l2_squared)? <= *target)
    };
    let highest = Rational::integer(10_000);
    let accepted = "a variance for which some epsilon of at most 10000 is proved";
    Error::check(is_proved(&highest)?, "variance", variance, accepted)?;
    least_epsilon(highest, |epsilon| is_proved(epsilon.value()))
}

/// The variance parameter, rounded up to twelve digits, of discrete Gaussian noise that is (ε,
/// δ)-differentially private for every difference within `norm`. Every larger variance is
/// private as well. `Err` if ε is outside 1e-9 to 100, δ outside 1e-40 to 0.9, or the norm is so
/// small that the noise is not wide: its variance below 2^10, or η above ε/2.
pub(crate) fn variance(epsilon: &Epsilon, delta: &Delta, norm: &NormBound) -> Result<Rational> {
    let target = accepted::delta(delta)?;
    let (value, l2_squared) = (accepted::epsilon(epsilon)?, norm.checked()?);
    let continuous = analytic_gaussian::least_sigma(value, target, &l2_squared)?.pow(2);
    // s² is at least the variance of continuous noise, where η is therefore largest.
    let bits = tail_bits(target);
    let slack = slack(bits, &continuous, norm, &l2_squared)?;
    let accepted = "a squared norm so large that the noise is wide next to the integers";
    let is_accepted = &slack * &Rational::integer(2) <= *value;
    Error::check(is_accepted, "l2_squared", &norm.l2_squared, accepted)?;
    // e^−η ≥ 1 − η.
    let share = (target - &power_of_two(bits)) * (Rational::one() - &slack);
    let share = share.round_to_digits(40, Rounding::Down);
    let epsilon = (value - &slack).round_to_digits(40, Rounding::Down);
    let sigma = analytic_gaussian::least_sigma(&epsilon, &share, &l2_squared)?;
    Ok(sigma.pow(2).round_to_digits(DIGITS, Rounding::Up))
}

/// The upper bound on δ at ε = `epsilon` by the module's theorem, rounded up to twelve digits: at
/// most 1, and 1 where ε is at most η. `l2_squared` is V², the squared L2 norm of the difference.
/// The theorem's L is chosen here.
fn delta_at(
    variance: &Rational,
    epsilon: &Rational,
    norm: &NormBound,
    l2_squared: &Rational,
) -> Result<Rational> {
    let ratio = variance.checked_div(l2_squared).ok_or(PrecisionError)?;
    // Below 2^−400 that number stands for δ_c: far below every δ that is asked for.
    let tiny = power_of_two(400);
    let continuous = |epsilon: &Rational| {
        refine(|precision| {
            let delta = analytic_gaussian::delta_at(epsilon, &ratio, precision)?;
            if delta.upper().cmp_rational(&tiny).is_lt() {
                return Some(tiny.clone());
            }
            is_narrow(&delta).then(|| delta.upper().to_rational()).flatten()
        })
    };
    let about = continuous(epsilon)?;
    let bits = tail_bits(&about);
    let slack = slack(bits, variance, norm, l2_squared)?;
    if slack >= *epsilon {
        return Ok(Rational::one());
    }
    let growth =
        refine(|precision| Interval::rational(&slack, precision).exp()?.upper().to_rational())?;
    let delta = continuous(&(epsilon - &slack))? * growth + power_of_two(bits);
    Ok(delta.round_to_digits(DIGITS, Rounding::Up).min(Rational::one()))
}

/// 2^−`bits`
pub(super) fn power_of_two(bits: u32) -> Rational {
    Rational::new(1, BigInt::from(1) << bits).expect("a δ has some thousand bits at most")
}

/// −log₂ of the probability e^−L of noise vectors far from 0, between 2^−22 and 2^−20 of `delta`.
pub(super) fn tail_bits(delta: &Rational) -> u32 {
    let bits = delta.denominator().bits().saturating_sub(delta.numerator().bits());
    u32::try_from(bits).expect("a δ has some thousand bits at most") + 1 + TAIL_BITS
}

/// Upper bound on η, which the module's theorem adds to ε, rounded up, for e^−L = 2^−`bits`.
/// `square` is V², the squared L2 norm of the difference. `Err` if `variance` is below 2^10.
fn slack(bits: u32, variance: &Rational, norm: &NormBound, square: &Rational) -> Result<Rational> {
    Error::check(*variance >= 1024, "variance", variance, "at least 2^10: wide noise")?;
    let ratio = square.checked_div(variance).ok_or(PrecisionError)?;
    // 6·ln 2 < 4.2
    let tail = Rational::integer(bits) * Rational::new(42, 10)?;
    let terms = Rational::from(5 * norm.coordinates) + tail + &ratio + &ratio;
    let slack = terms.checked_div(&(Rational::integer(24) * variance)).ok_or(PrecisionError)?;
    Ok(slack.round_to_digits(DIGITS, Rounding::Up) + power_of_two(400))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// δ of the least noise of the theorem on two integers, by adding up all outcomes.
    #[test]
    fn the_bound_holds_for_every_direction_of_a_norm() {
        let variance = Rational::integer(1024);
        let reach = 32 * 9i32;
        let mass = |x: i32| (-f64::from(x * x) / 2048.0).exp();
        let total: f64 = (-reach..=reach).map(mass).sum();
        for (first, second) in [(60i32, 0), (36, 48), (48, 36), (7, 59), (1, 2), (64, 0), (45, 45)]
        {
            let l2_squared = BigUint::from((first * first + second * second).unsigned_abs());
            let difference = NormBound { l2_squared, coordinates: 2 };
            for epsilon in ["0.1", "1", "3"] {
                let epsilon: Epsilon = epsilon.parse().unwrap();
                let factor = epsilon.value().to_f64().exp();
                let mut exact = 0.0;
                for x in -reach..=reach {
                    for y in -reach..=reach {
                        let (here, there) = (mass(x) * mass(y), mass(x - first) * mass(y - second));
                        exact += (here - factor * there).max(0.0) / (total * total);
                    }
                }
                let bound = delta(&variance, &epsilon, &difference).unwrap().to_f64();
                assert!(exact <= bound * (1.0 + 1e-9), "{difference:?} {exact} {bound}");
                // η is 5·2/(24·1024) and more, so that the bound is not far from the truth.
                assert!(bound <= exact * 1.1 + 0.003, "{difference:?} {exact} {bound}");
            }
        }
    }

    #[test]
    fn calibration_and_its_inverse_agree() {
        let difference = NormBound { l2_squared: 11_000_000_000u64.into(), coordinates: 4096 };
        for (epsilon, delta) in
            [("1", "1e-8"), ("0.001", "1e-12"), ("30", "1e-40"), ("1e-8", "1e-6")]
        {
            let (epsilon, delta) = (epsilon.parse().unwrap(), delta.parse::<Delta>().unwrap());
            let variance = variance(&epsilon, &delta, &difference).unwrap();
            let attained = super::delta(&variance, &epsilon, &difference).unwrap();
            assert!(attained <= *delta.value());
            assert!(attained.to_f64() > 0.9999 * delta.value().to_f64(), "{attained:?}");
            let found = super::epsilon(&variance, &delta, &difference).unwrap();
            assert!((found.to_f64() / epsilon.value().to_f64() - 1.0).abs() < 1e-4, "{found}");
            let continuous = analytic_gaussian::sigma(&epsilon, &delta, &difference.l2_squared);
            let ratio = variance.to_f64().sqrt() / continuous.unwrap().to_f64();
            assert!((1.0..1.000_002).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn narrow_noise_is_refused() {
        let difference = NormBound { l2_squared: 2u32.into(), coordinates: 10 };
        let error = variance(&"1".parse().unwrap(), &"1e-8".parse().unwrap(), &difference);
        assert!(error.unwrap_err().to_string().contains("variance"));
    }
}
