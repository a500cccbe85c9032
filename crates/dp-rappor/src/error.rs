//! What can go wrong.

use core::error;
use core::fmt::{self, Display, Formatter};

use dp_exact::{ParameterError, PrecisionError};

/// A parameter that is not accepted, or a question that could not be decided.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is out of its range.
    Parameter(ParameterError),
    /// Two numbers lie too close together to tell which one is larger.
    Precision(PrecisionError),
    /// The sampler of the flips cannot be built.
    Sampler(dp_samplers::Error),
}

impl Error {
    /// The error of another crate that this one wraps.
    fn inner(&self) -> &(dyn error::Error + 'static) {
        match self {
            Self::Parameter(error) => error,
            Self::Precision(error) => error,
            Self::Sampler(error) => error,
        }
    }
}

impl Display for Error {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self.inner(), formatter)
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.inner().source()
    }
}

impl From<ParameterError> for Error {
    fn from(error: ParameterError) -> Self {
        Self::Parameter(error)
    }
}

impl From<PrecisionError> for Error {
    fn from(error: PrecisionError) -> Self {
        Self::Precision(error)
    }
}

impl From<dp_samplers::Error> for Error {
    fn from(error: dp_samplers::Error) -> Self {
        Self::Sampler(error)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;
    use core::error::Error as _;

    use super::*;

    #[test]
    fn an_error_of_another_crate_keeps_its_text_and_its_cause() {
        let inner = || dp_samplers::Error::Precision(PrecisionError);
        let error = Error::from(inner());
        assert_eq!(error.to_string(), inner().to_string());
        let cause = error.source().map(ToString::to_string);
        assert_eq!(cause, Some(PrecisionError.to_string()));
        assert!(Error::from(PrecisionError).source().is_none());
    }
}
