#![doc = include_str!("../README.md")]

pub mod clock;
pub mod instructions;
pub mod speed;
pub mod timing;

mod error;
mod flip;

pub use error::Error;
