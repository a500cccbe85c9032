//! [`dp-prio3`]: dp_prio3
#![doc = include_str!("../README.md")]

mod directory_releases;
mod directory_reports;
mod kept;
mod regular;

pub use directory_releases::DirectoryReleases;
pub use directory_reports::DirectoryReports;
pub use dp_prio3::releases::{ReleaseKey, ReleaseStore};
pub use dp_prio3::replay::{ReportKey, Seen, SeenReports, StoreError, Window};
pub use kept::is_of_a_store;
