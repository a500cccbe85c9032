//! Why there is no sweep. Each message is one line.

use dp_calibration::Refusal;
use dp_exact::ParameterError;

/// Why there is no sweep.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// A value that is not accepted; its name is the path of the key.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Something is missing, contradicts something else, or takes too long.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The data cannot be read as the sweep says.
    #[error(transparent)]
    Data(#[from] crate::data::DataError),
    /// The file of the data cannot be opened.
    #[error("{0}")]
    Open(Box<dyn std::error::Error + Send + Sync>),
    /// The file is too long or not TOML, or the policy of a cell cannot be built.
    #[error(transparent)]
    Task(#[from] dp_task::Error),
    /// A simulation does not run to its end.
    #[error(transparent)]
    Simulation(#[from] crate::Error),
    /// A guarantee cannot be converted.
    #[error(transparent)]
    Calibration(#[from] dp_calibration::Error),
    /// Something is wrong in one cell.
    #[error("cell {number} ({cell}): {source}")]
    Cell {
        /// The cell's number, from 1.
        number: u64,
        /// Its parameters.
        cell: String,
        /// The error.
        source: Box<Self>,
    },
}
