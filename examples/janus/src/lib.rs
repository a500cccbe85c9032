//! Differential privacy at both ends of a Janus deployment, with the released `janus_client` and
//! `janus_collector`.
//!
//! [Janus](https://github.com/divviup/janus) implements the Distributed Aggregation Protocol (DAP).
//! Its client takes a plain measurement, and its collector gives a plain result. So what happens
//! before and after is ours, whichever `prio` Janus is built on:
//!
//! - [`client`]: the answer is randomized on the device, the budget is kept there, and what is
//!   uploaded may be seen by anybody.
//! - [`collector`]: totals are read with their sign, corrected for the flips, given a standard
//!   error; the budget of the population is kept.
//! - [`task_config`]: the policy inside Janus's task configuration, so that all parties have the
//!   same one.
//!
//! In between run two servers. `tests/through_janus` runs both ends against stand-ins on this
//! machine, with real HPKE, real Prio3 and real HTTP; a deployment puts its own addresses and keys
//! in.

pub mod client;
pub mod collector;
mod survey;
pub mod task_config;

use dp_exact::ParameterError;
use dp_ledger::LedgerError;
use prio::codec::CodecError;

pub use survey::Survey;

/// Why a step failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An answer, a result or a configuration does not fit the survey or the policy.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// This client has answered in this round, or was interrupted while it did. A second answer
    /// would be randomized anew, and tell more than what was spent.
    #[error("this client has answered in the round {0}")]
    Answered(String),
    /// The budget of the client or of the population does not admit it. Nothing was spent.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// Janus did not take the report. The budget is spent: it may have left the device.
    #[error(transparent)]
    Upload(#[from] janus_client::Error),
    /// Janus gave no result.
    #[error(transparent)]
    Janus(#[from] janus_collector::Error),
    /// The noise of the task cannot be calibrated: no server runs such a task.
    #[error(transparent)]
    Noise(#[from] dp_libprio::Error),
    /// The bytes of a configuration are no policy.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// The policy of a configuration is not of its task.
    #[error(transparent)]
    Task(#[from] dp_task::Error),
}

/// The code of the guide compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/dap.md")]
struct Guide;
