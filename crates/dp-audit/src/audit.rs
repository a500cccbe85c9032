//! Lower bounds on ε from views of two neighbouring inputs.
//!
//! If a mechanism is (ε, δ)-differentially private, every event S has P(S) ≤ e^ε·Q(S) + δ, where P
//! and Q are the distributions of the view under the two inputs. So an event with probabilities of
//! at least p and at most q shows that ε ≥ ln((p − δ)/q).
//!
//! The event is found in some runs, and its probabilities are bounded in other, independent ones:
//! only two one-sided Clopper–Pearson bounds of half the error each can be wrong. After Ding, Wang,
//! Wang, Zhang, Kifer, "Detecting violations of differential privacy", 2018, and Jagielski, Ullman,
//! Oprea, "Auditing differentially private machine learning", 2020.

use dp_exact::ParameterError;
use serde::Serialize;

use crate::Error;
use crate::confidence::{float, lower, upper};
use crate::event::Event;
use crate::sample::{RunPurpose, Sample, count};
use crate::score::Score;
use crate::views::{Input, Views};

/// Largest number of runs of each input that find scores, or that choose the event.
const MAX_KEPT: u64 = 1 << 16;

/// Largest number of integers that are kept of the runs that find scores or choose the event.
const MAX_INTEGERS: u64 = 1 << 22;

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
    /// Lower bound on ε, at least 0. It is wrong with probability at most [`Self::error`].
    pub epsilon: f64,
    /// The δ of the bound.
    pub delta: f64,
    /// Upper bound on the probability that `epsilon` is above the true ε at this δ.
    pub error: f64,
    /// The event in words.
    pub event: String,
    /// Number of runs of each input that measured the event.
    pub runs: u64,
    /// Number of runs with the event: under the input that makes it likely, and under the other.
    pub counts: [u64; 2],
    /// Lower bound on its probability under the first of these inputs, upper bound under the
    /// second.
    pub probabilities: [f64; 2],
}

impl Audit {
    /// An audit with `runs` runs of each input. A quarter, at most 65 536, finds scores, as many
    /// choose the event, and the others measure it. Each result is wrong with probability at most
    /// `error`. Runs follow from the seed.
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

    /// The lower bound on ε at this δ.
    ///
    /// # Errors
    /// If δ is not at least 0 and below 1, or the mechanism does not run.
    pub fn lower_bound(&self, views: &dyn Views, delta: f64) -> Result<LowerBound, Error> {
        Ok(self.lower_bounds(views, &[delta])?.swap_remove(0))
    }

    /// A lower bound on ε at each of these δ, from the same runs. All bounds hold together with
    /// probability at least 1 − `error`.
    ///
    /// # Errors
    /// If a δ is not at least 0 and below 1, or the mechanism does not run.
    pub fn lower_bounds(
        &self,
        views: &dyn Views,
        deltas: &[f64],
    ) -> Result<Vec<LowerBound>, Error> {
        if let Some(delta) = deltas.iter().find(|delta| !(0.0..1.0).contains(*delta)) {
            let accepted = "a number of at least 0 and below 1";
            return Err(ParameterError::new("delta", delta, accepted).into());
        }
        let width = views.width() as u64;
        if width == 0 {
            return Err(ParameterError::new("width", 0, "at least 1 integer a view").into());
        }
        let room = (MAX_INTEGERS / width.min(MAX_INTEGERS)).max(1);
        let kept = (self.runs / 4).min(MAX_KEPT).min(room);
        let measured = self.runs - 2 * kept;
        let error = self.error / float(deltas.len().max(1) as u64);
        let scores = Score::fitted(&Sample::pair(views, kept, self.seed, RunPurpose::Fitting)?);
        let chosen = Sample::pair(views, kept, self.seed, RunPurpose::Choosing)?;
        let events = Event::chosen(&scores, &chosen, deltas, measured, error);
        drop(chosen);

        let holds: Vec<_> = events.iter().map(|event| |view: &[i64]| event.holds(view)).collect();
        let count = |input| count(views, input, measured, self.seed, &holds);
        let counts = [count(Input::First)?, count(Input::Second)?];
        let bounds = events.iter().zip(deltas).enumerate().map(|(number, (event, delta))| {
            let favoured = event.favoured;
            let counts = [favoured, favoured.other()].map(|input| counts[input as usize][number]);
            // Clopper–Pearson, each with half of the error.
            let probabilities =
                [lower(counts[0], measured, error / 2.0), upper(counts[1], measured, error / 2.0)];
            let ratio = (probabilities[0] - delta) / probabilities[1];
            LowerBound {
                epsilon: if ratio > 1.0 { ratio.ln() } else { 0.0 },
                delta: *delta,
                error,
                event: event.name(),
                runs: measured,
                counts,
                probabilities,
            }
        });
        Ok(bounds.collect())
    }
}
