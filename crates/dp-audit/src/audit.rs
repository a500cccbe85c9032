//! Lower bounds on ε from a mechanism's outputs on two neighbouring inputs.
//!
//! If a mechanism is (ε, δ)-differentially private, every event S has P(S) ≤ e^ε·Q(S) + δ, where P
//! and Q are the distributions of the output under the first and the second input. So an event with
//! probabilities of at least p and at most q shows that ε ≥ ln((p − δ)/q).
//!
//! The event is chosen in one half of the runs, and its probabilities are bounded in the other
//! half: only two one-sided Clopper–Pearson bounds of half the error each can be wrong. After Ding,
//! Wang, Wang, Zhang, Kifer, "Detecting violations of differential privacy", 2018, and Jagielski,
//! Ullman, Oprea, "Auditing differentially private machine learning", 2020.

use dp_exact::ParameterError;
use dp_exact::directed::to_index;
use rand_chacha::rand_core::SeedableRng as _;
use rayon::prelude::*;
use serde::Serialize;

use crate::Error;
use crate::binomial::{float, signed};
use crate::confidence::{lower, upper};

/// Largest number of runs of each input that choose the event.
const MAX_CHOOSING: u64 = 1 << 16;

/// Largest number of integers that are kept of the runs that choose the event.
const MAX_INTEGERS: u64 = 1 << 22;

/// Largest number of coordinates that are a score of their own.
const MAX_COORDINATES: usize = 32;

/// Number of runs that share a random generator.
const CHUNK: u64 = 4096;

/// The random generator of a run. The seed of the audit determines its output.
pub type Generator = rand_chacha::ChaCha12Rng;

/// One of the two neighbouring inputs that an adversary tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// The first input.
    First,
    /// The second input.
    Second,
}

/// Runs a mechanism on an input, independently of other runs, and overwrites its output.
pub type Run<'a> = dyn Fn(Input, &mut Generator, &mut [i64]) -> Result<(), Error> + Sync + 'a;

/// The settings of an audit.
#[derive(Clone, Debug)]
pub struct Audit {
    runs: u64,
    error: f64,
    seed: u64,
}

/// A lower bound on ε, and the event that shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LowerBound {
    /// The δ of the bound.
    pub delta: f64,
    /// Lower bound on ε, at least 0. It is wrong with probability at most [`Self::error`].
    #[serde(rename = "lower_bound")]
    pub epsilon: f64,
    /// Upper bound on the probability that `epsilon` is above the true ε at this δ.
    #[serde(skip)]
    pub error: f64,
    /// The event in words.
    pub event: String,
    /// Number of runs of each input that measured the event.
    pub runs: u64,
    /// Number of runs with the event, under the first and under the second input.
    pub counts: [u64; 2],
}

impl Audit {
    /// An audit with `runs` runs of each input. Half of them, at most 65 536, choose the event, and
    /// the others measure it. Each result is wrong with probability at most `error`. Runs follow
    /// from the seed.
    ///
    /// # Errors
    /// If runs are not from 100 to 2^40, or the error is not above 0 and below 1/2.
    pub fn new(runs: u64, error: f64, seed: u64) -> Result<Self, Error> {
        if !(100..=1 << 40).contains(&runs) {
            return Err(ParameterError::new("runs", runs, "an integer from 100 to 2^40").into());
        }
        if !(error > 0.0 && error < 0.5) {
            let accepted = "a number above 0 and below 1/2";
            return Err(ParameterError::new("error", error, accepted).into());
        }
        Ok(Self { runs, error, seed })
    }

    /// A lower bound on ε at each of these δ, from the same runs. All bounds hold together with
    /// probability at least 1 − `error`. An output of `run` has `width` integers.
    ///
    /// # Errors
    /// If a δ is not at least 0 and below 1, `width` is 0, or the mechanism does not run.
    pub fn lower_bounds(
        &self,
        width: usize,
        deltas: &[f64],
        run: &Run<'_>,
    ) -> Result<Vec<LowerBound>, Error> {
        if let Some(delta) = deltas.iter().find(|delta| !(0.0..1.0).contains(*delta)) {
            let accepted = "a number of at least 0 and below 1";
            return Err(ParameterError::new("delta", delta, accepted).into());
        }
        if width == 0 {
            return Err(ParameterError::new("width", 0, "at least 1 integer").into());
        }
        // Each bound has an equal part of the error, and so has each of its two probabilities.
        let error = self.error / float(deltas.len().max(1) as u64);
        let room = (MAX_INTEGERS / (width as u64).min(MAX_INTEGERS)).max(1);
        let choosing = (self.runs / 2).min(MAX_CHOOSING).min(room);
        let measuring = self.runs - choosing;

        let keep = |outputs: &[i64]| outputs.to_vec();
        let outputs = |input| self.outputs(width, [choosing, 0], input, run, keep);
        let outputs = [outputs(Input::First)?.concat(), outputs(Input::Second)?.concat()];
        let events = Event::chosen(width, &outputs, deltas, measuring, error);

        let count = |outputs: &[i64]| -> Vec<u64> {
            let outputs = outputs.chunks_exact(width);
            let count = |event: &Event| {
                outputs.clone().filter(|one| event.score(one) >= event.threshold).count()
            };
            events.iter().map(|event| count(event) as u64).collect()
        };
        let count = |input| self.outputs(width, [measuring, 1], input, run, count);
        let counts = [count(Input::First)?, count(Input::Second)?];
        let bounds = events.iter().zip(deltas).enumerate().map(|(number, (event, delta))| {
            let of = |input: &Vec<Vec<u64>>| input.iter().map(|counts| counts[number]).sum();
            let counts = counts.each_ref().map(of);
            // Clopper and Pearson, each with half of the error.
            let likely = lower(counts[0], measuring, error / 2.0);
            let unlikely = upper(counts[1], measuring, error / 2.0);
            let epsilon = ((likely - delta).max(0.0) / unlikely).max(1.0).ln();
            let event = event.name();
            LowerBound { epsilon, delta: *delta, error, event, runs: measuring, counts }
        });
        Ok(bounds.collect())
    }

    /// Runs the mechanism `runs` times, in parallel: the result of `take` for the outputs of each
    /// chunk of runs, in order. Runs with different numbers `purpose` have independent randomness.
    /// Each output has `width` integers.
    fn outputs<T: Send>(
        &self,
        width: usize,
        [runs, purpose]: [u64; 2],
        input: Input,
        run: &Run<'_>,
        take: impl Fn(&[i64]) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        let chunk = |number: u64| {
            let mut key = [0; 32];
            let words = [self.seed, purpose, input as u64, number];
            for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
            let mut generator = Generator::from_seed(key);
            let count = CHUNK.min(runs - number * CHUNK);
            let mut outputs = vec![0; to_index(count) * width];
            for output in outputs.chunks_exact_mut(width) {
                run(input, &mut generator, output)?;
            }
            Ok(take(&outputs))
        };
        (0..runs.div_ceil(CHUNK)).into_par_iter().map(chunk).collect()
    }
}

/// The outputs whose score, a weighted sum of some coordinates, is at least a threshold.
#[derive(Clone, Debug)]
struct Event {
    /// The index of each coordinate, from 0, and its weight.
    weights: Vec<(usize, f64)>,
    threshold: f64,
}

impl Event {
    /// For each δ the event with the largest predicted lower bound on ε at this `error`, if
    /// `measuring` runs measure it. `outputs` are those under the first and under the second input.
    /// Scores are coordinates and their negatives, and the product with the difference of the mean
    /// outputs; a bad score makes the bound on ε looser, never wrong.
    fn chosen(
        width: usize,
        outputs: &[Vec<i64>; 2],
        deltas: &[f64],
        measuring: u64,
        error: f64,
    ) -> Vec<Self> {
        let mean = |outputs: &Vec<i64>, index: usize| {
            let values = outputs.iter().skip(index).step_by(width);
            values.map(|value| signed(*value) / float(outputs.len() as u64)).sum::<f64>()
        };
        let difference = |index| mean(&outputs[0], index) - mean(&outputs[1], index);
        let differences = (0..width).map(|index| (index, difference(index))).collect();
        let coordinates = (0..width.min(MAX_COORDINATES))
            .flat_map(|index| [vec![(index, 1.0)], vec![(index, -1.0)]]);
        let mut best: Vec<Option<(f64, Self)>> = vec![None; deltas.len()];
        for weights in coordinates.chain([differences]) {
            let mut event = Self { weights, threshold: 0.0 };
            let scores = outputs.each_ref().map(|outputs| {
                let outputs = outputs.chunks_exact(width);
                let mut scores: Vec<f64> = outputs.map(|output| event.score(output)).collect();
                scores.sort_unstable_by(|one, other| other.total_cmp(one));
                scores
            });
            for (delta, best) in deltas.iter().zip(&mut best) {
                let runs = scores[0].len();
                let bound = |counts| predicted(counts, runs, *delta, measuring, error);
                let (bound, threshold) = best_threshold(&scores, bound);
                if best.as_ref().is_none_or(|(most, _)| bound > *most) {
                    event.threshold = threshold;
                    *best = Some((bound, event.clone()));
                }
            }
        }
        best.into_iter().flatten().map(|(_, event)| event).collect()
    }

    /// The weighted sum of the output's coordinates; the threshold is not used.
    fn score(&self, output: &[i64]) -> f64 {
        self.weights.iter().map(|(index, weight)| weight * signed(output[*index])).sum()
    }

    /// The event in words, such as `coordinate 0 is at least 3.0000`.
    fn name(&self) -> String {
        match self.weights[..] {
            [(index, weight)] => {
                let side = if weight > 0.0 { "least" } else { "most" };
                format!("coordinate {index} is at {side} {:.4}", weight * self.threshold)
            }
            _ => format!("the product with the difference of means is at least {}", self.threshold),
        }
    }
}

/// The largest `bound` on ε over all thresholds, −∞ if there is none, and its threshold. The scores
/// of outputs under the first and the second input are in falling order; `bound` takes how many of
/// each are at least the threshold.
fn best_threshold(
    [likely, unlikely]: &[Vec<f64>; 2],
    bound: impl Fn([usize; 2]) -> f64,
) -> (f64, f64) {
    let mut best = (f64::NEG_INFINITY, 0.0);
    let (mut first, mut second) = (0, 0);
    while let Some(&threshold) = likely.get(first) {
        first += likely[first..].iter().take_while(|score| **score >= threshold).count();
        second += unlikely[second..].iter().take_while(|score| **score >= threshold).count();
        let bound = bound([first, second]);
        if bound > best.0 {
            best = (bound, threshold);
        }
    }
    best
}

/// Approximate lower bound on ε for an event that held in `counts` of `runs` runs, if `measuring`
/// runs measure it; −∞ if there is none. Counts are taken one standard error worse, so that the
/// luckiest threshold does not win.
fn predicted(counts: [usize; 2], runs: usize, delta: f64, measuring: u64, error: f64) -> f64 {
    // The distance of a confidence bound from an estimated probability, in standard errors.
    let deviations = (2.0 * (2.0 / error).ln()).sqrt();
    let [first, second] = counts.map(|count| float(count as u64));
    let likely = (first - first.sqrt()).max(0.0) / float(runs as u64);
    let unlikely = (second + second.sqrt() + 1.0) / float(runs as u64);
    let measuring = float(measuring);
    let low = likely - deviations * (likely * (1.0 - likely) / measuring).sqrt();
    let spread = deviations * (unlikely * (1.0 - unlikely).max(0.0) / measuring).sqrt();
    let high = unlikely + spread + deviations / measuring;
    if low <= delta { f64::NEG_INFINITY } else { ((low - delta) / high).ln() }
}
