//! [`dp-accounting`]: dp_accounting
//! [`dp-task`]: dp_task
#![doc = include_str!("../README.md")]

mod deployment;
mod error;
mod markdown;
mod people;
mod record;
mod risk;
mod statement;
mod total;

pub use deployment::{Deployment, FIELDS, Field, MAX_BYTES};
pub use error::Error;
pub use record::Record;
pub use risk::{OneIn, Percent, belief, exception};
pub use statement::{Stated, Statement, YEAR};
pub use total::{MAX_RELEASES, Total};
