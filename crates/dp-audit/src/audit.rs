//! Lower bounds on ε from views of two neighbouring inputs.
//!
//! If a mechanism is (ε, δ)-differentially private, every event S has P(S) ≤ e^ε·Q(S) + δ, with the laws P and Q of the
//! view under the two inputs. So an event whose probabilities are at least p and at most q shows that
//!
//! ```text
//! ε ≥ ln((p − δ)/q).
//! ```
//!
//! The event is found in some runs and its probabilities are bounded in others, which know nothing of the first ones.
//! There it is one event, fixed beforehand, so that two one-sided Clopper–Pearson bounds of half the error each are all
//! that can be wrong. After Ding, Wang, Wang, Zhang, Kifer, "Detecting violations of differential privacy", 2018, and
//! Jagielski, Ullman, Oprea, "Auditing differentially private machine learning", 2020.

use dp_exact::ParameterError;
use serde::Serialize;

use crate::Error;
use crate::confidence::{float, lower, upper};
use crate::event::{Aim, Event};
use crate::sample::{Purpose, Sample, count};
use crate::score::Score;
use crate::views::{Input, Views};

/// The most runs of each input that are kept to find scores, and as many to choose the event.
const MOST_KEPT: u64 = 1 << 16;

/// The most integers that are kept of them.
const MOST_INTEGERS: u64 = 1 << 22;

/// How an audit is made.
#[derive(Clone, Debug)]
pub struct Audit {
    runs: u64,
    error: f64,
    seed: u64,
}

/// A lower bound on ε, and the event that shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LowerBound {
    /// ε is at least this, except with probability [`Self::error`]; at least 0.
    pub epsilon: f64,
    /// The δ at which it is.
    pub delta: f64,
    /// The probability that the bound is above the true ε, if the mechanism has one at this δ.
    pub error: f64,
    /// The event, in words.
    pub event: String,
    /// The runs of each input that measured the event.
    pub runs: u64,
    /// In how many of them it happened: under the input that makes it likely, and under the other.
    pub counts: [u64; 2],
    /// The lower bound on its probability under the one, the upper bound under the other.
    pub probabilities: [f64; 2],
}

impl Audit {
    /// So many runs of each input, a quarter of which, at most 65 536, finds scores, as many choose the event, and the
    /// others measure it. Each answer is wrong with probability at most `error`. Runs follow from the seed.
    ///
    /// # Errors
    /// If there are fewer than 100 runs or more than 2^40, or the error is not above 0 and below 1/2.
    pub fn new(runs: u64, error: f64, seed: u64) -> Result<Self, Error> {
        if !(100..=1 << 40).contains(&runs) {
            return Err(ParameterError::new("runs", runs, "an integer from 100 to 2^40").into());
        }
        if !(error > 0.0 && error < 0.5) {
            return Err(
                ParameterError::new("error", error, "a number above 0 and below 1/2").into()
            );
        }
        Ok(Self { runs, error, seed })
    }

    /// The lower bound at this δ.
    ///
    /// # Errors
    /// If δ is not at least 0 and below 1, or the mechanism does not run.
    pub fn lower_bound(&self, views: &dyn Views, delta: f64) -> Result<LowerBound, Error> {
        let bounds = self.lower_bounds(views, &[delta])?;
        let none = || ParameterError::new("delta", delta, "one at least");
        Ok(bounds.into_iter().next().ok_or_else(none)?)
    }

    /// A lower bound at each of these δ, from the same runs. All of them hold together, except with the probability of
    /// the audit.
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
        if views.width() == 0 {
            return Err(ParameterError::new("width", 0, "at least 1 integer a view").into());
        }
        let kept = self.kept(views.width());
        let measured = self.runs - 2 * kept;
        let error = self.error / float(deltas.len().max(1) as u64);
        let aims = deltas.iter().map(|delta| Aim {
            delta: *delta,
            runs: measured,
            deviations: (2.0 * (2.0 / error).ln()).sqrt(),
        });
        let scores = Score::fitted(&self.samples(views, kept, Purpose::Fitting)?);
        let chosen = self.samples(views, kept, Purpose::Choosing)?;
        let events = Event::chosen(scores, &chosen, &aims.collect::<Vec<_>>());
        drop(chosen);

        let seen = |view: &[i64]| events.iter().map(|event| event.holds(view)).collect();
        let runs = small(measured);
        let counts = [
            count(views, Input::First, runs, self.seed, &seen)?,
            count(views, Input::Second, runs, self.seed, &seen)?,
        ];
        let of = |place: usize, input: Input| {
            let counted = counts[input.index()].get(place);
            counted.copied().unwrap_or(0)
        };
        let bounds = events.iter().zip(deltas).enumerate().map(|(place, (event, delta))| {
            let favours = event.favours();
            let counts = [of(place, favours), of(place, favours.other())];
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

    /// The runs that find scores, and as many that choose the event.
    fn kept(&self, width: usize) -> u64 {
        let room = MOST_INTEGERS / (width as u64).min(MOST_INTEGERS);
        (self.runs / 4).min(MOST_KEPT).min(room.max(1))
    }

    fn samples(
        &self,
        views: &dyn Views,
        runs: u64,
        purpose: Purpose,
    ) -> Result<[Sample; 2], Error> {
        let draw = |input| Sample::draw(views, input, small(runs), self.seed, purpose);
        Ok([draw(Input::First)?, draw(Input::Second)?])
    }
}

/// Runs are at most 2^40; where words are shorter, as many as there are.
fn small(runs: u64) -> usize {
    usize::try_from(runs).unwrap_or(usize::MAX)
}
