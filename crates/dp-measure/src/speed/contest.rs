//! All who do one kind of work, side by side.

use std::collections::BTreeMap;
use std::hint::black_box;

use rand_core::SeedableRng;

use super::generator::Generator;
use super::row::{Mode, Row};
use super::work::Workload;
use crate::clock::{Contestant, Effort, race};

/// Who does the work, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Column {
    /// Ours, a slice at a time.
    Bulk,
    /// Ours, one at a time.
    Single,
    /// Ours in simulation mode, a slice at a time.
    SimulationBulk,
    /// Ours in simulation mode, one at a time.
    SimulationSingle,
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
    pub fn name(self) -> &'static str {
        match self {
            Self::Bulk => "bulk",
            Self::Single => "single",
            Self::SimulationBulk => "simulation, bulk",
            Self::SimulationSingle => "simulation, single",
            Self::Reference => "reference",
            Self::Prio => "prio",
            Self::Float => "float",
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
pub(super) const FAST: u32 = 2048;

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

    /// Enters a sampler that fills a slice of [`FAST`] places.
    pub(super) fn enter_fill<R: SeedableRng + 'static>(
        &mut self,
        column: Column,
        mut fill: impl FnMut(&mut R, &mut [i64]) + 'static,
    ) {
        let mut out = [0_i64; FAST as usize];
        self.enter(column, FAST, move |rng: &mut R| {
            fill(rng, black_box(&mut out));
        });
    }

    /// Enters a sampler of which each draw goes to a slice.
    pub(super) fn enter_draws<R: SeedableRng + 'static>(
        &mut self,
        column: Column,
        mut draw: impl FnMut(&mut R) -> i64 + 'static,
    ) {
        self.enter_fill(column, move |rng: &mut R, out| {
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

    /// Measures all side by side: a row for each mode of ours.
    #[must_use]
    pub fn run(mut self, effort: Effort) -> Vec<Row> {
        let nanoseconds = race(&mut self.contestants, effort);
        let columns: BTreeMap<Column, f64> = self.columns.into_iter().zip(nanoseconds).collect();
        let of = |column| columns.get(&column).copied();
        let modes = [
            (Mode::ConstantTime, Column::Bulk, Column::Single),
            (
                Mode::Simulation,
                Column::SimulationBulk,
                Column::SimulationSingle,
            ),
        ];
        let measured = modes
            .into_iter()
            .filter(|(_, bulk, _)| columns.contains_key(bulk));
        let row = |(mode, bulk, single)| Row {
            work: self.workload.work,
            parameter: self.workload.parameter,
            mode,
            generator: self.generator,
            ours_bulk_ns: of(bulk),
            ours_single_ns: of(single),
            reference_ns: of(Column::Reference),
            prio_ns: of(Column::Prio),
            float_ns: of(Column::Float),
        };
        measured.map(row).collect()
    }
}

/// Enters a law of ours in both modes, a slice at a time and one at a time. Its methods belong to
/// no trait. Every draw fits 64 bits.
macro_rules! enter_ours {
    ($contest:expr, $generator:ty, $law:expr, $simulated:expr) => {
        enter_ours!($contest, $generator, $law, Bulk, Single);
        enter_ours!(
            $contest,
            $generator,
            $simulated,
            SimulationBulk,
            SimulationSingle
        );
    };
    ($contest:expr, $generator:ty, $law:expr, $bulk:ident, $single:ident) => {
        let law = ::std::rc::Rc::new($law);
        let bulk = ::std::rc::Rc::clone(&law);
        $contest.enter_fill(Column::$bulk, move |rng: &mut $generator, out| {
            bulk.fill(rng, out).unwrap_or(());
        });
        $contest.enter_draws(Column::$single, move |rng: &mut $generator| {
            law.sample_as(rng).unwrap_or(0)
        });
    };
}

pub(super) use enter_ours;
