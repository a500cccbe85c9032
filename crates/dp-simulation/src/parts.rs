#![doc = include_str!("../docs/parts.md")]

mod claim;
mod error;
mod folder;
mod part;
mod run;
mod share;

pub use claim::Claim;
pub use dp_exact::{Forked, ParameterError};
pub use dp_files::FileError;
pub use error::PartsError;
pub use folder::{Folder, file_of_run, is_of_a_run};
pub use part::Part;
pub use run::Run;
pub use share::Share;
