//! Views of many runs, drawn in parallel. They do not depend on the number of threads.

use rayon::prelude::*;

use crate::Error;
use crate::views::{Input, Views, generator};

/// Number of runs that share a random generator.
const CHUNK: usize = 4096;

/// The purpose of runs. Runs for different purposes are independent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RunPurpose {
    /// To find scores.
    Fitting = 1,
    /// To choose the event among the scores.
    Choosing = 2,
    /// To measure the probabilities of the event.
    Measuring = 3,
}

/// Views of runs on one input.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// Number of integers of a view.
    width: usize,
    /// The integers of all views, one view after the other.
    values: Vec<i64>,
}

impl Sample {
    /// Draws the views of `runs` runs on `input`.
    pub(crate) fn draw(
        views: &dyn Views,
        input: Input,
        runs: usize,
        seed: u64,
        purpose: RunPurpose,
    ) -> Result<Self, Error> {
        let chunks = chunks(views, input, runs, seed, purpose, &|chunk: &[i64]| chunk.to_vec())?;
        Ok(Self { width: views.width(), values: chunks.concat() })
    }

    pub(crate) const fn width(&self) -> usize {
        self.width
    }

    /// The views of the sample, in the order of the runs.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[i64]> + Clone {
        self.values.chunks_exact(self.width)
    }

    /// The integer at index `place` of every view.
    pub(crate) fn column(&self, place: usize) -> impl Iterator<Item = i64> + Clone + '_ {
        self.values.iter().skip(place).step_by(self.width).copied()
    }
}

/// For each event, the number of `runs` fresh runs on `input` in which the event holds. `holds`
/// says for a view whether each of the `events` events holds.
pub(crate) fn count(
    views: &dyn Views,
    input: Input,
    runs: usize,
    seed: u64,
    events: usize,
    holds: &(dyn Fn(&[i64]) -> Vec<bool> + Sync),
) -> Result<Vec<u64>, Error> {
    let width = views.width();
    let add = |counts: &mut [u64], more: &mut dyn Iterator<Item = u64>| {
        counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
    };
    let chunks = chunks(views, input, runs, seed, RunPurpose::Measuring, &|chunk| {
        let mut counts = vec![0; events];
        for view in chunk.chunks_exact(width) {
            add(&mut counts, &mut holds(view).into_iter().map(u64::from));
        }
        counts
    })?;
    let mut counts = vec![0; events];
    chunks.into_iter().for_each(|chunk| add(&mut counts, &mut chunk.into_iter()));
    Ok(counts)
}

/// Runs the mechanism `runs` times: the result of `take` for the views of each chunk, in order.
fn chunks<T: Send>(
    views: &dyn Views,
    input: Input,
    runs: usize,
    seed: u64,
    purpose: RunPurpose,
    take: &(dyn Fn(&[i64]) -> T + Sync),
) -> Result<Vec<T>, Error> {
    let width = views.width();
    let chunk = |number: usize| {
        let count = CHUNK.min(runs - number * CHUNK);
        let words = [seed, purpose as u64, input.index() as u64, number as u64];
        let mut generator = generator(words);
        let mut values = vec![0; count * width];
        for view in values.chunks_exact_mut(width) {
            views.observe(input, &mut generator, view)?;
        }
        Ok(take(&values))
    };
    (0..runs.div_ceil(CHUNK)).into_par_iter().map(chunk).collect()
}
