#![doc = include_str!("../docs/sweep.md")]

mod cells;
mod data;
mod error;
mod file;
mod plan;
mod rows;
mod run;
mod summary;

pub use crate::ValueDistribution;
pub use crate::report::Functionality;
pub use cells::{Cell, CellGrid, ExcludedPair, MAX_CELLS};
pub use data::{OpenFile, data_digest};
pub use dp_calibration::Refusal;
pub use dp_exact::ParameterError;
pub use dp_task::{MAX_BYTES, NoiseParameters, PolicyName};
pub use error::SweepError;
pub use file::{CsvSource, DataSource, Sweep};
pub use plan::SweepPlan;
pub use rows::{COLUMNS, SweepRow, digest, is_own, write_csv};
pub use summary::{Disagreement, RankedPolicy, SweepJob, SweepResults, SweepSummary, TOLERANCE};
