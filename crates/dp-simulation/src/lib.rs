//! [`dp-prio3`]: dp_prio3
#![doc = include_str!("../README.md")]

pub mod data;
pub mod report;

mod error;
mod outcome;
mod population;
mod simulation;
mod streams;
mod tally;

pub use error::Error;
pub use outcome::{Coordinate, Outcome, Stages, Summary, Trial};
pub use population::Population;
pub use simulation::{Progress, Simulation};
pub use tally::Tally;
