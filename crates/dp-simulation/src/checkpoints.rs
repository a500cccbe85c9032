#![doc = include_str!("../docs/checkpoints.md")]

mod error;
mod folder;
mod run;
mod share;

pub use dp_exact::ParameterError;
pub use dp_files::FileError;
pub use error::CheckpointError;
pub use folder::{PartFile, RunFolder};
pub use run::RunIdentity;
pub use share::Share;
