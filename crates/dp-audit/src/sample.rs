//! Views of many runs: drawn in parallel, the same whatever the number of threads.

use rand_chacha::rand_core::SeedableRng as _;
use rayon::prelude::*;

use crate::Error;
use crate::views::{Generator, Input, Views};

/// Runs that share a generator.
const CHUNK: usize = 4096;

/// What runs are made for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// To find scores.
    Fitting = 1,
    /// To find the event among the scores.
    Choosing = 2,
    /// To measure its probabilities.
    Measuring = 3,
}

/// Views of one input, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    width: usize,
    values: Vec<i64>,
}

impl Sample {
    /// So many runs.
    pub(crate) fn draw(
        views: &dyn Views,
        input: Input,
        runs: usize,
        seed: u64,
        purpose: Purpose,
    ) -> Result<Self, Error> {
        let width = views.width();
        let parts = chunks(views, input, runs, seed, purpose, &|part: &[i64]| part.to_vec())?;
        let values = parts.concat();
        Ok(Self { width, values })
    }

    pub(crate) const fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[i64]> + Clone {
        self.values.chunks_exact(self.width)
    }

    /// One coordinate of all views.
    pub(crate) fn column(&self, place: usize) -> impl Iterator<Item = i64> + Clone + '_ {
        self.values.iter().skip(place).step_by(self.width).copied()
    }
}

/// In how many of so many runs something is seen.
pub(crate) fn count(
    views: &dyn Views,
    input: Input,
    runs: usize,
    seed: u64,
    seen: &(dyn Fn(&[i64]) -> Vec<bool> + Sync),
) -> Result<Vec<u64>, Error> {
    let width = views.width();
    let parts = chunks(views, input, runs, seed, Purpose::Measuring, &|part| {
        let mut counts: Vec<u64> = Vec::new();
        for view in part.chunks_exact(width) {
            let seen = seen(view);
            counts.resize(seen.len(), 0);
            counts.iter_mut().zip(seen).for_each(|(count, seen)| *count += u64::from(seen));
        }
        counts
    })?;
    let add = |mut sum: Vec<u64>, part: Vec<u64>| {
        sum.resize(sum.len().max(part.len()), 0);
        sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        sum
    };
    Ok(parts.into_iter().fold(Vec::new(), add))
}

/// Something of each chunk of runs, in order.
fn chunks<T: Send>(
    views: &dyn Views,
    input: Input,
    runs: usize,
    seed: u64,
    purpose: Purpose,
    taken: &(dyn Fn(&[i64]) -> T + Sync),
) -> Result<Vec<T>, Error> {
    let width = views.width();
    let chunk = |number: usize| {
        let count = CHUNK.min(runs - number * CHUNK);
        let mut generator = generator(seed, purpose, input, number);
        let mut values = vec![0; count * width];
        for view in values.chunks_exact_mut(width) {
            views.observe(input, &mut generator, view)?;
        }
        Ok(taken(&values))
    };
    (0..runs.div_ceil(CHUNK)).into_par_iter().map(chunk).collect()
}

fn generator(seed: u64, purpose: Purpose, input: Input, chunk: usize) -> Generator {
    let mut key = [0; 32];
    let words = [seed, purpose as u64, input.index() as u64, chunk as u64];
    for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    Generator::from_seed(key)
}
