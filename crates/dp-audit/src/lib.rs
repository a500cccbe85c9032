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
pub use claims::{Finding, GuaranteedPair, claims};
pub use conformance::{
    Collected, Conformance, ConformanceResult, ExpectedRelease, Fault, FaultStatus, Verdict,
};
pub use deployment::Deployment;
pub use dp_calibration::{Query, TrustModel};
pub use dp_exact::{Delta, ParameterError};
pub use dp_task::{FromMeasurement, Measurement, Task};
pub use error::Error;
pub use group::ProcessGroup;
pub use neighbours::{Neighbours, OwnedMeasurement};
pub use parties::InProcessDeployment;
pub use planted::FaultyPolicy;
pub use policy_audit::PolicyAudit;
pub use policy_views::PolicyViews;
pub use program::{Program, ProgramError};
pub use rand_core::{self, CryptoRng};
pub use request::{CollectionAnswer, CollectionRequest};
pub use submissions::Submissions;
pub use views::{FromFn, Generator, Input, Views};
pub use {dp_prio3, dp_task};
