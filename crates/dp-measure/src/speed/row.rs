//! The figures of one workload, in one engine, with one generator.

use serde::Serialize;

use super::generator::Generator;
use super::work::Work;

/// Which of our implementations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The default.
    ConstantTime,
    /// Faster, and its running time tells the noise.
    Simulation,
}

impl Mode {
    /// The name in documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ConstantTime => "constant_time",
            Self::Simulation => "simulation",
        }
    }
}

/// Nanoseconds per item; `None` where a column has no meaning.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What is done.
    pub work: Work,
    /// With which parameter.
    pub parameter: &'static str,
    /// In which mode of ours.
    pub mode: Mode,
    /// By which of its ways to draw; `None` where the mode has one alone.
    pub variant: Option<&'static str>,
    /// With which generator.
    pub generator: Generator,
    /// Ours, a slice of 4096 at a time.
    pub ours_bulk_ns: Option<f64>,
    /// Ours, a slice of 256 at a time.
    pub ours_bulk_256_ns: Option<f64>,
    /// Ours, one at a time.
    pub ours_single_ns: Option<f64>,
    /// Ours, as the paper prints the algorithm.
    pub reference_ns: Option<f64>,
    /// libprio's.
    pub prio_ns: Option<f64>,
    /// Inexact, on floats.
    pub float_ns: Option<f64>,
}
