//! Views of many runs, drawn in parallel. They do not depend on the number of threads.

use dp_exact::directed::to_index;
use rayon::prelude::*;

use crate::Error;
use crate::views::{Input, Views, generator};

/// Number of runs that share a random generator.
const CHUNK: u64 = 4096;

/// The purpose of runs: to find scores, to choose the event among them, to measure its
/// probabilities. Runs for different purposes are independent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RunPurpose {
    Fitting = 1,
    Choosing = 2,
    Measuring = 3,
}

/// Views of runs on one input.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// Number of integers of a view.
    pub(crate) width: usize,
    /// The integers of all views, one view after the other.
    values: Vec<i64>,
}

impl Sample {
    /// Draws the views of `runs` runs on each input.
    pub(crate) fn pair(
        views: &dyn Views,
        runs: u64,
        seed: u64,
        purpose: RunPurpose,
    ) -> Result<[Self; 2], Error> {
        let draw = |input| {
            let chunks = chunks(views, input, runs, seed, purpose, &|chunk: &[i64]| chunk.to_vec());
            Ok::<_, Error>(Self { width: views.width(), values: chunks?.concat() })
        };
        Ok([draw(Input::First)?, draw(Input::Second)?])
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

/// For each event, the number of `runs` fresh runs on `input` in which the event holds. `events`
/// say whether they hold for a view.
pub(crate) fn count<E: Fn(&[i64]) -> bool + Sync>(
    views: &dyn Views,
    input: Input,
    runs: u64,
    seed: u64,
    events: &[E],
) -> Result<Vec<u64>, Error> {
    let of_chunk = |chunk: &[i64]| -> Vec<usize> {
        let views = chunk.chunks_exact(views.width());
        events.iter().map(|holds| views.clone().filter(|view| holds(view)).count()).collect()
    };
    let chunks = chunks(views, input, runs, seed, RunPurpose::Measuring, &of_chunk)?;
    let all = |event| chunks.iter().map(|counts: &Vec<usize>| counts[event] as u64).sum();
    Ok((0..events.len()).map(all).collect())
}

/// Runs the mechanism `runs` times: the result of `take` for the views of each chunk, in order.
fn chunks<T: Send>(
    views: &dyn Views,
    input: Input,
    runs: u64,
    seed: u64,
    purpose: RunPurpose,
    take: &(dyn Fn(&[i64]) -> T + Sync),
) -> Result<Vec<T>, Error> {
    let width = views.width();
    let chunk = |number: u64| {
        let count = CHUNK.min(runs - number * CHUNK);
        let mut generator = generator([seed, purpose as u64, input as u64, number]);
        let mut values = vec![0; to_index(count) * width];
        for view in values.chunks_exact_mut(width) {
            views.observe(input, &mut generator, view)?;
        }
        Ok(take(&values))
    };
    (0..runs.div_ceil(CHUNK)).into_par_iter().map(chunk).collect()
}
