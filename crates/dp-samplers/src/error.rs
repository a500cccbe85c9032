//! What can go wrong: a parameter out of its range, a draw that does not fit, no entropy.

use dp_exact::{ParameterError, PrecisionError, Rational};
use rand::rngs::SysError;

/// Why a sampler could not be built, or could not deliver.
///
/// No message contains a drawn value: noise that reaches a log protects nobody.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is out of its range, or larger than [`Rational::MAX_BITS`].
    #[error(transparent)]
    Parameter(#[from] ParameterError),

    /// The enclosures of a real parameter do not shrink to a point.
    #[error("the enclosures of the probability do not narrow: {0}")]
    Precision(#[from] PrecisionError),

    /// A draw does not fit the integers that were to be filled.
    #[error("the draw for position {index} does not fit {target}")]
    Overflow {
        /// Position in the slice.
        index: usize,
        /// The integer type that is too narrow.
        target: &'static str,
    },

    /// The operating system gave no random seed.
    #[error("the operating system gave no random seed: {0}")]
    Entropy(#[from] SysError),
}

/// Refuses numbers too large to compute with in bounded time.
pub(crate) fn within_limit(name: &'static str, value: &Rational) -> Result<(), Error> {
    if value.bits() <= Rational::MAX_BITS {
        return Ok(());
    }
    Err(ParameterError::new(
        name,
        format_args!("a fraction of {} bits", value.bits()),
        format!(
            "a fraction of at most {} bits in numerator and denominator",
            Rational::MAX_BITS
        ),
    )
    .into())
}

/// Refuses everything but positive numbers of bounded size.
pub(crate) fn positive(name: &'static str, value: &Rational) -> Result<(), Error> {
    within_limit(name, value)?;
    if value.is_positive() {
        return Ok(());
    }
    Err(ParameterError::new(name, value, "a number greater than 0").into())
}
