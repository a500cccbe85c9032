#![doc = include_str!("../README.md")]

#[cfg(unix)]
pub mod fork;
