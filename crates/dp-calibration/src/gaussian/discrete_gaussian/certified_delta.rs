//! The δ of given noise against a known worst-case difference, or against a bound on its norm.

use dp_exact::{Dyadic, Epsilon, Interval, Rational};

use super::calibration::BY_WIDE_NOISE;
use super::delta;
use crate::{Error, SensitivityBound, accepted, wide_gaussian, zcdp};

/// Bounds on the δ at ε of given noise.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CertifiedDelta {
    /// δ is at least this; 0 where only a norm is known.
    pub lower: Dyadic,
    /// δ is at most this.
    pub upper: Dyadic,
    /// Whether both bounds enclose the exact δ of the worst difference.
    pub is_exact: bool,
    /// Why both bounds hold, in words.
    pub certificate: &'static str,
}

/// The δ at ε of discrete Gaussian noise with variance parameter σ² = `variance`.
///
/// # Errors
/// As [`delta`] and [`zcdp::delta`]; if ε is above 100.
pub fn certified_delta(
    variance: &Rational,
    epsilon: &Epsilon,
    sensitivity: &SensitivityBound,
) -> Result<CertifiedDelta, Error> {
    accepted::epsilon(epsilon)?;
    if let Some(norm) = sensitivity.matrix_norm() {
        let upper = wide_gaussian::delta(variance, epsilon, norm)?;
        return Ok(CertifiedDelta {
            lower: Dyadic::new(0, 0),
            upper: Interval::rational(&upper, 128).upper().clone(),
            is_exact: false,
            certificate: BY_WIDE_NOISE,
        });
    }
    let Some(difference) = sensitivity.worst_case_difference() else {
        let l2_squared = sensitivity.l2_squared();
        return Ok(CertifiedDelta {
            lower: Dyadic::new(0, 0),
            upper: zcdp::delta(&zcdp::rho(variance, &l2_squared)?, epsilon)?.upper().clone(),
            is_exact: false,
            certificate: "Zero-concentrated privacy (Canonne, Kamath, Steinke 2020, Corollary 13), for every \
                 difference of this norm.",
        });
    };
    let exact = delta(variance, epsilon, difference)?;
    Ok(CertifiedDelta {
        lower: exact.lower().clone(),
        upper: exact.upper().clone(),
        is_exact: true,
        certificate: "The exact distribution of the noise at the worst difference, summed in interval arithmetic. \
             delta is not monotone in the variance: more noise may have a larger one.",
    })
}
