//! What can go wrong.

use dp_exact::ParameterError;

use crate::program::ProgramError;

/// An audit that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter out of its range. The message names it, its value and what is accepted.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The policy, or one of its parties, refused.
    #[error(transparent)]
    Policy(#[from] dp_prio3::Error),
    /// The task refused.
    #[error(transparent)]
    Task(#[from] dp_task::Error),
    /// The calibration refused.
    #[error(transparent)]
    Calibration(#[from] dp_calibration::Error),
    /// A sampler refused its parameter, or a draw did not fit.
    #[error(transparent)]
    Sampler(#[from] dp_samplers::Error),
    /// The program that submits and collects gave no answer that can be used.
    #[error("{batch}: {source}")]
    Program {
        /// The batch that it was asked for.
        batch: String,
        /// Why.
        source: Box<ProgramError>,
    },
    /// Whatever is audited did not run, in its words.
    #[error("{0}")]
    Run(String),
}
