#![doc = include_str!("../README.md")]

#[cfg(unix)]
pub mod fork;
#[cfg(target_os = "linux")]
pub mod memory;

/// The code of the repository's README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub mod readme {}
