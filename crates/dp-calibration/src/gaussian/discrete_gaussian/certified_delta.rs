//! The δ of given noise against a known worst-case difference, or against a bound on its norm.

use dp_exact::{Dyadic, Epsilon, Interval, Rational};
use num_bigint::BigUint;

use super::calibration::BY_WIDE_NOISE;
use super::delta;
use crate::{Error, SensitivityBound, WorstCaseDifference, wide_gaussian, zcdp};

/// The most coordinates of a difference that is tried for a lower bound on δ; more would take long.
const MAX_TRIED: u64 = 64;

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
    /// Whether both bounds enclose the exact δ of the worst difference.
    pub is_exact: bool,
    /// Why both bounds hold, in words.
    pub certificate: &'static str,
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
            lower: attained(variance, epsilon, &l2_squared)?,
            upper: zcdp::delta(&zcdp::rho(variance, &l2_squared)?, epsilon)?.upper().clone(),
            is_exact: false,
            certificate: "The upper bound is that of zero-concentrated privacy (Canonne, Kamath, Steinke 2020, \
                 Corollary 13); the lower one is the exact delta of one difference of this norm.",
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

/// A lower bound on the largest δ of all differences of squared L2 norm `l2_squared`. It is a lower
/// bound on δ where `l2_squared` coordinates change by 1 each, or 0 where computing that takes
/// long.
fn attained(variance: &Rational, epsilon: &Epsilon, l2_squared: &BigUint) -> Result<Dyadic, Error> {
    let few = u64::try_from(l2_squared).ok();
    let Some(coordinates) = few.filter(|few| *few <= MAX_TRIED) else {
        return Ok(Dyadic::new(0, 0));
    };
    let difference = WorstCaseDifference::new(coordinates, 1u32)?;
    Ok(delta(variance, epsilon, &difference)?.lower().clone())
}
