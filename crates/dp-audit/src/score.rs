//! Scores of views: large where the first input is likelier than the second.
//!
//! All are found in runs that are thrown away afterwards, so that a bad score costs tightness and never soundness:
//!
//! - **coordinates together**: Σ of the log likelihood ratios of each coordinate, by classes of its values; the
//!   likelihood ratio itself where coordinates are independent ([`binned`]); the same with ratios that rise or fall with
//!   the value, which a few more views know as well as many the others;
//! - **whole views**: the log likelihood ratio of each view that occurs, where there are few different ones;
//! - **a linear discriminant** (Fisher 1936): it finds coordinates whose noise cancels ([`linear`]);
//! - **plain coordinates**, and the sum of all: their tails show noise that is cut off.

mod binned;
mod linear;

use std::collections::HashMap;

use crate::confidence::float;
use crate::sample::Sample;
use binned::Binned;

/// The most different views of which each has a ratio of its own.
const MOST_VIEWS: usize = 1 << 12;

/// The most plain coordinates.
const MOST_COORDINATES: usize = 32;

/// A score.
#[derive(Clone, Debug)]
pub(crate) enum Score {
    /// Σ over coordinates.
    Together(Vec<Binned>),
    /// The same with ratios that rise or fall.
    Monotone(Vec<Binned>),
    /// One for each view.
    Whole(HashMap<Vec<i64>, f64>),
    /// A weighted sum.
    Discriminant(Vec<f64>),
    /// A coordinate.
    Coordinate(usize),
    /// The sum of all coordinates.
    Sum,
}

impl Score {
    /// All that these views suggest, those of the first input and of the second.
    pub(crate) fn fitted(samples: &[Sample; 2]) -> Vec<Self> {
        let width = samples[0].width();
        let binned = (0..width).map(|place| Binned::fitted(samples, place));
        let binned: Vec<Binned> = binned.collect();
        let monotone = |is_coarse| {
            let binned = binned.iter();
            Self::Monotone(binned.map(|binned| binned.monotone(is_coarse)).collect())
        };
        let mut scores = vec![monotone(true), monotone(false)];
        scores.push(Self::Together(binned));
        scores.extend(whole(samples).map(Self::Whole));
        scores.extend(linear::discriminant(samples).map(Self::Discriminant));
        scores.extend((0..width.min(MOST_COORDINATES)).map(Self::Coordinate));
        scores.push(Self::Sum);
        scores
    }

    /// The score of a view.
    pub(crate) fn of(&self, view: &[i64]) -> f64 {
        match self {
            Self::Together(binned) | Self::Monotone(binned) => {
                let terms = binned.iter().zip(view);
                terms.map(|(binned, value)| binned.of(*value)).sum()
            }
            Self::Whole(ratios) => ratios.get(view).copied().unwrap_or(0.0),
            Self::Discriminant(weights) => linear::weighted(weights, view),
            Self::Coordinate(place) => view.get(*place).map_or(0.0, |value| signed(*value)),
            Self::Sum => view.iter().map(|value| signed(*value)).sum(),
        }
    }

    /// In words.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Together(_) => "the likelihood ratio by coordinates".to_owned(),
            Self::Monotone(_) => "the monotone likelihood ratio by coordinates".to_owned(),
            Self::Whole(_) => "the likelihood ratio of whole views".to_owned(),
            Self::Discriminant(_) => "a linear discriminant".to_owned(),
            Self::Coordinate(place) => format!("coordinate {place}"),
            Self::Sum => "the sum of all coordinates".to_owned(),
        }
    }
}

/// The log likelihood ratio of each view, smoothed by half a run; `None` if there are too many different ones.
fn whole(samples: &[Sample; 2]) -> Option<HashMap<Vec<i64>, f64>> {
    let mut counts: HashMap<Vec<i64>, [u64; 2]> = HashMap::new();
    for (input, sample) in samples.iter().enumerate() {
        for view in sample.rows() {
            if let Some(counted) = counts.get_mut(view) {
                counted[input] += 1;
                continue;
            }
            if counts.len() == MOST_VIEWS {
                return None;
            }
            let mut counted = [0; 2];
            counted[input] = 1;
            counts.insert(view.to_vec(), counted);
        }
    }
    let ratios = counts.into_iter();
    Some(ratios.map(|(view, counted)| (view, ratio(counted))).collect())
}

/// The log of a ratio of counts of equally many runs, smoothed.
fn ratio([first, second]: [u64; 2]) -> f64 {
    ((float(first) + 0.5) / (float(second) + 0.5)).ln()
}

/// Views are far below 2^53, or rounded.
#[expect(clippy::cast_precision_loss)]
const fn signed(value: i64) -> f64 {
    value as f64
}
