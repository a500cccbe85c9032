//! Two processes, one forked from the other: what they draw, spend and release.
#![cfg(unix)]

mod accounts;
mod claims;
mod generators;
mod reports;
mod stores;
