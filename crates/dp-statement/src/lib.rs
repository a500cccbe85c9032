//! [`dp-task`]: dp_task
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod deployment;
mod error;
mod markdown;
mod people;
mod record;
mod risk;
mod statement;
mod total;

pub use deployment::{Deployment, FIELDS, Field, MAX_BYTES, template};
pub use dp_calibration::TrustModel;
pub use dp_exact::{ParameterError, Rational, Refusal};
pub use dp_prio3::Guarantee;
pub use dp_task::Task;
pub use error::Error;
pub use num_bigint::BigInt;
pub use record::Record;
pub use risk::{OneIn, Percent, belief, exception};
pub use statement::{Stated, Statement, YEAR};
pub use total::{MAX_RELEASES, Total};

/// Whether a file that begins like this is a page for people that this crate wrote.
#[must_use]
pub fn is_page(beginning: &[u8]) -> bool {
    beginning.starts_with(people::BEGINNING.as_bytes())
}

/// Whether a file that begins like this is a record for machines that this crate wrote.
#[must_use]
pub fn is_record(beginning: &[u8]) -> bool {
    beginning.starts_with(record::BEGINNING.as_bytes())
}
