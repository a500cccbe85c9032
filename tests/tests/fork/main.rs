//! Two processes, one forked from the other: their draws, spending and releases.
#![cfg(unix)]

mod accounts;
mod generators;
mod reports;
mod stores;
