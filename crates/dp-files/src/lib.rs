#![doc = include_str!("../README.md")]

mod error;
mod input;
#[allow(dead_code, reason = "for files that are written")]
mod system;

pub use error::{FileError, Reason};
pub use input::{Input, PATIENCE, read_limited};
