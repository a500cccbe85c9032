//! The commands as a user types them.

mod audit;
mod calibrate;
mod calibrate_compose;
mod calibrate_ledger;
mod calibrate_ledger_entries;
mod calibrate_ledger_times;
mod calibrate_more;
mod calibrate_queries;
mod calibrate_schedule;
mod certificates;
#[cfg(unix)]
mod checkpoints;
mod command_line;
mod command_line_batches;
mod common;
mod counts;
mod errors_agree;
mod files;
#[cfg(unix)]
mod fuzz;
mod guessed;
#[cfg(target_os = "linux")]
mod memory;
mod own_data;
mod plan;
#[cfg(unix)]
mod readme;
mod replaced;
mod reports;
mod schema;
mod shells;
mod snapshot;
mod statement;
mod support;
mod sweep;
mod synthetic;
mod tasks;
mod work;
