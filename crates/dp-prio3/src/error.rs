//! The errors of policies and clients. The parties have errors of their own: `Rejection`,
//! `BatchError`, `CollectError`.

use std::fmt;
use std::ops::RangeInclusive;

use dp_exact::ParameterError;

/// An error of a policy or a client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter or a measurement out of its range. The message has its name, value and accepted
    /// range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The calibration refused.
    #[error(transparent)]
    Calibration(#[from] dp_calibration::Error),
    /// A sampler or a local randomizer refused its parameter, or a draw did not fit.
    #[error(transparent)]
    Sampler(#[from] dp_samplers::Error),
    /// The randomized measurement has more ones than the task admits, so it is not sent.
    ///
    /// This happens at the policy's false-positive rate. Do not draw again for the same
    /// measurement: that would change the distribution for which the guarantee is proved.
    #[error("the randomized measurement has more than {max_weight} ones: not sent")]
    Dropped {
        /// The most ones that the task admits. The actual number is as private as the measurement.
        max_weight: usize,
    },
    /// Prio refused.
    #[error("prio, {operation}: {reason}")]
    Prio {
        /// The operation.
        operation: &'static str,
        /// Prio's error.
        reason: String,
    },
}

impl Error {
    /// This error, whose parameter is named by its path if it is one of this section's.
    pub(crate) fn within_section(self, section: &'static str) -> Self {
        let renamed = |error: ParameterError| {
            let path = match (section, error.name()) {
                (_, name) if name.contains('.') => return Self::Parameter(error),
                (_, "answers" | "length") => "vdaf.length".to_owned(),
                (_, "chunk_length") => "vdaf.chunk_length".to_owned(),
                (_, "reports" | "max_reports") => "batch.max_reports".to_owned(),
                (_, "min_reports") => "batch.min_reports".to_owned(),
                (section, name) => format!("{section}.{name}"),
            };
            Self::Parameter(error.renamed(path))
        };
        match self {
            Self::Parameter(error)
            | Self::Calibration(dp_calibration::Error::Parameter(error))
            | Self::Sampler(dp_samplers::Error::Parameter(error)) => renamed(error),
            other => other,
        }
    }

    /// The error that the library prio reported in `operation`, with its `reason` as text.
    #[cfg(feature = "parties")]
    pub(crate) fn prio(operation: &'static str, reason: impl fmt::Display) -> Self {
        Self::Prio { operation, reason: reason.to_string() }
    }
}

/// `value` if it is in `accepted`, else an error that shows it; [`admits`] takes private values.
pub(crate) fn within<T: PartialOrd + fmt::Display>(
    name: &'static str,
    value: T,
    accepted: RangeInclusive<T>,
) -> Result<T, ParameterError> {
    if accepted.contains(&value) {
        return Ok(value);
    }
    let accepted = match accepted.into_inner() {
        (low, high) if low == high => low.to_string(),
        (low, high) => format!("an integer from {low} to {high}"),
    };
    Err(ParameterError::new(name, value, accepted))
}

/// `Ok` if a private `value` is in `accepted`. The error names the parameter and hides the value,
/// which belongs to a measurement.
#[cfg(feature = "parties")]
pub(crate) fn admits<T: PartialOrd + fmt::Display>(
    name: &'static str,
    value: &T,
    accepted: RangeInclusive<T>,
) -> Result<(), ParameterError> {
    let hide =
        |error: ParameterError| ParameterError::new(name, "hidden", error.accepted().to_owned());
    within(name, value, accepted.start()..=accepted.end()).map(drop).map_err(hide)
}
