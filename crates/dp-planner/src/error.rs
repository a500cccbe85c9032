//! What can go wrong.

use dp_exact::{ParameterError, PrecisionError, Refusal};

/// Why there is no plan, or why a policy is not in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is out of its range; the message names it, its value and what is accepted.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Something is missing, contradicts something else, is too costly or not available.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The certified arithmetic ran out of precision before it could decide.
    #[error(transparent)]
    Precision(#[from] PrecisionError),
    /// The policy is not for the job: why.
    #[error("{0}")]
    Misfit(String),
    /// There is no noise for this budget.
    #[error(transparent)]
    Calibration(#[from] dp_calibration::Error),
    /// There is no policy with this noise.
    #[error(transparent)]
    Policy(#[from] dp_prio3::Error),
    /// The policy makes no task.
    #[error(transparent)]
    Task(#[from] dp_task::Error),
}
