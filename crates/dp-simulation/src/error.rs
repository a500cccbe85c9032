//! Errors of simulations.

use dp_exact::{ParameterError, grouped};
use dp_prio3::Inadmissible;

/// An error of a simulation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter out of its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A party refused its set-up.
    #[error(transparent)]
    Policy(#[from] dp_prio3::Error),
    /// An aggregator could not add up its batches or release them.
    #[error(transparent)]
    Batch(#[from] dp_prio3::BatchError),
    /// Measurements that the policy does not admit.
    #[error("{place}: {first}; {}", refused_rows(*refused, *rows, *largest))]
    Rows {
        /// The first of their rows: its line in a file, or its number from 1.
        place: String,
        /// The reason why the policy does not admit the first one.
        first: Box<Inadmissible>,
        /// The number of rows that the policy does not admit.
        refused: usize,
        /// The number of all rows.
        rows: usize,
        /// The largest value that is out of range; `None` if the rows have another form.
        largest: Option<u128>,
    },
    /// The collector refused the aggregate shares.
    #[error(transparent)]
    Collect(#[from] dp_prio3::CollectError),
    /// The threads could not be started.
    #[error("threads: {0}")]
    Threads(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// How many of the rows the policy does not admit, and the largest value out of range, in words.
fn refused_rows(refused: usize, rows: usize, largest: Option<u128>) -> String {
    let counts = format!("{} of {} rows do not fit", grouped(refused), grouped(rows));
    match largest {
        Some(largest) => format!("{counts}, the largest value is {}", grouped(largest)),
        None => counts,
    }
}
