#![doc = include_str!("../docs/checkpoints.md")]

mod error;
mod folder;
mod part_file;
mod run;
mod share;

pub use dp_exact::ParameterError;
pub use dp_files::FileError;
pub use error::CheckpointError;
pub use folder::RunFolder;
pub use part_file::PartFile;
pub use run::RunIdentity;
pub use share::Share;
