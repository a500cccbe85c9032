//! Errors of the planner.

use dp_calibration::Refusal;
use dp_exact::{ParameterError, PrecisionError};

/// Why there is no plan, or why a policy is not in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is out of its range; the message names it, its value and the accepted range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// An input is missing, contradicts another one, is too costly or not available.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The certified arithmetic ran out of precision before it could decide.
    #[error(transparent)]
    Precision(#[from] PrecisionError),
    /// The policy does not apply to the job, for this reason.
    #[error("{0}")]
    Misfit(String),
    /// No noise keeps the budget.
    #[error(transparent)]
    Calibration(#[from] dp_calibration::Error),
    /// No policy has this noise.
    #[error(transparent)]
    Policy(#[from] dp_prio3::Error),
    /// The policy makes no valid task.
    #[error(transparent)]
    Task(#[from] dp_task::Error),
}

impl Error {
    /// The option of [`job_and_target`](crate::job_and_target) that the error is about, or another
    /// parameter that it names.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Parameter(error) => Some(error.name()),
            Self::Refused(Refusal::Missing { name, .. } | Refusal::Contradiction { name, .. }) => {
                Some(name)
            }
            _ => None,
        }
    }
}
