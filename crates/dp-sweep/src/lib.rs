//! [`dp-simulation`]: dp_simulation
//! [`dp-task`]: dp_task
#![doc = include_str!("../README.md")]

mod data;
mod error;
mod grid;
mod plan;
mod row;
mod run;
mod seed;
mod sweep;
mod table;

pub use data::{Data, Law, Open, TableData};
pub use error::Error;
pub use grid::{Cell, Grid, LeftOut, MAX_CELLS};
pub use plan::Plan;
pub use row::{COLUMNS, Column, ColumnKind, Row, Value};
pub use run::Progress;
pub use sweep::{Functionality, MAX_BYTES, Sweep};
pub use table::{digest, is_own, read_csv, write_csv};
