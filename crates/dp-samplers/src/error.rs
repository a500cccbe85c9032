//! What can go wrong: a parameter out of its range, a draw that does not fit, no entropy.

use alloc::format;

use dp_exact::{ParameterError, PrecisionError, Rational};
#[cfg(feature = "os_rng")]
use getrandom::Error as SysError;
use num_bigint::BigInt;

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

    /// A draw, or its sum with a value, does not fit the integers of the slice.
    #[error("the noise at position {index} does not fit {target}")]
    Overflow {
        /// Position in the slice.
        index: usize,
        /// The integer type that is too narrow.
        target: &'static str,
    },

    /// The operating system gave no random seed. With the feature `os_rng`.
    #[cfg(feature = "os_rng")]
    #[error("the operating system gave no random seed: {0}")]
    Entropy(#[from] SysError),
}

/// `Err` unless 0 < `value` ≤ 2^`bits` with at most [`Rational::MAX_BITS`] bits in numerator and
/// denominator. `name` is the parameter in the message.
pub(crate) fn within(name: &'static str, value: &Rational, bits: u32) -> Result<(), Error> {
    if value.bits() > Rational::MAX_BITS {
        let given = format!("a fraction of {} bits", value.bits());
        let limit = Rational::MAX_BITS;
        let accepted = format!("a fraction of at most {limit} bits in numerator and denominator");
        return Err(ParameterError::new(name, given, accepted).into());
    }
    if value.is_positive() && *value <= Rational::integer(BigInt::from(1) << bits) {
        return Ok(());
    }
    Err(out_of_range(name, value, bits))
}

/// The error for a parameter that is not above 0 and at most 2^`bits`.
pub(crate) fn out_of_range(name: &'static str, value: &Rational, bits: u32) -> Error {
    let accepted = format!("a number greater than 0 and at most 2^{bits}");
    ParameterError::new(name, value, accepted).into()
}
