//! [`dp-planner`]: dp_planner
#![cfg_attr(feature = "simulation", doc = "[`dp-simulation`]: dp_simulation")]
#![cfg_attr(not(feature = "simulation"), doc = "[`dp-simulation`]: crate")]
//! [docs/risk.md]: proofs::risk
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod chart;
pub mod html;
pub mod lines;
pub mod markdown;
pub mod model;
pub mod plan;
#[cfg(feature = "simulation")]
pub mod simulation;
#[cfg(feature = "statement")]
pub mod statement;
#[cfg(feature = "simulation")]
pub mod sweep;

mod figures;
mod folded;
mod promised;
mod risk;
mod sections;
mod verdict;

pub use promised::Promised;

pub use dp_planner;
pub use dp_prio3::Guarantee;
#[cfg(feature = "simulation")]
pub use dp_simulation;
pub use model::Report;

/// The proofs behind the figures.
pub mod proofs {
    #[doc = include_str!("../docs/risk.md")]
    pub mod risk {}
}

/// What the file of a report says of itself at its beginning.
pub(crate) fn generator(report: &Report) -> String {
    format!("dp-report {}, {}", env!("CARGO_PKG_VERSION"), report.kind)
}

/// The kind of a report whose file says this of itself.
pub(crate) fn kind(generator: &[u8]) -> Option<&str> {
    let text = str::from_utf8(generator).ok()?;
    let (_, kind) = text.strip_prefix("dp-report ")?.split_once(", ")?;
    let is_word = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_lowercase());
    is_word.then_some(kind)
}

/// Who wrote a report.
pub(crate) fn colophon() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "Written by dp-report {version}. Bounds on privacy are proved and rounded to the safe side; errors are predicted, \
         or observed where that is said."
    )
}
