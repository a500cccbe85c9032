#![doc = include_str!("../README.md")]

mod durable;
mod error;
mod input;
mod output;
mod owner_process;

pub use durable::{
    create, create_folder, folder_of, is_at, lock, open_regular, private, remove_leftovers,
    replace, sync_folder,
};
pub use error::{FileError, Reason};
pub use input::{Input, read_limited};
pub use output::{OutputFile, first_mixed, lead_to_one_file};
pub use owner_process::{Forked, OwnerProcess};
