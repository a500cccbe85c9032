//! The commands as a user types them.

mod calibrate;
mod calibrate_compose;
mod calibrate_ledger;
mod calibrate_more;
mod command_line;
mod command_line_batches;
mod common;
mod files;
mod files_signals;
#[cfg(unix)]
mod fuzz;
#[cfg(target_os = "linux")]
mod memory;
mod plan;
mod snapshot;
mod support;
mod tasks;
mod work;
