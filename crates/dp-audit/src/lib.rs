//! [`dp-prio3`]: dp_prio3
//! [`dp-samplers`]: dp_samplers
//! [`dp-task`]: dp_task
#![doc = include_str!("../README.md")]

mod audit;
mod claims;
mod collections;
pub mod confidence;
mod conformance;
mod deployment;
mod error;
mod event;
mod group;
mod neighbours;
mod parties;
mod planted;
mod policy_audit;
mod policy_views;
mod program;
mod request;
mod sample;
mod score;
mod submissions;
mod views;

pub use audit::{Audit, LowerBound};
pub use claims::{Claim, Finding, claims};
pub use conformance::{Collected, Conformance, Conformity, Expected, Fault, Outcome, Verdict};
pub use deployment::Deployment;
pub use dp_calibration::{Query, TrustModel};
pub use dp_exact::{Delta, ParameterError};
pub use dp_task::{Measured, Measurement, Task};
pub use error::Error;
pub use group::ProcessGroup;
pub use neighbours::{Held, Neighbours};
pub use parties::Parties;
pub use planted::Planted;
pub use policy_audit::Questions;
pub use policy_views::PolicyViews;
pub use program::{Program, ProgramError};
pub use rand_core::{self, CryptoRng};
pub use request::{Answer, Request};
pub use submissions::Submissions;
pub use views::{FromFn, Generator, Input, Views};
pub use {dp_prio3, dp_task};
