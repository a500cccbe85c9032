//! Lower bounds on ε from views of two neighbouring inputs.
//!
//! If a mechanism is (ε, δ)-differentially private, every event S has P(S) ≤ e^ε·Q(S) + δ, where P
//! and Q are the distributions of the view under the two inputs. So an event with probabilities of
//! at least p and at most q shows that
//!
//! ```text
//! ε ≥ ln((p − δ)/q).
//! ```
//!
//! The event is found in some runs, and its probabilities are bounded in other, independent ones.
//! There it is fixed beforehand, so that only two one-sided Clopper–Pearson bounds of half the
//! error each can be wrong. After Ding, Wang, Wang, Zhang, Kifer, "Detecting violations of
//! differential privacy", 2018, and Jagielski, Ullman, Oprea, "Auditing differentially private
//! machine learning", 2020.

use dp_exact::ParameterError;
use serde::Serialize;

use crate::Error;
use crate::confidence::{float, lower, upper};
use crate::event::{Event, EventGoal};
use crate::sample::{RunPurpose, Sample, count};
use crate::score::Score;
use crate::views::{Input, Views};

/// Largest number of runs of each input that find scores, and largest number that choose the event.
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
    /// Number of runs with the event: under the input that makes it likely, and under the other
    /// one.
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
    /// If there are fewer than 100 runs or more than 2^40, or the error is not above 0 and below
    /// 1/2.
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
        let bounds = self.lower_bounds(views, &[delta])?;
        let none = || ParameterError::new("delta", delta, "one at least");
        Ok(bounds.into_iter().next().ok_or_else(none)?)
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
        let goals = deltas.iter().map(|delta| EventGoal {
            delta: *delta,
            runs: measured,
            deviations: (2.0 * (2.0 / error).ln()).sqrt(),
        });
        let scores = Score::fitted(&self.samples(views, kept, RunPurpose::Fitting)?);
        let chosen = self.samples(views, kept, RunPurpose::Choosing)?;
        let events = Event::chosen(&scores, &chosen, &goals.collect::<Vec<_>>());
        drop(chosen);

        let holds = |view: &[i64]| events.iter().map(|event| event.holds(view)).collect();
        let runs = usize::try_from(measured).unwrap_or(usize::MAX);
        let counts = [
            count(views, Input::First, runs, self.seed, events.len(), &holds)?,
            count(views, Input::Second, runs, self.seed, events.len(), &holds)?,
        ];
        let bounds = events.iter().zip(deltas).enumerate().map(|(number, (event, delta))| {
            let favoured = event.favoured();
            let counts = [favoured, favoured.other()].map(|input| counts[input.index()][number]);
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

    fn samples(
        &self,
        views: &dyn Views,
        runs: u64,
        purpose: RunPurpose,
    ) -> Result<[Sample; 2], Error> {
        let runs = usize::try_from(runs).unwrap_or(usize::MAX);
        let draw = |input| Sample::draw(views, input, runs, self.seed, purpose);
        Ok([draw(Input::First)?, draw(Input::Second)?])
    }
}
