#![doc = include_str!("../docs/sweep.md")]

mod data;
mod error;
mod file;
mod grid;
mod plan;
mod row;
mod run;
mod seed;
mod summary;
mod table;

pub use crate::ValueDistribution;
pub use crate::report::Functionality;
pub use data::{CsvSource, DataSource, OpenFile, data_digest};
pub use dp_exact::{ParameterError, Refusal};
pub use dp_task::{NoiseParameters, PolicyName};
pub use error::SweepError;
pub use file::{MAX_BYTES, Sweep};
pub use grid::{Cell, CellGrid, ExcludedPair, MAX_CELLS};
pub use plan::SweepPlan;
pub use row::{COLUMNS, SweepRow};
pub use run::Progress;
pub use summary::{Disagreement, RankedPolicy, SweepJob, SweepResults, SweepSummary, TOLERANCE};
pub use table::{digest, is_own, read_csv, write_csv};
