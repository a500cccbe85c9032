//! Scores of views: large for views that are likelier under the first input.
//!
//! Scores are fitted to runs that are thrown away afterwards. A bad score makes the bound on ε
//! looser, never wrong.

mod binned;

use std::collections::HashMap;

use crate::confidence::float;
use crate::sample::Sample;
use binned::BinnedRatio;

/// The most different views that get a likelihood ratio each.
const MAX_VIEWS: usize = 1 << 12;

/// The most coordinates that become a score of their own.
const MAX_COORDINATES: usize = 32;

/// A real function of a view, larger where the first input is likelier.
#[derive(Clone, Debug)]
pub(crate) enum Score {
    /// The sum of the log likelihood ratios of all coordinates: the log likelihood ratio of the
    /// view if coordinates are independent.
    Ratios(Vec<BinnedRatio>),
    /// [`Self::Ratios`] with each ratio monotone in its coordinate.
    Monotone(Vec<BinnedRatio>),
    /// The log likelihood ratio, first input over second, of each view that occurred; 0 for other
    /// views.
    Views(HashMap<Vec<i64>, f64>),
    /// The coordinate at this index, from 0: its tails show noise that is cut off.
    Coordinate(usize),
    /// The sum of all coordinates.
    Sum,
}

impl Score {
    /// All kinds of score, fitted to `samples`: views of the first and of the second input.
    pub(crate) fn fitted(samples: &[Sample; 2]) -> Vec<Self> {
        let width = samples[0].width();
        let binned: Vec<BinnedRatio> =
            (0..width).map(|place| BinnedRatio::fitted(samples, place)).collect();
        let monotone = |is_coarse| {
            let binned = binned.iter();
            Self::Monotone(binned.map(|binned| binned.monotone(is_coarse)).collect())
        };
        let mut scores = vec![monotone(true), monotone(false)];
        scores.push(Self::Ratios(binned));
        scores.extend(view_ratios(samples).map(Self::Views));
        scores.extend((0..width.min(MAX_COORDINATES)).map(Self::Coordinate));
        scores.push(Self::Sum);
        scores
    }

    /// The value of the score for a view: larger where the first input is likelier.
    pub(crate) fn of(&self, view: &[i64]) -> f64 {
        match self {
            Self::Ratios(binned) | Self::Monotone(binned) => {
                let terms = binned.iter().zip(view);
                terms.map(|(binned, value)| binned.of(*value)).sum()
            }
            Self::Views(ratios) => ratios.get(view).copied().unwrap_or(0.0),
            Self::Coordinate(place) => view.get(*place).map_or(0.0, |value| signed(*value)),
            Self::Sum => view.iter().map(|value| signed(*value)).sum(),
        }
    }

    /// The name of the score in words, such as `coordinate 0`.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Ratios(_) => "the likelihood ratio by coordinates".to_owned(),
            Self::Monotone(_) => "the monotone likelihood ratio by coordinates".to_owned(),
            Self::Views(_) => "the likelihood ratio of whole views".to_owned(),
            Self::Coordinate(place) => format!("coordinate {place}"),
            Self::Sum => "the sum of all coordinates".to_owned(),
        }
    }
}

/// The log likelihood ratio, first input over second, of each view that occurred. `None` beyond
/// [`MAX_VIEWS`] different views.
fn view_ratios(samples: &[Sample; 2]) -> Option<HashMap<Vec<i64>, f64>> {
    let mut counts: HashMap<&[i64], [u64; 2]> = HashMap::new();
    for (input, sample) in samples.iter().enumerate() {
        for view in sample.rows() {
            counts.entry(view).or_default()[input] += 1;
            if counts.len() > MAX_VIEWS {
                return None;
            }
        }
    }
    let ratios = counts.into_iter();
    Some(ratios.map(|(view, counted)| (view.to_vec(), log_ratio(counted))).collect())
}

/// ln of the ratio of two numbers of views, first input over second, both plus ½.
fn log_ratio([first, second]: [u64; 2]) -> f64 {
    ((float(first) + 0.5) / (float(second) + 0.5)).ln()
}

/// The float that is nearest to an integer.
#[expect(clippy::cast_precision_loss)]
const fn signed(value: i64) -> f64 {
    value as f64
}
