//! [`dp-planner`]: dp_planner
#![cfg_attr(feature = "simulation", doc = "[`dp-simulation`]: dp_simulation")]
#![cfg_attr(not(feature = "simulation"), doc = "[`dp-simulation`]: crate")]
#![doc = include_str!("../README.md")]

pub mod chart;
pub mod html;
pub mod lines;
pub mod model;
pub mod plan;
#[cfg(feature = "simulation")]
pub mod simulation;

mod figures;
mod folded;

pub use model::Report;
