#![doc = include_str!("../README.md")]

mod direct;
mod error;
mod input;
mod output;
mod overwrite;
mod place;
mod signals;
mod system;
mod temporary;

pub use error::{FileError, Reason};
pub use input::{Input, PATIENCE, read_limited};
pub use output::OutputFile;
pub use overwrite::{Found, Overwrite};
pub use signals::catch_size_limit;
pub use temporary::remove_leftovers;
