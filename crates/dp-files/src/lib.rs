#![doc = include_str!("../README.md")]

mod durable;
mod error;
mod input;
mod output;

pub use durable::{
    create, create_folder, is_at, lock, open_regular, private, remove_leftovers, replace,
    sync_folder,
};
pub use error::{FileError, Reason};
pub use input::{Input, read_limited};
pub use output::OutputFile;
