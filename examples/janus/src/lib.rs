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

pub use survey::Survey;

/// The code of the guide compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/dap.md")]
struct Guide;
