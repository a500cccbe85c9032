#![doc = include_str!("../README.md")]

mod directory_releases;

pub use directory_releases::DirectoryReleases;
