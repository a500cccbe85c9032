//! The log likelihood ratio of one coordinate, by classes of its values.

use super::ratio;
use crate::confidence::float;
use crate::sample::Sample;

/// The most classes: so few that each ratio is known well, so many that a wide law is not coarse.
const CLASSES: usize = 48;

/// Ratios of consecutive classes of values.
#[derive(Clone, Debug)]
pub(crate) struct Binned {
    /// The least value of every class but the first.
    ends: Vec<i64>,
    /// How often each class occurs under the first input and under the second; one more than ends.
    counts: Vec<[u64; 2]>,
    ratios: Vec<f64>,
}

impl Binned {
    /// Of this coordinate: classes of about equally many views of both inputs, each value in one of them.
    pub(crate) fn fitted(samples: &[Sample; 2], place: usize) -> Self {
        let mut values: Vec<i64> = samples.iter().flat_map(|sample| sample.column(place)).collect();
        values.sort_unstable();
        let size = values.len().div_ceil(CLASSES).max(1);
        // Where a value begins is the only place where a class may.
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
        let ratios = counts.iter().copied().map(ratio).collect();
        Self { ends, counts, ratios }
    }

    /// The same with ratios that rise or fall from class to class, whichever fits the views better: neighbours that do not
    /// are put together. The ratio of a law that is shifted is like that if the logarithm of its density is concave, and
    /// where it is constant, as in both tails of Laplace noise, it is known from all values there.
    ///
    /// If `is_coarse`, neighbours are put together as well which differ by less than three standard errors: the few values at
    /// either end would else be given the largest ratios by chance.
    pub(crate) fn monotone(&self, is_coarse: bool) -> Self {
        let rising = pooled(&self.counts, false);
        let falling = pooled(&self.counts, true);
        let runs = if likelihood(&rising) >= likelihood(&falling) { rising } else { falling };
        let runs = if is_coarse { distinct(runs) } else { runs };
        let ratios =
            runs.iter().flat_map(|run| std::iter::repeat_n(ratio(run.counts), run.classes));
        Self { ends: self.ends.clone(), counts: self.counts.clone(), ratios: ratios.collect() }
    }

    /// The ratio of a value's class.
    pub(crate) fn of(&self, value: i64) -> f64 {
        self.ratios[class(&self.ends, value)]
    }
}

fn class(ends: &[i64], value: i64) -> usize {
    ends.partition_point(|end| *end <= value)
}

/// Consecutive classes that were put together.
#[derive(Clone, Copy, Debug)]
struct Run {
    counts: [u64; 2],
    classes: usize,
}

impl Run {
    /// The part of its views that the first input gives.
    fn part(&self) -> f64 {
        let [first, second] = self.counts.map(float);
        (first + 0.5) / (first + second + 1.0)
    }

    fn add(&mut self, other: Self) {
        self.counts[0] += other.counts[0];
        self.counts[1] += other.counts[1];
        self.classes += other.classes;
    }

    /// Between the parts of two runs, in standard errors.
    fn distance(&self, other: &Self) -> f64 {
        let mut both = *self;
        both.add(*other);
        let views = |run: &Self| float(run.counts[0] + run.counts[1]).max(1.0);
        let variance = both.part() * (1.0 - both.part());
        let error = (variance * (views(self).recip() + views(other).recip())).sqrt();
        (self.part() - other.part()).abs() / error
    }
}

/// Runs of classes whose parts rise, or fall: the algorithm of pool-adjacent-violators of Ayer, Brunk, Ewing, Reid,
/// Silverman, "An empirical distribution function for sampling with incomplete information", 1955.
fn pooled(counts: &[[u64; 2]], falls: bool) -> Vec<Run> {
    let violates = |before: &Run, run: &Run| match falls {
        false => before.part() >= run.part(),
        true => before.part() <= run.part(),
    };
    let mut runs: Vec<Run> = Vec::new();
    for &counts in counts {
        let mut run = Run { counts, classes: 1 };
        while let Some(before) = runs.pop_if(|before| violates(before, &run)) {
            run.add(before);
        }
        runs.push(run);
    }
    runs
}

/// Runs whose parts differ by three standard errors at least: the nearest neighbours are put together until all do.
fn distinct(mut runs: Vec<Run>) -> Vec<Run> {
    loop {
        let pairs = runs.iter().zip(runs.iter().skip(1)).enumerate();
        let distances = pairs.map(|(place, (run, next))| (place, run.distance(next)));
        let nearest = distances.min_by(|(_, one), (_, other)| one.total_cmp(other));
        let Some((place, _)) = nearest.filter(|(_, distance)| *distance < 3.0) else {
            return runs;
        };
        let next = runs.remove(place + 1);
        runs[place].add(next);
    }
}

/// The log of the probability of the counts, if each run has the part that it has.
fn likelihood(runs: &[Run]) -> f64 {
    let of = |run: &Run| {
        let [first, second] = run.counts.map(float);
        first * run.part().ln() + second * (1.0 - run.part()).ln()
    };
    runs.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_put_together_until_their_ratios_rise_or_fall() {
        let of = |runs: Vec<Run>| -> Vec<([u64; 2], usize)> {
            let run = |run: Run| (run.counts, run.classes);
            runs.into_iter().map(run).collect()
        };
        let counts = [[1, 9], [5, 5], [4, 6], [9, 1]];
        let rising = pooled(&counts, false);
        assert!(likelihood(&rising) > likelihood(&pooled(&counts, true)));
        assert_eq!(of(rising), [([1, 9], 1), ([9, 11], 2), ([9, 1], 1)]);
        assert_eq!(of(pooled(&counts, true)), [([19, 21], 4)]);
        // So few views do not tell 1 of 10 from 9 of 20, nor 10 of 30 from 9 of 10; a hundred times as many do.
        assert_eq!(of(distinct(pooled(&counts, false))), [([19, 21], 4)]);
        let many = counts.map(|counts| counts.map(|count| 100 * count));
        assert_eq!(distinct(pooled(&many, false)).len(), 3);
        let mirrored = counts.map(|[first, second]| [second, first]);
        assert_eq!(of(pooled(&mirrored, true)).len(), 3);
    }
}
