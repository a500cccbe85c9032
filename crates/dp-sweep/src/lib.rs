//! [`dp-simulation`]: dp_simulation
//! [`dp-task`]: dp_task
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod data;
mod error;
mod grid;
mod plan;
mod row;
mod run;
mod seed;
mod summary;
mod sweep;
mod table;

pub use data::{Data, Open, TableData, data_digest};
pub use dp_exact::{ParameterError, Refusal};
pub use dp_simulation::Law;
pub use dp_simulation::report::Functionality;
pub use dp_task::{Parameters, PolicyName};
pub use error::Error;
pub use grid::{Cell, Grid, LeftOut, MAX_CELLS};
pub use plan::Plan;
pub use row::{COLUMNS, Column, ColumnKind, Row, Value};
pub use run::Progress;
pub use summary::{Contender, Disagreement, Job, Results, Summary, TOLERANCE};
pub use sweep::{MAX_BYTES, Sweep};
pub use table::{digest, is_own, read_csv, write_csv};
