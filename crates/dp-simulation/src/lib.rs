//! [`dp-prio3`]: dp_prio3
//! [`dp-task`]: dp_task
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod data;
pub mod report;

mod bucket_axis;
mod consistent;
mod error;
mod ideal;
mod measurements;
mod memory;
mod outcome;
mod parties;
mod percentiles;
mod population;
mod simulation;
mod streams;
mod synthetic;
mod units;
mod workers;

pub use bucket_axis::BucketAxis;
pub use consistent::Consistency;
pub use dp_exact::Rational;
pub use error::Error;
pub use measurements::{MAX_COUNT, Measurements};
pub use outcome::{
    Coordinate, CountSummary, DistributionEstimate, DistributionSummary, ErrorStatistics,
    MAX_COORDINATES, MIN_TRIALS, Outcome, OutcomeBuilder, PercentileEstimate, PercentileSummary,
    Summary, Trial, TrialRecords,
};
pub use percentiles::{PercentilesAndRanges, range_value};
pub use population::Population;
pub use simulation::{Progress, Simulation};
pub use synthetic::{ValueDistribution, entries_in_words, values_in_words};
pub use units::GridUnits;
pub use {dp_prio3, dp_task};
