//! The test of one sampler, and what it found.

use std::fmt::{self, Debug, Formatter};

use serde::Serialize;

use super::classes::Subject;
use super::rounds::measure;
use crate::Error;

/// Which of our implementations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Implementation {
    /// The default, one draw at a time.
    ConstantTime,
    /// The default, sixteen draws at a time.
    ConstantTimeBulk,
    /// Simulation mode, which makes no promise.
    Simulation,
    /// The algorithms of Canonne, Kamath, Steinke 2020, as printed.
    Reference,
}

impl Implementation {
    /// The name in documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ConstantTime => "constant_time",
            Self::ConstantTimeBulk => "constant_time_bulk",
            Self::Simulation => "simulation",
            Self::Reference => "reference",
        }
    }

    /// Whether its running time is promised to tell nothing.
    #[must_use]
    pub fn is_constant_time(self) -> bool {
        matches!(self, Self::ConstantTime | Self::ConstantTimeBulk)
    }
}

/// A sampler before the clock.
pub struct Test {
    pub(super) sampler: &'static str,
    pub(super) parameter: &'static str,
    pub(super) implementation: Implementation,
    pub(super) undecided: Option<u64>,
    pub(super) subject: Box<dyn Subject>,
}

impl Test {
    /// Makes at least `samples` measurements, a twentieth of them if this is the slow reference.
    ///
    /// # Errors
    /// If the sampler does not repeat its draws.
    pub fn run(mut self, samples: u32) -> Result<Row, Error> {
        let samples = match self.implementation {
            Implementation::Reference => samples.div_ceil(20),
            _ => samples,
        };
        let verdict = measure(&mut *self.subject, samples, 11)?;
        Ok(Row {
            sampler: self.sampler,
            parameter: self.parameter,
            implementation: self.implementation,
            samples: verdict.samples,
            t: verdict.t,
            null_t: verdict.null_t,
            difference_ns: verdict.difference_ns,
            undecided: self.undecided,
        })
    }
}

impl Debug for Test {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Test")
            .field("sampler", &self.sampler)
            .field("parameter", &self.parameter)
            .field("implementation", &self.implementation)
            .finish_non_exhaustive()
    }
}

/// What a test found for a sampler.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Which sampler.
    pub sampler: &'static str,
    /// With which parameter.
    pub parameter: &'static str,
    /// In which implementation.
    pub implementation: Implementation,
    /// Measurements of sixteen draws, of both classes together.
    pub samples: u32,
    /// |t| of the two classes.
    pub t: f64,
    /// |t| of the null control.
    pub null_t: f64,
    /// By how much sixteen draws take longer on average if they are large, or on bits that are 1.
    pub difference_ns: f64,
    /// How many of 2^64 draws take longer than the others, at most, as the sampler states it;
    /// divided by 2^64, the δ that time can add to a draw. `None` where nothing is promised.
    pub undecided: Option<u64>,
}
