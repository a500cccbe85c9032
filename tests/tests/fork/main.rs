//! Two processes, one forked from the other: their draws, spending and releases.
#![cfg(unix)]

mod accounts;
#[cfg(target_os = "linux")]
mod containers;
mod generators;
mod reports;
mod stores;
