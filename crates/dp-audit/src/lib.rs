#![doc = include_str!("../README.md")]

mod audit;
mod binomial;
mod confidence;
mod conformance;
mod error;
mod in_process;
mod neighbours;
mod policy_audit;
mod program;
mod submissions;

pub use audit::{Audit, Generator, Input, LowerBound, Run};
pub use conformance::{
    Collect, Collected, Conformance, ConformanceResult, ExpectedRelease, Fault, FaultStatus,
    LEAST_COLLECTIONS, Verdict,
};
pub use dp_calibration::{Query, TrustModel};
pub use dp_exact::{Delta, ParameterError};
pub use dp_prio3::{Measurement, Policy};
pub use dp_task::Task;
pub use error::Error;
pub use in_process::InProcessDeployment;
pub use neighbours::OwnedMeasurement;
pub use policy_audit::{Finding, PolicyAudit};
pub use program::Program;
pub use submissions::{CollectionAnswer, CollectionRequest, StatedTerms, Submissions};
pub use {dp_prio3, dp_task};
