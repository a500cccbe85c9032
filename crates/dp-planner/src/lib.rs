//! [`dp-accounting`]: dp_accounting
//! [`dp-amplification`]: dp_amplification
//! [`dp-calibration`]: dp_calibration
//! [`dp-task`]: dp_task
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod aggregator;
mod candidate;
mod client;
mod crowd;
mod document;
mod error;
mod errors;
mod expected;
mod job;
mod json;
mod moves;
mod noise;
mod plan;
mod planner;
mod pools;
mod promise;
mod question;
mod search;
mod sentences;
mod stated;
mod wanted;

pub use document::Strategy;
pub use dp_calibration::{Adjacency, Budget, Query, TrustModel};
pub use dp_exact::{Delta, Epsilon, Rational, Rho};
pub use dp_grid::Grid;
pub use dp_task::{PolicyName, Task};
pub use error::Error;
pub use errors::Errors;
pub use expected::errors_of;
pub use job::{Job, MAX_RELEASES};
pub use json::SCHEMA_VERSION;
pub use plan::{Choice, Excluded, Plan, choice_of, plan};
pub use promise::{Loose, Promise, Promises};
pub use question::Question;
pub use wanted::{Accuracy, Against, Amount, Scope, Wanted};
