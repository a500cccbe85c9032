//! What can go wrong.

use dp_exact::{ParameterError, PrecisionError};

/// A parameter that is not accepted, or a question that could not be decided.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is out of its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Two numbers lie too close together to tell which one is larger.
    #[error(transparent)]
    Precision(#[from] PrecisionError),
    /// The sampler of the flips cannot be built.
    #[error(transparent)]
    Sampler(#[from] dp_samplers::Error),
}
