#![doc = include_str!("../README.md")]

#[cfg(unix)]
pub mod fork;
#[cfg(target_os = "linux")]
pub mod memory;
