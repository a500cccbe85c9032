//! Why there is no sweep. Each message is one line.

use dp_exact::{ParameterError, Refusal, shown};

/// Why there is no sweep.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// The file is longer than [`MAX_BYTES`](crate::sweep::MAX_BYTES).
    #[error("the sweep is longer than {max} bytes")]
    TooLong {
        /// The most that is read.
        max: usize,
    },
    /// It is not TOML.
    #[error("not a sweep in TOML: {reason}")]
    Syntax {
        /// Where and why.
        reason: String,
    },
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
    /// The policy of a cell cannot be built.
    #[error(transparent)]
    Task(#[from] dp_task::Error),
    /// A simulation does not run to its end.
    #[error(transparent)]
    Simulation(#[from] crate::Error),
    /// A guarantee cannot be converted.
    #[error(transparent)]
    Calibration(#[from] dp_calibration::Error),
    /// The threads could not be started.
    #[error("threads: {0}")]
    Threads(#[source] Box<dyn std::error::Error + Send + Sync>),
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
    /// Rows that were written before cannot be read.
    #[error("rows of a sweep: {reason}")]
    Rows {
        /// Why.
        reason: String,
    },
}

impl SweepError {
    pub(crate) fn syntax(reason: impl ToString) -> Self {
        Self::Syntax { reason: shown(reason.to_string().replace('\n', " ")) }
    }

    pub(crate) fn rows(reason: impl ToString) -> Self {
        Self::Rows { reason: shown(reason.to_string()) }
    }

    /// Whether the answer would take too long.
    #[must_use]
    pub fn is_too_costly(&self) -> bool {
        match self {
            Self::Refused(refusal) => refusal.is_too_costly(),
            Self::Calibration(error) => error.is_too_costly(),
            Self::Task(dp_task::Error::Policy { source, .. }) => {
                matches!(source, dp_prio3::Error::Calibration(error) if error.is_too_costly())
            }
            Self::Cell { source, .. } => source.is_too_costly(),
            _ => false,
        }
    }
}
