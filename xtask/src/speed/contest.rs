//! Measures all samplers that do one kind of work, in turns.

use std::fmt::Display;
use std::hint::black_box;
use std::time::{Duration, Instant};

use chacha20::ChaCha20Rng;
use dp_cli::Failure;
use rand_core::SeedableRng;

use super::{Row, Target};

/// About how long a timed window of batches lasts.
const WINDOW: Duration = Duration::from_millis(3);

/// The fewest items of a window: with few random items the fastest window is fast by luck.
const LEAST_ITEMS: u32 = 1000;

/// Largest number of timed windows of each contestant.
const WINDOWS: u32 = 24;
/// The time since the start of a contest after which no further round of windows begins.
const LIMIT: Duration = Duration::from_secs(1);

/// Items per batch of a fast sampler: their slice stays in the first-level cache.
pub(super) const FAST: u32 = 4096;

/// Items per batch of a sampler that takes microseconds.
const SLOW: u32 = 32;

/// The column of the table: our sampler in three ways, the reference, libprio, floats.
pub(super) enum Column {
    Bulk,
    Short,
    Single,
    Reference,
    Prio,
    Float,
}

/// Work to repeat: each call of `batch` does `items` items.
struct Contestant {
    column: Column,
    items: u32,
    batch: Box<dyn FnMut()>,
}

/// One line of the table and all contestants that do its work.
pub(super) struct Contest {
    row: Row,
    contestants: Vec<Contestant>,
}

impl Contest {
    pub(super) fn new(
        work: &'static str,
        parameter: &'static str,
        variant: &'static str,
        targets: &'static [Target],
    ) -> Self {
        let row = Row { work, parameter, variant, targets, ..Row::default() };
        let contestants = Vec::new();
        Self { row, contestants }
    }

    /// Enters work that does `items` items per call, with its own generator.
    pub(super) fn enter(
        &mut self,
        column: Column,
        items: u32,
        mut batch: impl FnMut(&mut ChaCha20Rng) + 'static,
    ) {
        let mut rng = ChaCha20Rng::seed_from_u64(7);
        self.contestants.push(Contestant {
            column,
            items,
            batch: Box::new(move || batch(&mut rng)),
        });
    }

    /// Enters a sampler that fills slices of `length` entries.
    pub(super) fn enter_fill(
        &mut self,
        column: Column,
        length: u32,
        mut fill: impl FnMut(&mut ChaCha20Rng, &mut [i64]) + 'static,
    ) {
        let mut out = vec![0_i64; length as usize];
        self.enter(column, length, move |rng| fill(rng, black_box(&mut out)));
    }

    /// Enters a sampler of single draws, which fill a slice one by one.
    pub(super) fn enter_draws(
        &mut self,
        column: Column,
        mut draw: impl FnMut(&mut ChaCha20Rng) -> i64 + 'static,
    ) {
        self.enter_fill(column, FAST, move |rng, out| out.fill_with(|| draw(rng)));
    }

    /// Enters a sampler of single draws that take microseconds.
    pub(super) fn enter_slow<T>(
        &mut self,
        column: Column,
        mut draw: impl FnMut(&mut ChaCha20Rng) -> T + 'static,
    ) {
        self.enter(column, SLOW, move |rng| {
            for _ in 0..SLOW {
                black_box(draw(rng));
            }
        });
    }

    /// Measures all contestants in turns: nanoseconds per item in the fastest window.
    pub(super) fn run(mut self) -> Row {
        let start = Instant::now();
        let batches = self.contestants.iter_mut().map(Contestant::batches);
        let batches: Vec<u32> = batches.collect();
        let mut fastest = vec![f64::INFINITY; batches.len()];
        for round in 0..WINDOWS {
            if round > 0 && start.elapsed() > LIMIT {
                break;
            }
            for ((one, &batches), fastest) in
                self.contestants.iter_mut().zip(&batches).zip(&mut fastest)
            {
                let items = f64::from(batches) * f64::from(one.items);
                *fastest = fastest.min(one.time(batches).as_secs_f64() * 1e9 / items);
            }
        }
        for (one, fastest) in self.contestants.iter().zip(fastest) {
            let place = match one.column {
                Column::Bulk => &mut self.row.ours_bulk_ns,
                Column::Short => &mut self.row.ours_bulk_256_ns,
                Column::Single => &mut self.row.ours_single_ns,
                Column::Reference => &mut self.row.reference_ns,
                Column::Prio => &mut self.row.prio_ns,
                Column::Float => &mut self.row.float_ns,
            };
            *place = Some(fastest);
        }
        self.row
    }
}

impl Contestant {
    /// The time that this number of batches takes.
    fn time(&mut self, batches: u32) -> Duration {
        let start = Instant::now();
        (0..batches).for_each(|_| (self.batch)());
        start.elapsed()
    }

    /// The number of batches that fill a window; finding it also warms up.
    fn batches(&mut self) -> u32 {
        let mut batches = 1;
        while self.time(batches) < WINDOW && batches < 1 << 20 {
            batches *= 2;
        }
        batches.max(LEAST_ITEMS.div_ceil(self.items))
    }
}

/// The error of a library that refuses a parameter that its documentation admits.
pub(super) fn refused(error: impl Display) -> Failure {
    Failure::other(std::io::Error::other(error.to_string()))
}
