//! [`dp-prio3`]: dp_prio3
#![doc = include_str!("../README.md")]

mod directory_releases;

pub use directory_releases::DirectoryReleases;
