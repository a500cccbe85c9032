//! Calibrated and given noise, compared with continuous noise of the same σ and with
//! zero-concentrated privacy.

use dp_exact::{Delta, Dyadic, Epsilon, Interval, Rational, Rho, Rounding, square_root_up};
use num_bigint::BigUint;

use super::calibration::{SIGMA_DIGITS, calibrate_wide};
use super::{GaussianCalibration, calibrate, calibrate_norm, delta};
use crate::{Error, SensitivityBound, WorstCaseDifference, analytic_gaussian, wide_gaussian, zcdp};

/// The most coordinates of a difference that is tried for a lower bound on δ; more would take long.
const MAX_TRIED: u64 = 64;

/// The least noise for (ε, δ), and other bounds for comparison.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GaussianComparison {
    /// The noise, with its proof.
    pub noise: GaussianCalibration,
    /// σ, rounded up to 25 digits.
    pub sigma: Rational,
    /// The ρ of this noise.
    pub rho: Rho,
    /// Whether `noise.delta` meets the target. If not, the noise has a ρ that is known to imply the
    /// target (Canonne, Kamath, Steinke 2020, Corollary 13), and the bound on δ at that ρ, taken at
    /// another order, is above it by its own looseness.
    pub is_delta_met: bool,
    /// The least σ of **continuous** noise, which no computer draws.
    pub continuous_sigma: Rational,
    /// The δ of discrete noise at that σ, where the worst difference is known.
    pub delta_at_continuous: Option<Interval>,
    /// The least σ by zero-concentrated privacy alone, where something else proves `noise`.
    pub concentrated_sigma: Option<Rational>,
    /// The δ for which the noise was calibrated.
    target: Delta,
    /// Whether the bound for wide noise proves `noise`.
    is_wide: bool,
}

/// The least noise by its exact distribution at the worst difference, by the bound for wide noise behind a strategy matrix, or by zero-concentrated
/// privacy where only a norm is known.
///
/// # Errors
/// As [`calibrate`] and [`calibrate_norm`].
pub fn compare(
    epsilon: &Epsilon,
    target: &Delta,
    sensitivity: &SensitivityBound,
) -> Result<GaussianComparison, Error> {
    let l2_squared = sensitivity.l2_squared();
    let norm = sensitivity.matrix_norm();
    let noise = match (sensitivity.worst_case_difference(), norm) {
        (Some(difference), _) => calibrate(epsilon, target, difference)?,
        (None, Some(norm)) => calibrate_wide(epsilon, target, norm)?,
        (None, None) => calibrate_norm(epsilon, target, &l2_squared)?,
    };
    let continuous = analytic_gaussian::sigma(epsilon, target, &l2_squared)?;
    let at_continuous = |difference| delta(&continuous.pow(2), epsilon, difference);
    let concentrated = || square_root_up(noise.concentrated_variance(), SIGMA_DIGITS);
    Ok(GaussianComparison {
        sigma: noise.sigma()?,
        rho: zcdp::rho(&noise.variance, &l2_squared)?,
        is_delta_met: noise.delta.upper().cmp_rational(target.value()).is_le(),
        delta_at_continuous: sensitivity.worst_case_difference().map(at_continuous).transpose()?,
        concentrated_sigma: noise.is_exact().then(concentrated).transpose()?,
        continuous_sigma: continuous,
        target: target.clone(),
        is_wide: norm.is_some(),
        noise,
    })
}

impl GaussianComparison {
    /// Whether discrete noise at the σ of continuous noise certainly breaks the guarantee; `None`
    /// where the worst difference is not known.
    #[must_use]
    pub fn is_continuous_broken(&self) -> Option<bool> {
        let deployed = self.delta_at_continuous.as_ref()?;
        let order = deployed.lower().cmp_rational(self.target.value());
        Some(order.is_gt())
    }

    /// Why the noise is enough, in words.
    #[must_use]
    pub fn certificate(&self) -> String {
        if self.noise.is_exact() {
            return by_ranges(&self.noise, &self.target);
        }
        if self.is_wide {
            return BY_WIDE_NOISE.to_owned();
        }
        "Zero-concentrated privacy with this rho implies epsilon and delta (Canonne, Kamath, Steinke \
         2020, Theorem 14 and Corollary 13), whatever the difference of this norm; more noise has a \
         smaller rho. Where one or two counts change by 1, the queries one and pair are tighter."
            .to_owned()
    }
}

/// Why a bound for wide noise holds, in words.
const BY_WIDE_NOISE: &str = "The noise is so wide that it is continuous Gaussian noise but for a slack that is \
     proved, whatever the difference of this norm. So this variance and every larger one is safe.";

/// Why the ranges of a calibration prove its noise, in words.
fn by_ranges(noise: &GaussianCalibration, target: &Delta) -> String {
    let top = noise.concentrated_variance().to_decimal(8, Rounding::Up);
    let ranges = noise.cover.len() - 1;
    let mut text = format!(
        "From variance {top} on, zero-concentrated privacy suffices. Below it, a chain of ranges of \
         variances, {ranges} in all, leads down to the answer, each with a certified upper bound \
         on the exact delta of at most {target}. So this variance and every larger one is safe."
    );
    if let Some(refuted) = &noise.refuted {
        text += &format!(" The variance {refuted} is certainly not enough.");
    }
    text
}

/// Bounds on the δ at ε of given noise.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CertifiedDelta {
    /// Where the worst difference is known, δ is at least this. Else a difference of the largest
    /// norm attains it: as many coordinates as the squared norm, changed by 1 each; 0 where that
    /// takes long.
    pub lower: Dyadic,
    /// δ is at most this.
    pub upper: Dyadic,
    /// The zero-concentrated privacy of the noise.
    pub rho: Rho,
    /// The bound by zero-concentrated privacy alone, where `upper` is another.
    pub concentrated: Option<Interval>,
    /// The δ of **continuous** noise of that σ, which says nothing about this noise.
    pub continuous: Option<Interval>,
    /// Why both bounds hold, in words.
    certificate: &'static str,
    /// Whether both bounds enclose the exact δ of the worst difference.
    is_exact: bool,
}

/// The δ at ε of discrete Gaussian noise with variance parameter σ² = `variance`.
///
/// # Errors
/// As [`delta`] and of [`zcdp::delta`].
pub fn certified_delta(
    variance: &Rational,
    epsilon: &Epsilon,
    sensitivity: &SensitivityBound,
) -> Result<CertifiedDelta, Error> {
    let l2_squared = sensitivity.l2_squared();
    let rho = zcdp::rho(variance, &l2_squared)?;
    let continuous = square_root_up(variance, SIGMA_DIGITS)
        .map_err(Error::from)
        .and_then(|sigma| analytic_gaussian::delta(epsilon, &sigma, &l2_squared))
        .ok();
    if let Some(norm) = sensitivity.matrix_norm() {
        let upper = wide_gaussian::delta(variance, epsilon, norm)?;
        return Ok(CertifiedDelta {
            lower: Dyadic::new(0, 0),
            upper: Interval::rational(&upper, 128).upper().clone(),
            concentrated: zcdp::delta(&rho, epsilon).ok(),
            rho,
            continuous,
            certificate: BY_WIDE_NOISE,
            is_exact: false,
        });
    }
    let Some(difference) = sensitivity.worst_case_difference() else {
        return Ok(CertifiedDelta {
            certificate: "The upper bound is that of zero-concentrated privacy (Canonne, Kamath, Steinke 2020, \
                 Corollary 13); the lower one is the exact delta of one difference of this norm.",
            upper: zcdp::delta(&rho, epsilon)?.upper().clone(),
            lower: attained(variance, epsilon, &l2_squared)?,
            rho,
            concentrated: None,
            continuous,
            is_exact: false,
        });
    };
    let exact = delta(variance, epsilon, difference)?;
    Ok(CertifiedDelta {
        lower: exact.lower().clone(),
        upper: exact.upper().clone(),
        concentrated: zcdp::delta(&rho, epsilon).ok(),
        rho,
        continuous,
        certificate: "The exact distribution of the noise at the worst difference, summed in interval arithmetic. \
             delta is not monotone in the variance: more noise may have a larger one.",
        is_exact: true,
    })
}

/// A lower bound on the largest δ of a difference of squared norm `l2_squared`: its lower bound
/// where that many coordinates change by 1 each, or 0 where computing it takes long.
fn attained(variance: &Rational, epsilon: &Epsilon, l2_squared: &BigUint) -> Result<Dyadic, Error> {
    let few = u64::try_from(l2_squared).ok();
    let Some(coordinates) = few.filter(|few| *few <= MAX_TRIED) else {
        return Ok(Dyadic::new(0, 0));
    };
    let difference = WorstCaseDifference::new(coordinates, 1u32)?;
    Ok(delta(variance, epsilon, &difference)?.lower().clone())
}

impl CertifiedDelta {
    /// Whether both bounds enclose the exact δ of the worst difference.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Why both bounds hold, in words.
    #[must_use]
    pub const fn certificate(&self) -> &'static str {
        self.certificate
    }
}
