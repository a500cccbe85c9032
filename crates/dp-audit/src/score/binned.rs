//! The log likelihood ratio of one coordinate, by classes of its values.

use super::log_ratio;
use crate::confidence::float;
use crate::sample::Sample;

/// The most classes of a coordinate's values: enough for a wide distribution, and each class has
/// many views.
const CLASSES: usize = 48;

/// Log likelihood ratios of consecutive classes of one coordinate's values.
#[derive(Clone, Debug)]
pub(crate) struct BinnedRatio {
    /// The smallest value of every class but the first, in rising order.
    ends: Vec<i64>,
    /// For each class, the number of views under the first and under the second input.
    counts: Vec<[u64; 2]>,
    /// The natural log likelihood ratio of each class, first input over second.
    ratios: Vec<f64>,
}

impl BinnedRatio {
    /// The log likelihood ratios of the coordinate at index `place`. Classes have about the same
    /// number of views, and each value is in one class.
    pub(crate) fn fitted(samples: &[Sample; 2], place: usize) -> Self {
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
        let ratios = counts.iter().copied().map(log_ratio).collect();
        Self { ends, counts, ratios }
    }

    /// The log likelihood ratios made to grow or to fall from class to class, whichever fits the
    /// views better. Classes that break the order are merged. Under a shift, the ratio is monotone
    /// if the log density is concave. Where the ratio is constant, as in both tails of Laplace
    /// noise, all values there determine it.
    ///
    /// If `is_coarse`, neighbouring classes that differ by less than three standard errors are
    /// merged too. Otherwise the few values at either end would get the largest ratios by chance.
    pub(crate) fn monotone(&self, is_coarse: bool) -> Self {
        let growing = merged(&self.counts, false);
        let falling = merged(&self.counts, true);
        let runs = if likelihood(&growing) >= likelihood(&falling) { growing } else { falling };
        let runs = if is_coarse { distinct(runs) } else { runs };
        let ratios =
            runs.iter().flat_map(|run| std::iter::repeat_n(log_ratio(run.counts), run.classes));
        Self { ends: self.ends.clone(), counts: self.counts.clone(), ratios: ratios.collect() }
    }

    /// The log likelihood ratio of the class of `value`.
    pub(crate) fn of(&self, value: i64) -> f64 {
        self.ratios[class(&self.ends, value)]
    }
}

/// Index of the class of `value`; `ends` are the smallest values of the classes after the first.
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
    /// Fraction of the merged classes' views that are of the first input. Half a view of each input
    /// is added to both counts.
    fn fraction(&self) -> f64 {
        let [first, second] = self.counts.map(float);
        (first + 0.5) / (first + second + 1.0)
    }

    /// This run of merged classes and `other` merged into one run.
    fn plus(self, other: Self) -> Self {
        let counts = [self.counts[0] + other.counts[0], self.counts[1] + other.counts[1]];
        Self { counts, classes: self.classes + other.classes }
    }

    /// Distance of the fractions of this run and `other`, in standard errors of their difference.
    fn distance(self, other: Self) -> f64 {
        let both = self.plus(other);
        let views = |run: Self| float(run.counts[0] + run.counts[1]).max(1.0);
        let variance = both.fraction() * (1.0 - both.fraction());
        let error = (variance * (views(self).recip() + views(other).recip())).sqrt();
        (self.fraction() - other.fraction()).abs() / error
    }
}

/// Runs of consecutive classes, merged until the fractions of first-input views grow from run to
/// run, or fall if `falls`. This is the pool-adjacent-violators algorithm of Ayer, Brunk, Ewing,
/// Reid, Silverman, "An empirical distribution function for sampling with incomplete information",
/// 1955.
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

/// Neighbouring runs merged, nearest first, until fractions of neighbours differ by three standard
/// errors.
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

/// The natural log likelihood of the inputs of all views, given the fractions of their runs of
/// classes.
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
