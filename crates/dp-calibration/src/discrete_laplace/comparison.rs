//! The least discrete Laplace noise for a target, beside the noise of pure differential privacy.

use dp_exact::{Delta, Epsilon, Interval, Rational, Rho};

use super::{LaplaceCalibration, calibrate, calibrate_norm, scale_of_any_pure};
use crate::{Error, SensitivityBound, conversion, laplace};

/// The least noise for (ε, δ), or for ε alone, and other bounds for comparison.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LaplaceComparison {
    /// The noise, with its proof.
    pub noise: LaplaceCalibration,
    /// The comparison.
    pub beside: BesideLaplace,
}

/// Bounds to which the least discrete Laplace noise is compared.
#[derive(Clone, Debug)]
pub enum BesideLaplace {
    /// For δ = 0: the ρ of every mechanism with this ε.
    Pure {
        /// ε·tanh(ε/2), rounded up.
        rho: Rho,
        /// The classical ε²/2 (Bun, Steinke 2016, Proposition 1.4).
        classical: Rho,
    },
    /// For δ > 0: larger scales that are enough as well.
    Approximate {
        /// The scale for this ε and δ = 0.
        pure: Rational,
        /// A scale by a bound that holds for every mechanism with pure differential privacy.
        any_pure: Rational,
    },
}

/// The least noise by its exact distribution at the worst difference, or at one number that changes
/// by all of Δ₁.
///
/// # Errors
/// As [`laplace::scale`], [`calibrate`] and [`calibrate_norm`].
pub fn compare(
    epsilon: &Epsilon,
    target: &Delta,
    sensitivity: &SensitivityBound,
) -> Result<LaplaceComparison, Error> {
    let l1 = sensitivity.l1();
    let pure = laplace::scale(epsilon, &l1)?;
    if target.value().is_zero() {
        let noise = LaplaceCalibration {
            scale: pure,
            delta: Interval::integer(0, 64),
            refuted: None,
            difference: sensitivity.worst_case_difference().cloned(),
        };
        let rho = conversion::pure_to_rho(epsilon)?;
        let classical = conversion::pure_to_rho_classical(epsilon)?;
        let beside = BesideLaplace::Pure { rho, classical };
        return Ok(LaplaceComparison { noise, beside });
    }
    let any_pure = scale_of_any_pure(epsilon, target, &l1)?;
    let noise = match sensitivity.worst_case_difference() {
        Some(difference) => calibrate(epsilon, target, difference)?,
        None => calibrate_norm(epsilon, target, &l1)?,
    };
    let beside = BesideLaplace::Approximate { pure, any_pure };
    Ok(LaplaceComparison { noise, beside })
}

impl LaplaceComparison {
    /// Why the noise is enough, in words.
    #[must_use]
    pub fn certificate(&self) -> String {
        if let BesideLaplace::Pure { .. } = self.beside {
            return "Moving the aggregate by the L1 sensitivity changes the probability of every \
                    outcome by at most e^epsilon, and of some by exactly that, so that no smaller scale \
                    will do. The scale is the L1 sensitivity divided by epsilon, exactly."
                .to_owned();
        }
        let worst = if self.noise.is_exact() {
            "the worst difference"
        } else {
            "one number that changes by all of the L1 sensitivity, than which nothing is worse"
        };
        let refuted =
            self.noise.refuted.as_ref().map_or_else(String::new, |low| {
                format!(" The scale {low} is certainly not enough.")
            });
        format!(
            "The exact distribution of the noise at {worst}, summed in interval arithmetic. Its delta falls as \
             the scale grows, so that every larger scale is safe as well.{refuted}"
        )
    }
}
