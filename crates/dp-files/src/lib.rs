#![doc = include_str!("../README.md")]

mod durable;
mod error;
mod input;
mod output;

pub use durable::{
    create, create_folder, create_private_folder, is_at, lock, open_regular, private,
    remove_leftovers, replace, sync_folder,
};
pub use error::{FileError, Reason};
pub use input::{Input, read_limited};
pub use output::{Found, OutputFile, Overwrite};

/// Makes a write beyond the limit of a file's size (`ulimit -f`) an error that can be reported, also one to standard
/// output: on Unix, the signal SIGXFSZ would end the process.
///
/// # Errors
/// If the system does not allow the signal to be caught.
pub fn catch_size_limit() -> std::io::Result<()> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default())?;
    Ok(())
}
