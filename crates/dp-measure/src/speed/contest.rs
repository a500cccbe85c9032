//! All who do one kind of work, side by side.

use std::collections::BTreeMap;
use std::hint::black_box;

use dp_samplers::Variant;
use rand_core::SeedableRng;

use super::generator::Generator;
use super::row::{Mode, Row};
use super::work::Workload;
use crate::clock::{Contestant, Effort, race};
use crate::variant;

/// Which of our engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Engine {
    /// In which mode.
    pub mode: Mode,
    /// Its name, where the mode has several.
    pub variant: Option<&'static str>,
}

impl Engine {
    /// The default, where there is one alone.
    pub const CONSTANT_TIME: Self = Self {
        mode: Mode::ConstantTime,
        variant: None,
    };

    /// Simulation mode.
    pub const SIMULATION: Self = Self {
        mode: Mode::Simulation,
        variant: None,
    };

    /// The default, by one of its ways to draw.
    pub(super) fn by(variant: Variant) -> Self {
        Self {
            variant: Some(variant::name(variant)),
            ..Self::CONSTANT_TIME
        }
    }
}

/// How ours is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Call {
    /// A slice of 4096 at a time.
    Bulk,
    /// A slice of 256 at a time.
    Short,
    /// One at a time.
    Single,
}

/// Who does the work, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Column {
    /// Ours.
    Ours(Engine, Call),
    /// Ours, as the paper prints the algorithm.
    Reference,
    /// libprio.
    Prio,
    /// Inexact, on floats.
    Float,
}

impl Column {
    /// The name in benchmarks.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Ours(Engine { mode, variant }, call) => {
                let engine = variant.unwrap_or(mode.name());
                let call = match call {
                    Call::Bulk => "bulk",
                    Call::Short => "blocks of 256",
                    Call::Single => "single",
                };
                format!("{engine}, {call}")
            }
            Self::Reference => "reference".to_owned(),
            Self::Prio => "prio".to_owned(),
            Self::Float => "float".to_owned(),
        }
    }
}

/// All who do one workload with one kind of generator.
#[derive(Debug)]
pub struct Contest {
    workload: Workload,
    generator: Generator,
    columns: Vec<Column>,
    contestants: Vec<Contestant>,
}

/// Draws in a batch of fast samplers: their slice stays in the first cache.
pub(super) const FAST: u32 = 4096;

/// Draws in a short slice.
pub(super) const SHORT: u32 = 256;

/// Draws in a batch of samplers that take microseconds.
pub(super) const SLOW: u32 = 32;

impl Contest {
    pub(super) fn new(workload: Workload, generator: Generator) -> Self {
        Self {
            workload,
            generator,
            columns: Vec::new(),
            contestants: Vec::new(),
        }
    }

    /// Enters work that does `items` items in each call, with a generator of its own.
    pub(super) fn enter<R: SeedableRng + 'static>(
        &mut self,
        column: Column,
        items: u32,
        mut batch: impl FnMut(&mut R) + 'static,
    ) {
        let mut rng = R::seed_from_u64(7);
        self.columns.push(column);
        self.contestants
            .push(Contestant::new(items, move || batch(&mut rng)));
    }

    /// Enters a sampler that fills slices of `length` places.
    pub(super) fn enter_fill<R: SeedableRng + 'static>(
        &mut self,
        column: Column,
        length: u32,
        mut fill: impl FnMut(&mut R, &mut [i64]) + 'static,
    ) {
        let mut out = vec![0_i64; length as usize];
        self.enter(column, length, move |rng: &mut R| {
            fill(rng, black_box(&mut out));
        });
    }

    /// Enters a sampler of which each draw goes to a slice.
    pub(super) fn enter_draws<R: SeedableRng + 'static>(
        &mut self,
        column: Column,
        mut draw: impl FnMut(&mut R) -> i64 + 'static,
    ) {
        self.enter_fill(column, FAST, move |rng: &mut R, out| {
            for place in out {
                *place = draw(rng);
            }
        });
    }

    /// Enters a sampler that takes microseconds.
    pub(super) fn enter_slow<R: SeedableRng + 'static, T>(
        &mut self,
        column: Column,
        mut draw: impl FnMut(&mut R) -> T + 'static,
    ) {
        self.enter(column, SLOW, move |rng: &mut R| {
            for _ in 0..SLOW {
                black_box(draw(rng));
            }
        });
    }

    /// The work.
    #[must_use]
    pub fn workload(&self) -> Workload {
        self.workload
    }

    /// The generator that all use, as far as they take one.
    #[must_use]
    pub fn generator(&self) -> Generator {
        self.generator
    }

    /// Who takes part.
    pub fn contestants(&mut self) -> impl Iterator<Item = (Column, &mut Contestant)> {
        self.columns.iter().copied().zip(&mut self.contestants)
    }

    /// Measures all side by side: a row for each engine of ours.
    #[must_use]
    pub fn run(mut self, effort: Effort) -> Vec<Row> {
        let nanoseconds = race(&mut self.contestants, effort);
        let columns: BTreeMap<Column, f64> = self.columns.into_iter().zip(nanoseconds).collect();
        let of = |column| columns.get(&column).copied();
        let engines = columns.keys().filter_map(|column| match column {
            Column::Ours(engine, Call::Bulk) => Some(*engine),
            _ => None,
        });
        let row = |engine: Engine| Row {
            work: self.workload.work,
            parameter: self.workload.parameter,
            mode: engine.mode,
            variant: engine.variant,
            generator: self.generator,
            ours_bulk_ns: of(Column::Ours(engine, Call::Bulk)),
            ours_bulk_256_ns: of(Column::Ours(engine, Call::Short)),
            ours_single_ns: of(Column::Ours(engine, Call::Single)),
            reference_ns: of(Column::Reference),
            prio_ns: of(Column::Prio),
            float_ns: of(Column::Float),
        };
        engines.map(row).collect()
    }
}

/// Enters laws of ours, each a slice at a time, a short slice at a time, and one at a time. Their methods
/// belong to no trait. Every draw fits 64 bits.
macro_rules! enter_ours {
    (one $contest:expr, $generator:ty, $law:expr, $engine:expr) => {
        let law = ::std::rc::Rc::new($law);
        for (call, length) in [(Call::Bulk, FAST), (Call::Short, SHORT)] {
            let law = ::std::rc::Rc::clone(&law);
            let column = Column::Ours($engine, call);
            $contest.enter_fill(column, length, move |rng: &mut $generator, out| {
                law.fill(rng, out).unwrap_or(());
            });
        }
        let column = Column::Ours($engine, Call::Single);
        $contest.enter_draws(column, move |rng: &mut $generator| {
            law.sample_as(rng).unwrap_or(0)
        });
    };
    ($contest:expr, $generator:ty, $laws:expr, $simulated:expr) => {
        for (variant, law) in $laws {
            let engine = Engine::by(variant);
            enter_ours!(one $contest, $generator, law, engine);
        }
        enter_ours!(one $contest, $generator, $simulated, Engine::SIMULATION);
    };
}

pub(super) use enter_ours;
