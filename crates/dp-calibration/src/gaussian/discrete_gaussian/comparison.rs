//! The least discrete Gaussian noise for a target, beside what it is mistaken for and what it
//! beats.

use dp_exact::{Delta, Epsilon, Interval, Rational, Rho, Rounding, square_root_up};

use super::calibration::SIGMA_DIGITS;
use super::{GaussianCalibration, calibrate, calibrate_norm, delta};
use crate::{Error, SensitivityBound, analytic_gaussian, zcdp};

/// The least noise for (ε, δ), with what it is compared to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GaussianComparison {
    /// The noise, with its proof.
    pub noise: GaussianCalibration,
    /// σ, rounded up to 25 digits.
    pub sigma: Rational,
    /// The zero-concentrated privacy of the same noise.
    pub rho: Rho,
    /// Whether `noise.delta` meets the target. If not, the noise has a ρ that is known to imply the
    /// target (Canonne, Kamath, Steinke 2020, Corollary 13), and the bound on δ at that ρ, taken at
    /// another order, is above it by its own looseness.
    pub is_delta_met: bool,
    /// The least σ of **continuous** noise, which nobody draws.
    pub continuous_sigma: Rational,
    /// The δ of discrete noise at that σ, where the worst difference is known.
    pub delta_at_continuous: Option<Interval>,
    /// The least σ by zero-concentrated privacy alone, where something else proves `noise`.
    pub concentrated_sigma: Option<Rational>,
    target: Delta,
}

/// By the exact distribution of the noise at the worst difference, or by zero-concentrated privacy
/// where only a norm is known.
///
/// # Errors
/// Those of [`calibrate`] and [`calibrate_norm`].
pub fn compare(
    epsilon: &Epsilon,
    target: &Delta,
    sensitivity: &SensitivityBound,
) -> Result<GaussianComparison, Error> {
    let l2_squared = sensitivity.l2_squared();
    let noise = match sensitivity.worst_case_difference() {
        Some(difference) => calibrate(epsilon, target, difference)?,
        None => calibrate_norm(epsilon, target, &l2_squared)?,
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
        "Zero-concentrated privacy with this rho implies epsilon and delta (Canonne, Kamath, Steinke \
         2020, Theorem 14 and Corollary 13), whatever the difference of this norm; more noise has a \
         smaller rho. Where one or two counts change by 1, the queries one and pair are tighter."
            .to_owned()
    }
}

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
