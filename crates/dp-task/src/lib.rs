//! [`dp-grid`]: dp_grid
//! [`dp-prio3`]: dp_prio3
#![doc = include_str!("../README.md")]

mod build;
mod catalogue;
mod compensation;
mod digest;
mod document;
mod error;
mod exact;
mod fields;
mod grid;
mod read;
mod task;
mod types;
mod visitor;

pub use catalogue::{POLICIES, PolicyName};
pub use digest::Digest;
pub use document::{
    AggregatorNoise, Batch, BudgetKind, ClientNoise, Document, GridSection, Mechanism, Randomizer,
    Trust, VERSION, Vdaf, VdafType,
};
pub use error::Error;
pub use read::MAX_BYTES;
pub use task::Task;
pub use visitor::PolicyVisitor;
