//! [`dp-calibration`]: dp_calibration
//! [`dp-task`]: dp_task
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod candidate;
mod client;
mod document;
mod error;
mod errors;
mod family;
mod fewest_clients;
mod guarantee;
mod job;
mod json;
mod plan;
mod question;
mod search;
mod sentences;
mod wanted;

pub use document::Strategy;
pub use dp_calibration::{Adjacency, Budget, Query, TrustModel};
pub use dp_exact::{Delta, Epsilon, Rational, Rho};
pub use dp_prio3::grid::Grid;
pub use dp_task::{PolicyName, Task};
pub use error::Error;
pub use errors::Errors;
pub use guarantee::{Guarantees, PairGuarantee, SlackReason};
pub use job::{Job, MAX_RELEASES};
pub use json::SCHEMA_VERSION;
pub use plan::{Choice, Excluded, OverAll, Plan, choice_of, plan, std_of};
pub use question::Question;
pub use wanted::{Accuracy, Against, Amount, Scope, Wanted};
