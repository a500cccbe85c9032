//! What discrete Gaussian noise of a given variance guarantees, beside what continuous noise would.

use dp_exact::{Dyadic, Epsilon, Interval, Rational, Rho, square_root_up};
use num_bigint::BigUint;

use super::calibration::SIGMA_DIGITS;
use super::delta;
use crate::{Error, SensitivityBound, WorstCaseDifference, analytic_gaussian, zcdp};

/// Coordinates of a difference that is tried for a lower bound; more would take long.
const MAX_TRIED: u64 = 64;

/// The δ at ε of given noise.
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
    is_exact: bool,
}

/// The δ at ε of discrete Gaussian noise with variance parameter σ² = `variance`.
///
/// # Errors
/// Those of [`delta`] and of [`zcdp::delta`].
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
    let Some(difference) = sensitivity.worst_case_difference() else {
        return Ok(CertifiedDelta {
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
        is_exact: true,
    })
}

/// The δ of the difference that changes `l2_squared` coordinates by 1 each, or 0 where that takes
/// long.
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
    pub fn certificate(&self) -> &'static str {
        if self.is_exact {
            "The exact distribution of the noise at the worst difference, summed in interval arithmetic. \
             delta is not monotone in the variance: more noise may have a larger one."
        } else {
            "The upper bound is that of zero-concentrated privacy (Canonne, Kamath, Steinke 2020, \
             Corollary 13); the lower one is the exact delta of one difference of this norm."
        }
    }
}
