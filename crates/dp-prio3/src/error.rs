//! The errors of policies and clients. The parties have errors of their own: `Rejection`,
//! `BatchError`, `CollectError`.

use std::fmt;
use std::ops::RangeInclusive;

use dp_calibration::Refusal;
use dp_exact::ParameterError;

use crate::policy::{AggregatorNoiseType, ClientNoiseType, VdafType};

/// An error of a policy or a client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter or a measurement out of its range. The message has its name, value and accepted
    /// range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// No policy combines this VDAF with these noises.
    #[error("no policy has {} with {}", vdaf.name(), noises(*client_noise, *aggregator_noise))]
    NoSuchPolicy {
        /// What is asked.
        vdaf: VdafType,
        /// What clients do.
        client_noise: Option<ClientNoiseType>,
        /// What aggregators add.
        aggregator_noise: Option<AggregatorNoiseType>,
    },
    /// The calibration refused, but for a parameter.
    #[error(transparent)]
    Calibration(Box<dp_calibration::Error>),
    /// A sampler or a local randomizer refused, but for a parameter, or a draw did not fit.
    #[error(transparent)]
    Sampler(dp_samplers::Error),
    /// The randomized measurement has more ones than the task admits, so it is not sent.
    ///
    /// This happens at the policy's false-positive rate. Do not draw again for the same
    /// measurement: that would change the distribution for which the guarantee is proved.
    #[error("the randomized report has more than {max_weight} ones: not sent, do not draw again")]
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
    /// One coordinate of these `measurements` cannot change alone.
    pub(crate) fn no_single_coordinate(measurements: &str) -> Self {
        dp_calibration::Error::from(Refusal::no_single_coordinate(measurements)).into()
    }

    /// The error that the library prio reported in `operation`, with its `reason` as text.
    pub(crate) fn prio(operation: &'static str, reason: impl fmt::Display) -> Self {
        Self::Prio { operation, reason: reason.to_string() }
    }
}

impl From<dp_calibration::Error> for Error {
    fn from(error: dp_calibration::Error) -> Self {
        match error {
            dp_calibration::Error::Parameter(error) => Self::Parameter(error),
            other => Self::Calibration(Box::new(other)),
        }
    }
}

impl From<dp_samplers::Error> for Error {
    fn from(error: dp_samplers::Error) -> Self {
        match error {
            dp_samplers::Error::Parameter(error) => Self::Parameter(error),
            other => Self::Sampler(other),
        }
    }
}

/// The types of noise at clients and at aggregators, in words.
fn noises(clients: Option<ClientNoiseType>, aggregators: Option<AggregatorNoiseType>) -> String {
    match (clients.map(ClientNoiseType::name), aggregators.map(AggregatorNoiseType::name)) {
        (Some(clients), Some(aggregators)) => format!("{clients} and {aggregators}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => "no noise".to_owned(),
    }
}

/// `value` if it is in `accepted`, else an error that shows it.
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
