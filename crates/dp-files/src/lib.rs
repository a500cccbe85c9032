//! [`read_limited`]: crate::read_limited
#![doc = include_str!("../README.md")]

mod error;
mod input;

pub use error::FileError;
pub use input::{Input, PATIENCE, read_limited};
