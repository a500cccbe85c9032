//! Scores of views: large for views that are likelier under the first input. A bad score makes the
//! bound on ε looser, never wrong.

use std::collections::HashMap;

use crate::confidence::{float, signed};
use crate::sample::Sample;

/// Largest number of different views that get a likelihood ratio each.
const MAX_VIEWS: usize = 1 << 12;

/// Largest number of coordinates that become a score of their own.
const MAX_COORDINATES: usize = 32;

/// A real function of a view, larger where the first input is likelier.
#[derive(Clone, Debug)]
pub(crate) enum Score {
    /// The sum of the log likelihood ratios of all coordinates, the ratio of the view if coordinates
    /// are independent; and its name.
    Ratios(Vec<BinnedRatio>, &'static str),
    /// The log likelihood ratio of each view that occurred; 0 for other views.
    Views(HashMap<Vec<i64>, f64>),
    /// The coordinate at this index, from 0: its tails show noise that is cut off.
    Coordinate(usize),
    /// The sum of all coordinates.
    Sum,
}

impl Score {
    /// All kinds of score, fitted to `samples`: views of the first and of the second input.
    pub(crate) fn fitted(samples: &[Sample; 2]) -> Vec<Self> {
        let width = samples[0].width;
        let (binned, monotone): (Vec<_>, _) =
            (0..width).map(|place| BinnedRatio::fitted(samples, place)).unzip();
        let mut scores = vec![
            Self::Ratios(monotone, "the monotone likelihood ratio by coordinates"),
            Self::Ratios(binned, "the likelihood ratio by coordinates"),
        ];
        scores.extend(view_ratios(samples).map(Self::Views));
        scores.extend((0..width.min(MAX_COORDINATES)).map(Self::Coordinate));
        scores.push(Self::Sum);
        scores
    }

    /// The value of the score for a view: larger where the first input is likelier.
    pub(crate) fn of(&self, view: &[i64]) -> f64 {
        match self {
            Self::Ratios(binned, _) => {
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
            Self::Ratios(_, name) => (*name).to_owned(),
            Self::Views(_) => "the likelihood ratio of whole views".to_owned(),
            Self::Coordinate(place) => format!("coordinate {place}"),
            Self::Sum => "the sum of all coordinates".to_owned(),
        }
    }
}

/// The log likelihood ratio of each view that occurred; `None` beyond [`MAX_VIEWS`] different
/// views.
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

/// Largest number of classes of a coordinate's values, so that each has many views.
const CLASSES: usize = 48;

/// Log likelihood ratios of consecutive classes of one coordinate's values.
#[derive(Clone, Debug)]
pub(crate) struct BinnedRatio {
    /// The smallest value of every class but the first, in rising order.
    ends: Vec<i64>,
    /// The natural log likelihood ratio of each class, first input over second.
    ratios: Vec<f64>,
}

impl BinnedRatio {
    /// The log likelihood ratios of the coordinate at index `place`, in classes of about the same
    /// number of views. The second ones are made to grow or to fall from class to class, whichever
    /// fits the views better: classes that break the order are merged, and neighbouring ones that
    /// differ by less than three standard errors. Under a shift, the ratio is monotone if the log
    /// density is concave.
    fn fitted(samples: &[Sample; 2], place: usize) -> (Self, Self) {
        let mut values: Vec<i64> = samples.iter().flat_map(|sample| sample.column(place)).collect();
        values.sort_unstable();
        let size = values.len().div_ceil(CLASSES).max(1);
        let mut ends: Vec<i64> = values.iter().skip(size).step_by(size).copied().collect();
        ends.extend(values.iter().step_by(size).filter_map(|value| value.checked_add(1)));
        ends.sort_unstable();
        ends.dedup();
        let mut counts = vec![[0; 2]; ends.len() + 1];
        for (input, sample) in samples.iter().enumerate() {
            for value in sample.column(place) {
                counts[class(&ends, value)][input] += 1;
            }
        }
        let growing = merged(&counts, false);
        let falling = merged(&counts, true);
        let runs = if likelihood(&growing) >= likelihood(&falling) { growing } else { falling };
        let runs = distinct(runs);
        let monotone =
            runs.iter().flat_map(|run| std::iter::repeat_n(log_ratio(run.counts), run.classes));
        let monotone = Self { ends: ends.clone(), ratios: monotone.collect() };
        (Self { ends, ratios: counts.into_iter().map(log_ratio).collect() }, monotone)
    }

    /// The log likelihood ratio of the class of `value`.
    fn of(&self, value: i64) -> f64 {
        self.ratios[class(&self.ends, value)]
    }
}

/// Index of the class of `value`.
fn class(ends: &[i64], value: i64) -> usize {
    ends.partition_point(|end| *end <= value)
}

/// Consecutive classes that are merged.
#[derive(Clone, Copy, Debug)]
struct MergedClasses {
    /// Number of views under the first and under the second input.
    counts: [u64; 2],
    /// How many classes are merged.
    classes: usize,
}

impl MergedClasses {
    /// Fraction of the views that are of the first input, with half a view of each input added.
    fn fraction(&self) -> f64 {
        let [first, second] = self.counts.map(float);
        (first + 0.5) / (first + second + 1.0)
    }

    /// Both runs merged into one.
    fn plus(self, other: Self) -> Self {
        let counts = [self.counts[0] + other.counts[0], self.counts[1] + other.counts[1]];
        Self { counts, classes: self.classes + other.classes }
    }

    /// Distance of the fractions of both runs, in standard errors of their difference.
    fn distance(self, other: Self) -> f64 {
        let both = self.plus(other);
        let views = |run: Self| float(run.counts[0] + run.counts[1]).max(1.0);
        let variance = both.fraction() * (1.0 - both.fraction());
        let error = (variance * (views(self).recip() + views(other).recip())).sqrt();
        (self.fraction() - other.fraction()).abs() / error
    }
}

/// Runs of consecutive classes, merged until the fractions of first-input views grow from run to
/// run, or fall if `falls`: the pool-adjacent-violators algorithm (Ayer, Brunk, Ewing, Reid,
/// Silverman, "An empirical distribution function for sampling with incomplete information", 1955).
fn merged(counts: &[[u64; 2]], falls: bool) -> Vec<MergedClasses> {
    let violates = |before: &MergedClasses, run: &MergedClasses| match falls {
        false => before.fraction() >= run.fraction(),
        true => before.fraction() <= run.fraction(),
    };
    let mut runs: Vec<MergedClasses> = Vec::new();
    for &counts in counts {
        let mut run = MergedClasses { counts, classes: 1 };
        while let Some(before) = runs.pop_if(|before| violates(before, &run)) {
            run = before.plus(run);
        }
        runs.push(run);
    }
    runs
}

/// Neighbouring runs merged, nearest first, until they all differ by three standard errors.
fn distinct(mut runs: Vec<MergedClasses>) -> Vec<MergedClasses> {
    loop {
        let pairs = runs.windows(2).enumerate();
        let distances = pairs.map(|(place, pair)| (place, pair[0].distance(pair[1])));
        let nearest = distances.min_by(|(_, one), (_, other)| one.total_cmp(other));
        let Some((place, _)) = nearest.filter(|(_, distance)| *distance < 3.0) else {
            return runs;
        };
        let next = runs.remove(place + 1);
        runs[place] = runs[place].plus(next);
    }
}

/// The natural log likelihood of the inputs of all views, given the fractions of their runs.
fn likelihood(runs: &[MergedClasses]) -> f64 {
    let of = |run: &MergedClasses| {
        let [first, second] = run.counts.map(float);
        first * run.fraction().ln() + second * (1.0 - run.fraction()).ln()
    };
    runs.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_merged_until_their_ratios_are_monotone_or_distinct() {
        let of = |runs: Vec<MergedClasses>| -> Vec<([u64; 2], usize)> {
            runs.into_iter().map(|run| (run.counts, run.classes)).collect()
        };
        let counts = [[1, 9], [5, 5], [4, 6], [9, 1]];
        let growing = merged(&counts, false);
        assert!(likelihood(&growing) > likelihood(&merged(&counts, true)));
        assert_eq!(of(growing), [([1, 9], 1), ([9, 11], 2), ([9, 1], 1)]);
        assert_eq!(of(merged(&counts, true)), [([19, 21], 4)]);
        // Only a hundred times as many views tell 1 of 10 from 9 of 20, and 10 of 30 from 9 of 10.
        assert_eq!(of(distinct(merged(&counts, false))), [([19, 21], 4)]);
        let many = counts.map(|counts| counts.map(|count| 100 * count));
        assert_eq!(distinct(merged(&many, false)).len(), 3);
    }
}
