//! Errors of simulations.

use dp_exact::ParameterError;

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
    /// A client's measurement is not one that the policy admits.
    #[error("client {client}: {source}")]
    Client {
        /// Which client, from 0.
        client: u64,
        /// The error.
        source: dp_prio3::Error,
    },
    /// The collector refused the aggregate shares.
    #[error(transparent)]
    Collect(#[from] dp_prio3::CollectError),
    /// The threads could not be started.
    #[error("threads: {0}")]
    Threads(#[source] Box<dyn std::error::Error + Send + Sync>),
}
