//! The test of one sampler, and what it found.

use std::fmt::{self, Debug, Formatter};
use std::hint::black_box;

use serde::Serialize;

use super::DRAWS;
use super::cache::Cache;
use super::classes::Subject;
use super::evidence::combined_t;
use super::rounds::{Verdict, measure};
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
    /// A table whose lines tell the outcome: what the test must see.
    Planted,
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
            Self::Planted => "planted",
        }
    }

    /// Whether its running time is promised to tell nothing.
    #[must_use]
    pub fn is_constant_time(self) -> bool {
        matches!(self, Self::ConstantTime | Self::ConstantTimeBulk)
    }
}

/// Seeds of a test. Each has other words, other labels, and tables at another place.
pub const SEEDS: u32 = 8;

/// A sampler before the clock, with the caches in some state.
pub struct Test {
    pub(super) sampler: &'static str,
    pub(super) parameter: &'static str,
    pub(super) variant: Option<&'static str>,
    pub(super) implementation: Implementation,
    pub(super) cache: Cache,
    pub(super) undecided: Option<u64>,
    pub(super) lines_tv: Option<f64>,
    pub(super) make: Box<dyn Fn() -> Result<Box<dyn Subject>, Error>>,
}

impl Test {
    /// Which sampler is tested.
    #[must_use]
    pub fn sampler(&self) -> &'static str {
        self.sampler
    }

    /// With which parameter.
    #[must_use]
    pub fn parameter(&self) -> &'static str {
        self.parameter
    }

    /// By which engine it draws; `None` where there is one alone.
    #[must_use]
    pub fn variant(&self) -> Option<&'static str> {
        self.variant
    }

    /// The total variation between the lines that small and large outcomes touch.
    #[must_use]
    pub fn lines_tv(&self) -> Option<f64> {
        self.lines_tv
    }

    /// What is timed, with tables of its own.
    ///
    /// # Errors
    /// If a sampler refuses its parameter; none does.
    pub fn subject(&self) -> Result<Box<dyn Subject>, Error> {
        (self.make)()
    }

    /// Which implementation is tested.
    #[must_use]
    pub fn implementation(&self) -> Implementation {
        self.implementation
    }

    /// With the caches in which state.
    #[must_use]
    pub fn cache(&self) -> Cache {
        self.cache
    }

    /// Makes about `samples` measurements with warm caches, [`SEEDS`] times the same number with each
    /// seed: a quarter of them where caches are thrashed, a twentieth where they are evicted or this is
    /// the slow reference.
    ///
    /// # Errors
    /// If the sampler does not repeat its draws.
    pub fn run(&self, samples: u32, cycles_per_nanosecond: f64) -> Result<Row, Error> {
        let samples = match (self.implementation, self.cache) {
            (Implementation::Reference | Implementation::Planted, _) | (_, Cache::Evicted) => {
                samples.div_ceil(20)
            }
            (_, Cache::Thrashed) => samples.div_ceil(4),
            (_, Cache::Warm) => samples,
        };
        let mut verdicts = Vec::new();
        for seed in 0..SEEDS {
            // What lies before the tables moves them, by a line more each time and by a page.
            let moved = black_box(vec![1_u8; seed as usize * (4096 + 64)]);
            let subject = &mut *self.subject()?;
            let samples = samples.div_ceil(SEEDS);
            verdicts.push(measure(subject, self.cache, samples, 11 + u64::from(seed))?);
            drop(moved);
        }
        let of = |column: fn(&Verdict) -> f64| verdicts.iter().map(column).collect::<Vec<_>>();
        let differences = of(|verdict| verdict.difference_ns);
        let difference_ns = differences.iter().sum::<f64>() / f64::from(SEEDS);
        Ok(Row {
            sampler: self.sampler,
            parameter: self.parameter,
            variant: self.variant,
            implementation: self.implementation,
            cache: self.cache,
            samples: verdicts.iter().map(|verdict| verdict.samples).sum(),
            t: combined_t(&of(|verdict| verdict.t)),
            null_t: combined_t(&of(|verdict| verdict.null_t)),
            difference_ns,
            cycles: difference_ns * cycles_per_nanosecond / DRAWS_AS_FLOAT,
            lines_tv: self.lines_tv,
            undecided: self.undecided,
        })
    }
}

/// Draws in a measurement.
const DRAWS_AS_FLOAT: f64 = 16.0;
const _: () = assert!(DRAWS == 16);

impl Debug for Test {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Test")
            .field("sampler", &self.sampler)
            .field("parameter", &self.parameter)
            .field("variant", &self.variant)
            .field("implementation", &self.implementation)
            .field("cache", &self.cache)
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
    /// By which engine; `None` where there is one alone.
    pub variant: Option<&'static str>,
    /// In which implementation.
    pub implementation: Implementation,
    /// What was done to the caches before each measurement.
    pub cache: Cache,
    /// Measurements of sixteen draws, of both classes and all seeds together.
    pub samples: u32,
    /// |t| of the two classes, combined over the seeds: [`combined_t`].
    pub t: f64,
    /// The same of the null control.
    pub null_t: f64,
    /// By how much sixteen draws take longer on average if they are large, or on bits that are 1.
    pub difference_ns: f64,
    /// The same for one draw, in cycles of the processor.
    pub cycles: f64,
    /// The total variation between the lines that small and large outcomes touch: [`lines_tv`](super::lines_tv). `None`
    /// where nothing is promised.
    pub lines_tv: Option<f64>,
    /// How many of 2^64 draws take longer than the others, at most, as the sampler states it;
    /// divided by 2^64, the δ that time can add to a draw. `None` where nothing is promised.
    pub undecided: Option<u64>,
}
