//! [`dp-prio3`]: dp_prio3
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod build;
mod catalogue;
mod digest;
mod document;
mod error;
mod measurement;
mod named;
mod read;
mod task;

pub use build::PolicyVisitor;
pub use catalogue::{POLICIES, PolicyName};
pub use digest::Digest;
pub use document::{
    AggregatorNoise, Batch, ClientNoise, Document, Mechanism, Randomizer, Range, Size, Trust,
    VERSION, Vdaf, VdafType, Version,
};
pub use dp_calibration::Budget;
pub use dp_exact::{Delta, Epsilon, ParameterError, Rational};
pub use dp_prio3;
pub use dp_prio3::grid::Grid;
pub use error::Error;
pub use measurement::{Measured, Measurement};
pub use named::{Parameters, Survey};
pub use read::MAX_BYTES;
pub use task::Task;
