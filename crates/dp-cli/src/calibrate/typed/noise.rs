//! The one written form of a law of noise and of what one client moves.

use dp_calibration::{Corner, KnownSensitivity, NoiseLaw};
use dp_exact::ParameterError;

use super::positive;
use crate::options::integer;

/// `gaussian` or `laplace` with a parameter; `None` if the name is that of no law of noise.
pub(crate) fn noise_law(name: &str, parameter: &str) -> Result<Option<NoiseLaw>, ParameterError> {
    Ok(match name {
        "gaussian" => Some(NoiseLaw::DiscreteGaussian {
            variance: positive("variance", parameter)?,
        }),
        "laplace" => Some(NoiseLaw::DiscreteLaplace {
            scale: positive("scale", parameter)?,
        }),
        _ => None,
    })
}

/// `one` or `pair`: a worst difference.
pub(crate) fn worst_difference(text: &str) -> Option<Corner> {
    match text {
        "one" => Some(Corner::one()),
        "pair" => Some(Corner::one_hot()),
        _ => None,
    }
}

/// The option --query: `one`, `pair`, or a bound on the norm that the noise depends on, `l1:NUMBER`
/// or `l2-squared:NUMBER`.
pub(crate) fn sensitivity(
    text: &str,
    norm: &'static str,
) -> Result<KnownSensitivity, ParameterError> {
    if let Some(corner) = worst_difference(text) {
        return Ok(KnownSensitivity::WorstDifference(corner));
    }
    match text.split_once(':') {
        Some((name, size)) if name == norm => {
            let size = integer("query", size, 1..=u128::MAX)?.into();
            Ok(match norm {
                "l1" => KnownSensitivity::L1(size),
                _ => KnownSensitivity::L2Squared(size),
            })
        }
        _ => {
            let accepted = format!("one, pair or {norm}:NUMBER");
            Err(ParameterError::new("query", text, accepted))
        }
    }
}
