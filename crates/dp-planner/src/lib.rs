//! [strategy matrix]: dp_calibration::strategy_matrix
//! [`dp-calibration`]: dp_calibration
//! [`dp-libprio`]: dp_libprio
//! [`dp-task`]: dp_task
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod advice;
mod applicability;
mod error;
mod estimate_errors;
mod fewest_clients;
mod guarantee;
mod job;
mod json;
mod local_noise;
mod parameter_search;
mod plan;
mod policy_choice;
mod policy_for_job;
mod request;
mod target;

pub use applicability::vdaf_of;
pub use dp_calibration::strategy_matrix::Workload;
pub use dp_calibration::{Adjacency, Budget, Query, TrustModel};
pub use dp_exact::{Delta, Epsilon, Rational, Rho};
pub use dp_libprio::Strategy;
pub use dp_prio3::grid::Grid;
pub use dp_task::{PolicyName, Task};
pub use error::Error;
pub use estimate_errors::{EstimateErrors, normal_margin_95};
pub use guarantee::{Guarantees, PairGuarantee, SlackReason, slack_words};
pub use job::{Job, MAX_RELEASES};
pub use json::SCHEMA_VERSION;
pub use plan::{ExcludedPolicy, Plan, plan, policy_choice, std_of};
pub use policy_choice::PolicyChoice;
pub use request::job_and_target;
pub use target::{Accuracy, BudgetScope, ErrorBound, Target, trust_model_against};
