//! Errors of an audit.

use std::fmt::Display;

use dp_exact::ParameterError;

/// Why an audit cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is out of its range. The message names it, its value and the accepted range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The policy or one of its parties failed.
    #[error(transparent)]
    Policy(#[from] dp_prio3::Error),
    /// A sampler refused its parameter, or a draw was out of range.
    #[error(transparent)]
    Sampler(#[from] dp_samplers::Error),
    /// The audited mechanism or deployment did not run, for the reason in the text.
    #[error("{0}")]
    Run(String),
}

/// The refusal of a policy whose releases have no exact distribution that fits a table.
pub(crate) fn untestable(name: &str, value: impl Display, accepted: &str) -> Error {
    let accepted = format!("{accepted}; without collections, any policy can be audited");
    ParameterError::new(name, value, accepted).into()
}
