#![doc = include_str!("../README.md")]

pub mod callgrind;
pub mod clock;
mod columns;
pub mod constant_time;
pub mod instructions;
pub mod speed;
pub mod timing;

mod error;
mod flip;
mod variant;

pub use error::Error;
