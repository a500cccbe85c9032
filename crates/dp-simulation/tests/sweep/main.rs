//! Sweeps: what is read and refused, which cells there are, and what they give.

mod cells;
mod common;
mod file;
mod rows;
