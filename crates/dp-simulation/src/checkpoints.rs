#![doc = include_str!("../docs/checkpoints.md")]

mod claim;
mod error;
mod folder;
mod part_file;
mod run;
mod share;

pub use claim::BlockClaim;
pub use dp_exact::{Forked, ParameterError};
pub use dp_files::FileError;
pub use error::CheckpointError;
pub use folder::RunFolder;
pub use part_file::PartFile;
pub use run::RunIdentity;
pub use share::Share;
