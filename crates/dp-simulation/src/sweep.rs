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

pub use crate::Law;
pub use crate::report::Functionality;
pub use data::{Data, Open, TableData, data_digest};
pub use dp_exact::{ParameterError, Refusal};
pub use dp_task::{Parameters, PolicyName};
pub use error::Error;
pub use file::{MAX_BYTES, Sweep};
pub use grid::{Cell, Grid, LeftOut, MAX_CELLS};
pub use plan::Plan;
pub use row::{COLUMNS, Row};
pub use run::Progress;
pub use summary::{Contender, Disagreement, Job, Results, Summary, TOLERANCE};
pub use table::{digest, is_own, read_csv, write_csv};
