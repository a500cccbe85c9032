//! [`dp-planner`]: dp_planner
#![cfg_attr(feature = "simulation", doc = "[`dp-simulation`]: dp_simulation")]
#![cfg_attr(not(feature = "simulation"), doc = "[`dp-simulation`]: crate")]
//! [risk]: proofs::risk
//! [statement]: proofs::statement
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod html;
pub mod model;
pub mod plan;
#[cfg(feature = "simulation")]
pub mod simulation;
#[cfg(feature = "statement")]
pub mod statement;
pub mod text;

mod chart;
mod figures;
mod guarantee;
mod risk;

pub use dp_planner;
#[cfg(feature = "simulation")]
pub use dp_simulation;
pub use model::Report;

/// The proofs behind the figures, and the statement that a deployment publishes.
pub mod proofs {
    #[doc = include_str!("../docs/risk.md")]
    pub mod risk {}
    #[doc = include_str!("../docs/statement.md")]
    pub mod statement {}
}

/// The text in the head of a report's file that tells this crate, its version and the kind of
/// report.
fn generator(report: &Report) -> String {
    format!("dp-report {}, {}", env!("CARGO_PKG_VERSION"), report.kind)
}

/// The last line of a report: its program and the nature of its figures.
fn colophon() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "Written by dp-report {version}. Bounds on privacy are proved and rounded to the safe side; errors are predicted, \
         or observed where that is said."
    )
}
